import { csvParts } from '../../base/model/csv-text.ts';
import type { LocalTime } from '../../base/model/local-time.ts';
import { isUncountedFigure } from '../../base/model/uncounted.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import { segmentsOf } from '../history/day-summary.ts';
import type { StoredSeries } from '../history/series-table.ts';
import type { Store } from '../history/store.ts';

/** History as text, for other programs. */

/** The history, and which part of it. */
export interface ExportOptions {
  readonly store: Store;
  readonly localTime: LocalTime;
  /** In the order in which they are written. */
  readonly series: readonly StoredSeries[];
  /** The first day, and the day after the last. */
  readonly from: number;
  readonly until: number;
}

/** Seconds after which Prometheus takes a sample for stale, and a new one is needed. */
const LOOKBACK = 300;
const HOUR = 3600;

/** A moment of a series; what is not known is undefined. */
interface Moment {
  readonly at: number;
  readonly available: number | undefined;
  readonly inUse: number | undefined;
  /** In use at most until the next moment, if that is more, or all that is known. */
  readonly peak: number | undefined;
  readonly reserved: number | undefined;
  readonly users: number | undefined;
  /** Refused requests since the moment before. */
  readonly denials: number | undefined;
}

/**
 * The moments of a series at which something is known, no more than five minutes apart while it is. Where only hours are left,
 * the levels of an hour come in falling order.
 */
function* momentsOf({ store, localTime, from, until }: ExportOptions, series: StoredSeries): Generator<Moment, void> {
  for (let day = from; day < until; day += 1) {
    const record = store.read(series, day);
    if (record === undefined) continue;
    const end = localTime.startOf(day + 1);
    for (const { from: begin, to, whole, ...figures } of segmentsOf(record, localTime.hoursOf(day), end)) {
      const { inUse = -1, denials } = figures;
      // of a longer time nobody knows when the peak was
      const peak = (whole?.peak ?? -1) > inUse && to - begin <= HOUR ? whole?.peak : undefined;
      yield { ...figures, peak, at: begin };
      for (let at = begin + LOOKBACK; at < to; at += LOOKBACK)
        yield { ...figures, peak: undefined, denials: denials && 0, at };
    }
  }
}

type Figure = Exclude<keyof Moment, 'at' | 'peak'>;

/** The metrics of `/metrics` that history has. */
const families: readonly {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly figure: Figure;
}[] = [
  { name: 'license_feature_in_use', type: 'gauge', help: 'Licenses in use.', figure: 'inUse' },
  {
    name: 'license_feature_max_available',
    type: 'gauge',
    help: 'Licenses available at most, absent for uncounted features.',
    figure: 'available',
  },
  { name: 'license_feature_distinct_users', type: 'gauge', help: 'Distinct users.', figure: 'users' },
  {
    name: 'license_feature_denials',
    type: 'counter',
    help: 'Requests for licenses that were denied since the beginning of the export.',
    figure: 'denials',
  },
];

/** Characters that are given at once. */
const CHUNK = 1 << 16;

interface Standing {
  readonly at: number;
  readonly value: number;
  readonly peak: number | undefined;
}

/**
 * A sample as Prometheus needs it. It shows one for five minutes, with the last moment of them or without, by its version: the last
 * one before a gap is a millisecond early, so that the gap begins where it is. A peak has no time of its own: it is shown for a
 * second behind its sample, or for a millisecond before the last one.
 */
function* shown(
  { at, value, peak }: Standing,
  isBeforeGap: boolean,
): Generator<readonly [at: string, value: number], void> {
  if (isBeforeGap) {
    if (peak !== undefined) yield [(at - 0.002).toFixed(3), peak];
    yield [(at - 0.001).toFixed(3), value];
    return;
  }
  yield [String(at), value];
  if (peak === undefined) return;
  yield [String(at + 1), peak];
  yield [String(at + 2), value];
}

/** Shown for a second before the next moment: of a part of a slot only the peak can be known. */
const shownAlone = (peak: number, next: number): readonly [at: string, value: number] => [
  (next - 1.002).toFixed(3),
  peak,
];

/** The samples of a metric. */
function* samplesOf(
  options: ExportOptions,
  series: StoredSeries,
  figure: Figure,
): Generator<readonly [at: string, value: number], void> {
  const isCounter = figure === 'denials';
  let total = 0;
  let last: Standing | undefined;
  let before: Moment | undefined;
  for (const moment of momentsOf(options, series)) {
    const value = moment[figure];
    const peak = figure === 'inUse' ? moment.peak : undefined;
    const alone = before?.inUse === undefined && figure === 'inUse' ? before?.peak : undefined;
    const isNext = before !== undefined && moment.at - before.at <= LOOKBACK;
    before = moment;
    if (value === undefined || (figure === 'available' && isUncountedFigure(value))) continue;
    if (last !== undefined) yield* shown(last, moment.at - last.at > LOOKBACK);
    if (alone !== undefined && isNext) yield shownAlone(alone, moment.at);
    total += value;
    last = { at: moment.at, value: isCounter ? total : value, peak };
  }
  if (last !== undefined) yield* shown(last, true);
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** Two vendor licenses can have the same name in metrics; then they keep their own. */
function vendorLicenseNames(series: readonly StoredSeries[]): ReadonlyMap<string, string> {
  const names = [...new Set(series.map(({ vendorLicense }) => vendorLicense))];
  const byName = Map.groupBy(names, (name) => parseVendorLicense(name).vendorLicense);
  return new Map(
    [...byName].flatMap(([short, own]) => own.map((name) => [name, own.length === 1 ? short : name] as const)),
  );
}

/** OpenMetrics text with time stamps, one metric after the other and one series after the other, as promtool needs it. */
export function* openMetricsText(options: ExportOptions): Generator<string, void> {
  const names = vendorLicenseNames(options.series);
  for (const { name, type, help, figure } of families) {
    yield `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    const sample = type === 'counter' ? `${name}_total` : name;
    for (const series of options.series) {
      const { vendorLicense, feature, package: packageName, featureType } = series;
      const labels = Object.entries({
        vendor_license: names.get(vendorLicense) ?? vendorLicense,
        feature,
        package: packageName,
        feature_type: featureType,
      })
        .filter(([, value]) => value !== '')
        .map(([label, value]) => `${label}="${escaped(value)}"`)
        .join(',');
      let text = '';
      for (const [at, value] of samplesOf(options, series, figure)) {
        text += `${sample}{${labels}} ${value} ${at}\n`;
        if (text.length > CHUNK) {
          yield text;
          text = '';
        }
      }
      yield text;
    }
  }
  yield '# EOF\n';
}

/** What each line of CSV has; spreadsheets and scripts find figures by these names. */
const csvColumns = [
  'time',
  'vendor_license',
  'feature',
  'package',
  'feature_type',
  'in_use',
  'available',
  'reserved',
  'users',
  'denials',
  'peak',
] as const;

/** CSV with a line for each moment. Times are those of UTC. What is not known is an empty cell. */
export function csvText(options: ExportOptions): Generator<string> {
  function* rows(): Generator<readonly (string | number | null)[], void> {
    for (const series of options.series) {
      const { vendorLicense, feature, package: packageName, featureType } = series;
      for (const { at, inUse, available, reserved, users, denials, peak = inUse } of momentsOf(options, series)) {
        const time = new Date(at * 1000).toISOString().replace('.000', '');
        const figures = [inUse, available, reserved, users, denials, peak].map((one) => one ?? null);
        yield [time, vendorLicense, feature, packageName, featureType, ...figures];
      }
    }
  }
  return csvParts(csvColumns, rows());
}
