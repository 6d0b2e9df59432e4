import type { OwnerMapping } from '../../base/model/owners.ts';
import { inTurn, runSliced } from '../../base/scheduling/slices.ts';
import { expiryName, type FeatureRow } from '../inventory/feature-row.ts';
import { catalogue, type MetricName } from './catalogue.ts';
import type { Block } from './family.ts';
import { labelsOf, sampleOf, TextWriter, toNumber } from './family.ts';
import { fieldGauges } from './field-metrics.ts';
import { combineChecksums, type Deflated, deflateText } from './gzip.ts';
import { attributeLabels, type Enabled, featureLabels, isEnabled } from './metric.ts';
import { buildRowsInSlices, type Rows } from './rows.ts';

/** Rows of a piece: enough to be compressed well, few enough that a small change renders little. */
export const PIECE_ROWS = 4096;
/** Rows worked on between two yields. */
const STEP = 256;

/** A gauge with one sample for each feature. */
interface FeatureGauge {
  readonly name: MetricName;
  /** `undefined` is no sample. */
  readonly value: (row: FeatureRow) => number | undefined;
  /** The labels after those of the feature: `owners` those of the owner, `attributes` also those of the feature before them. */
  readonly extra: 'none' | 'owners' | 'attributes';
}

/** The metrics of GetFeatures. */
export const featureGauges = (enabled: Enabled): readonly FeatureGauge[] => [
  { name: 'license_feature_info', value: ({ isReported }) => (isReported ? 1 : undefined), extra: 'attributes' },
  ...fieldGauges('GetFeatures')
    .filter(({ metric }) => isEnabled(metric, enabled))
    .map(
      ({ name, column, metric: { presence } }): FeatureGauge => ({
        name,
        value: (row) => sampleOf(presence, toNumber(row[column])),
        extra: 'none',
      }),
    ),
];

/** The metrics of GetExpirationFeatures. */
export const expirationGauges = (enabled: Enabled): readonly FeatureGauge[] => [
  { name: 'license_feature_expiration_info', value: ({ isReported }) => (isReported ? undefined : 1), extra: 'owners' },
  ...fieldGauges('GetExpirationFeatures')
    .filter(({ metric }) => isEnabled(metric, enabled))
    .map(({ name, column, metric: { presence } }): FeatureGauge => {
      const shown = expiryName(column);
      return { name, value: (row) => sampleOf(presence, toNumber(row[shown])), extra: 'none' };
    }),
];

interface Piece extends Deflated {
  readonly samples: number;
}

/** A gauge with its pieces. */
interface Family {
  readonly gauge: FeatureGauge;
  /** Of its header; `undefined` before it is shown. */
  header: Piece | undefined;
  /** By range of rows. One that must be rendered again is `undefined`. */
  pieces: (Piece | undefined)[];
}

/** What the pieces show. */
interface Shown {
  readonly rows: readonly FeatureRow[];
  readonly owners: OwnerMapping;
  /** The first row that is not shown. */
  readonly limit: number;
}

const featureValues = labelsOf<(typeof featureLabels)[number], FeatureRow>(featureLabels);
const attributeValues = labelsOf<(typeof attributeLabels)[number], FeatureRow>(attributeLabels);

/** Whether a gauge has the same line for two rows of the same feature. */
const hasSameLine = (a: FeatureRow, b: FeatureRow, { value, extra }: FeatureGauge): boolean =>
  Object.is(value(a), value(b)) &&
  (extra !== 'attributes' || attributeValues(a).every((text, i) => text === attributeValues(b)[i]));

/** The labels of the rows of each range, which the blocks of a page share. */
export class RangeLabels {
  #ranges: ({ readonly rows: readonly FeatureRow[]; readonly labels: Rows } | undefined)[] = [];

  async of(rows: readonly FeatureRow[], range: number): Promise<Rows> {
    const from = range * PIECE_ROWS;
    const shown = rows.slice(from, from + PIECE_ROWS);
    const known = this.#ranges[range];
    const isSame = known?.rows.length === shown.length && shown.every((row, i) => row.key === known.rows[i]?.key);
    const labels = isSame ? known.labels : await runSliced(buildRowsInSlices(featureLabels, shown, featureValues));
    this.#ranges.length = Math.min(this.#ranges.length, Math.ceil(rows.length / PIECE_ROWS));
    this.#ranges[range] = { rows: shown, labels };
    return labels;
  }
}

/**
 * A part of the page with one line for each feature and gauge. The lines of a gauge for a range of rows are a piece: it is rendered and
 * deflated again only when one of them has changed.
 */
export class FeatureBlock {
  readonly #families: readonly Family[];
  readonly #writer = new TextWriter();
  readonly #labels: RangeLabels;
  #shown: Shown | undefined;

  constructor(gauges: readonly FeatureGauge[], labels: RangeLabels) {
    this.#labels = labels;
    this.#families = gauges.map((gauge) => ({ gauge, header: undefined, pieces: [] }));
  }

  /** @param budget maximum number of series: the first rows are shown, so that they are the same every time */
  async render(rows: readonly FeatureRow[], owners: OwnerMapping, budget: number): Promise<Block> {
    const limit = await runSliced(this.#rowsWithin(rows, budget));
    const before = this.#shown;
    // after a failure, everything is rendered again
    this.#shown = undefined;
    if (before === undefined) for (const family of this.#families) family.pieces = [];
    else await runSliced(this.#discardChanged({ rows, owners, limit }, before));
    for (let range = 0; range * PIECE_ROWS < limit; range += 1) await this.#renderRange({ rows, owners, limit }, range);
    this.#shown = { rows, owners, limit };
    return this.#block(limit < rows.length);
  }

  *#rowsWithin(rows: readonly FeatureRow[], budget: number): Generator<void, number> {
    if (this.#families.length * rows.length <= budget) return rows.length;
    let series = 0;
    for (const [at, row] of rows.entries()) {
      if (at % STEP === 0) yield;
      for (const { gauge } of this.#families) if (gauge.value(row) !== undefined) series += 1;
      if (series > budget) return at;
    }
    return rows.length;
  }

  /** Discards the pieces that are out of date. */
  *#discardChanged({ rows, owners, limit }: Shown, before: Shown): Generator<void> {
    const ranges = Math.ceil(limit / PIECE_ROWS);
    for (const family of this.#families) {
      family.pieces.length = Math.min(family.pieces.length, ranges);
      if (owners !== before.owners && family.gauge.extra !== 'none') family.pieces = [];
    }
    if (rows === before.rows && limit === before.limit) return;
    for (let range = 0; range < ranges; range += 1) {
      const end = (range + 1) * PIECE_ROWS;
      const isSameRange = Math.min(end, limit) === Math.min(end, before.limit);
      if (isSameRange && (yield* this.#discardInRange(range, rows, before.rows, Math.min(end, limit)))) continue;
      for (const { pieces } of this.#families) pieces[range] = undefined;
    }
  }

  /** @returns whether the rows of the range are those of the same features */
  *#discardInRange(range: number, rows: Shown['rows'], before: Shown['rows'], end: number): Generator<void, boolean> {
    let left = this.#families;
    for (let at = range * PIECE_ROWS; at < end; at += 1) {
      if (at % STEP === 0) yield;
      const [row, old] = [rows[at] as FeatureRow, before[at] as FeatureRow];
      if (row === old) continue;
      if (row.key !== old.key) return false;
      const stale = left.filter((family) => !hasSameLine(old, row, family.gauge));
      for (const family of stale) family.pieces[range] = undefined;
      if (stale.length > 0) left = left.filter((family) => !stale.includes(family));
    }
    return true;
  }

  /** Renders the pieces of a range that are out of date. */
  async #renderRange({ rows, owners, limit }: Shown, range: number): Promise<void> {
    const stale = this.#families.filter(({ pieces }) => pieces[range] === undefined);
    if (stale.length === 0) return;
    const from = range * PIECE_ROWS;
    const shown = rows.slice(from, Math.min(from + PIECE_ROWS, limit));
    const labels = await this.#labels.of(rows, range);
    for (const family of stale) {
      const own = await this.#labelsOf(family.gauge, shown, owners);
      const samples = await inTurn(() => this.#write(family.gauge, shown, own ?? labels));
      family.pieces[range] = { ...(await deflateText(this.#writer.text)), samples };
      family.header ??= await this.#header(family.gauge.name);
    }
  }

  /** The labels of an info metric. */
  async #labelsOf({ extra }: FeatureGauge, rows: Shown['rows'], owners: OwnerMapping): Promise<Rows | undefined> {
    if (extra === 'none') return undefined;
    const attributes = extra === 'attributes' ? attributeLabels : [];
    // the versions of a feature follow each other
    let last: { readonly row: FeatureRow; readonly values: readonly string[] } | undefined;
    const ownerValues = (row: FeatureRow): readonly string[] => {
      if (last?.row.vendorLicense !== row.vendorLicense || last.row.feature !== row.feature) {
        const own = owners.of(row.vendorLicense, row.feature);
        last = { row, values: owners.names.map((name) => own[name] ?? '') };
      }
      return last.values;
    };
    return runSliced(
      buildRowsInSlices([...featureLabels, ...attributes, ...owners.names], rows, (row) => [
        ...featureValues(row),
        ...(extra === 'attributes' ? attributeValues(row) : []),
        ...ownerValues(row),
      ]),
    );
  }

  async #header(name: MetricName): Promise<Piece> {
    this.#writer.clear();
    this.#writer.header({ name, ...catalogue[name] });
    return { ...(await deflateText(this.#writer.text)), samples: 0 };
  }

  /** Writes a piece. @returns the number of samples */
  #write({ name, value }: FeatureGauge, rows: Shown['rows'], labels: Rows): number {
    const writer = this.#writer;
    writer.clear();
    const prefix = Buffer.from(name);
    let samples = 0;
    for (let i = 0; i < rows.length; i += 1) {
      const sample = value(rows[i] as FeatureRow);
      if (sample === undefined) continue;
      writer.line(prefix, labels, i, sample);
      samples += 1;
    }
    return samples;
  }

  #block(isLimited: boolean): Block {
    const seriesOf = new Map<string, number>();
    const shown = this.#families.flatMap(({ gauge, header, pieces }) => {
      const samples = pieces.filter((piece) => piece !== undefined && piece.samples > 0) as Piece[];
      if (header === undefined || samples.length === 0) return [];
      seriesOf.set(
        gauge.name,
        samples.reduce((sum, piece) => sum + piece.samples, 0),
      );
      return [header, ...samples];
    });
    const series = shown.reduce((sum, { samples }) => sum + samples, 0);
    return { ...combineChecksums(shown), pieces: shown, series, seriesOf, isLimited };
  }
}
