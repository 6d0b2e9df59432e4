import type { ExpirationRecord, FeatureRecord } from '../../base/model/records.ts';
import { WHOLE } from '../../base/model/snapshot.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import { createFeatureRow, type FeatureIdentity, type FeatureRow, identityOf } from './feature-row.ts';
import { mergeExpirations, mergeFeatures } from './merge.ts';
import type { Selection } from './selection.ts';
import { createSpelling, isSameArray } from './spelling.ts';

/** The records of a part that may be shown. */
export interface PartRecords<R> {
  /** `WHOLE`, or the vendor license that the records belong to. */
  readonly part: string;
  readonly records: readonly R[];
}

export interface FeatureSources {
  readonly features: readonly PartRecords<FeatureRecord>[];
  readonly expirations: readonly PartRecords<ExpirationRecord>[];
  /** The names in the last good GetProducts. */
  readonly products: readonly string[];
  /** Vendor licenses whose usage is withheld. */
  readonly withheld: ReadonlySet<string>;
  readonly selection: Selection;
}

/** The features, sorted by their labels. */
export interface Features {
  /** The same array as before if no row has changed. A row that has not changed is the same object. */
  readonly rows: readonly FeatureRow[];
  /** Number of records with the same labels as another record. */
  readonly mergedFeatures: number;
  readonly mergedExpirations: number;
}

type AnyRecord = FeatureRecord | ExpirationRecord;

/** The row of each record of a part, in their order; -1 for one that is not selected. */
type Places = Int32Array;

/** Which rows there are, and which record belongs to which. It stays while only figures change. */
interface Layout {
  readonly rows: readonly FeatureIdentity[];
  readonly features: readonly Places[];
  readonly expirations: readonly Places[];
}

/** Records worked on between two yields. */
const STEP = 256;
/** Rows merged between two yields. */
const MERGES = 16;

function hasSameLabels(a: AnyRecord, b: AnyRecord): boolean {
  return (
    a.feature === b.feature &&
    a.version === b.version &&
    a.package === b.package &&
    a.featureType === b.featureType &&
    (!('serverName' in a && 'serverName' in b) || (a.serverName === b.serverName && a.daemon === b.daemon))
  );
}

/** Whether the records of all parts have the rows of those before: the same number, with the same labels. */
function* haveSameRows(
  parts: readonly PartRecords<AnyRecord>[],
  before: readonly PartRecords<AnyRecord>[],
): Generator<void, boolean> {
  if (parts.length !== before.length) return false;
  for (const [p, { part, records }] of parts.entries()) {
    const old = before[p];
    if (old?.part !== part || old.records.length !== records.length) return false;
    if (old.records === records) continue;
    for (let i = 0; i < records.length; i += 1) {
      if (i % STEP === 0) yield;
      const [record, other] = [records[i] as AnyRecord, old.records[i] as AnyRecord];
      if (record !== other && !hasSameLabels(record, other)) return false;
    }
  }
  return true;
}

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((item) => b.has(item));

const hasSameParts = <R>(a: readonly PartRecords<R>[], b: readonly PartRecords<R>[]): boolean =>
  a.length === b.length && a.every(({ part, records }, i) => b[i]?.part === part && isSameArray(records, b[i].records));

const hasSameOwners = (a: FeatureSources, b: FeatureSources): boolean =>
  a.selection === b.selection && isSameArray(a.products, b.products);

const isSame = (a: FeatureSources, b: FeatureSources): boolean =>
  hasSameParts(a.features, b.features) &&
  hasSameParts(a.expirations, b.expirations) &&
  hasSameOwners(a, b) &&
  isSameSet(a.withheld, b.withheld);

/** Finds the rows of records. */
class RowCollector {
  readonly #selection: Selection;
  readonly #spell: (name: string) => string;
  readonly #owners = new Map<string, string | undefined>();
  readonly #byKey = new Map<string, number>();
  readonly rows: FeatureIdentity[] = [];
  /** The rows of each vendor license. */
  readonly byOwner = new Map<string, number[]>();

  constructor({ selection, products }: FeatureSources) {
    this.#selection = selection;
    this.#spell = createSpelling(products);
  }

  *places(parts: readonly PartRecords<AnyRecord>[]): Generator<void, Places[]> {
    const places: Places[] = [];
    for (const { part, records } of parts) {
      const found = new Int32Array(records.length);
      for (const [i, record] of records.entries()) {
        if (i % STEP === 0) yield;
        found[i] = this.#place(part, record);
      }
      places.push(found);
    }
    return places;
  }

  /** A record of an answer for all vendor licenses belongs to the one that it names, any other to that of its part. */
  #place(part: string, record: AnyRecord): number {
    const name = part === WHOLE && 'serverName' in record ? `${record.serverName};${record.daemon}` : part;
    if (!this.#owners.has(name)) this.#owners.set(name, this.#ownerOf(name));
    const vendorLicense = this.#owners.get(name);
    if (vendorLicense === undefined || !this.#selection.ownsFeature(record.feature)) return -1;
    const identity = identityOf(vendorLicense, record);
    const known = this.#byKey.get(identity.key);
    if (known !== undefined) return known;
    const row = this.rows.push(identity) - 1;
    this.#byKey.set(identity.key, row);
    const ofOwner = this.byOwner.get(vendorLicense);
    if (ofOwner === undefined) this.byOwner.set(vendorLicense, [row]);
    else ofOwner.push(row);
    return row;
  }

  #ownerOf(name: string): string | undefined {
    const vendorLicense = this.#spell(parseVendorLicense(name).vendorLicense);
    return this.#selection.ownsVendorLicense(vendorLicense) ? vendorLicense : undefined;
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface Collected {
  readonly collected: number;
  readonly row: FeatureIdentity;
}

const compareKeys = (a: Collected, b: Collected): number => compare(a.row.key, b.row.key);

/** Sorts by key, in small steps: pieces are sorted at once, and two at a time are merged. */
function* sortByKey(items: readonly Collected[]): Generator<void, readonly Collected[]> {
  yield;
  if (items.length <= STEP) return items.toSorted(compareKeys);
  const middle = items.length >> 1;
  const left = yield* sortByKey(items.slice(0, middle));
  const right = yield* sortByKey(items.slice(middle));
  const sorted: Collected[] = [];
  let [l, r] = [0, 0];
  while (sorted.length < items.length) {
    if (sorted.length % STEP === 0) yield;
    const [a, b] = [left[l], right[r]];
    const takesLeft = b === undefined || (a !== undefined && compareKeys(a, b) <= 0);
    sorted.push((takesLeft ? a : b) as Collected);
    if (takesLeft) l += 1;
    else r += 1;
  }
  return sorted;
}

/** The rows by vendor license, then by key. */
function* layOut(sources: FeatureSources): Generator<void, Layout> {
  const collector = new RowCollector(sources);
  const features = yield* collector.places(sources.features);
  const expirations = yield* collector.places(sources.expirations);
  const sorted = new Int32Array(collector.rows.length);
  const rows: FeatureIdentity[] = [];
  for (const [, ofOwner] of [...collector.byOwner].sort(([a], [b]) => compare(a, b))) {
    const found = ofOwner.map((collected) => ({ collected, row: collector.rows[collected] as FeatureIdentity }));
    for (const { collected, row } of yield* sortByKey(found)) {
      sorted[collected] = rows.push(row) - 1;
    }
  }
  for (const places of [...features, ...expirations]) {
    yield;
    for (const [i, row] of places.entries()) if (row !== -1) places[i] = sorted[row] as number;
  }
  return { rows, features, expirations };
}

/** Records of the same row, and the one that they are merged to. */
interface Merged<R> {
  readonly records: readonly R[];
  readonly record: R;
}

/** The records of each row; several of them are merged. */
class RecordsOfRows<R extends AnyRecord> {
  readonly #merge: (a: R, b: R) => R;
  /** By the first record. */
  #known = new Map<R, Merged<R>>();
  /** By row. */
  records: (R | undefined)[] = [];
  /** Number of records beyond the first of their row. */
  merged = 0;

  constructor(merge: (a: R, b: R) => R) {
    this.#merge = merge;
  }

  *read(parts: readonly PartRecords<R>[], places: readonly Places[], count: number): Generator<void> {
    this.records = new Array<R | undefined>(count).fill(undefined);
    this.merged = 0;
    const several = new Map<number, R[]>();
    for (const [p, { records }] of parts.entries()) {
      const rows = places[p] as Places;
      for (let i = 0; i < records.length; i += 1) {
        if (i % STEP === 0) yield;
        const row = rows[i] as number;
        if (row !== -1) this.#add(row, records[i] as R, several);
      }
    }
    const before = this.#known;
    this.#known = new Map();
    let done = 0;
    for (const [row, records] of several) {
      if (done % MERGES === 0) yield;
      done += 1;
      const first = records[0] as R;
      const known = before.get(first);
      // the same object, so that the row is the same one
      const merged =
        known !== undefined && isSameArray(known.records, records)
          ? known
          : { records, record: records.reduce(this.#merge) };
      this.#known.set(first, merged);
      this.records[row] = merged.record;
    }
  }

  #add(row: number, record: R, several: Map<number, R[]>): void {
    const first = this.records[row];
    if (first === undefined) {
      this.records[row] = record;
      return;
    }
    this.merged += 1;
    const records = several.get(row);
    if (records === undefined) several.set(row, [first, record]);
    else records.push(record);
  }
}

/** What the last rows were derived from. */
interface Derived {
  readonly sources: FeatureSources;
  readonly layout: Layout;
  readonly records: readonly (FeatureRecord | undefined)[];
  readonly expirations: readonly (ExpirationRecord | undefined)[];
  readonly features: Features;
}

/**
 * Derives the rows of features from their records, in small steps. The rows are found once; as long as records change only their
 * figures, which is the usual case, only the rows of the changed records are made again.
 */
export class FeatureDerivation {
  readonly #ofFeatures = new RecordsOfRows<FeatureRecord>(mergeFeatures);
  readonly #ofExpirations = new RecordsOfRows<ExpirationRecord>(mergeExpirations);
  #before: Derived | undefined;

  *derive(sources: FeatureSources): Generator<void, Features> {
    const before = this.#before;
    if (before !== undefined && isSame(before.sources, sources)) return before.features;
    // what is canceled within is not continued
    this.#before = undefined;
    const layout = yield* this.#layoutOf(sources, before);
    const count = layout.rows.length;
    yield* this.#ofFeatures.read(sources.features, layout.features, count);
    yield* this.#ofExpirations.read(sources.expirations, layout.expirations, count);
    const derived = {
      sources,
      layout,
      records: this.#ofFeatures.records,
      expirations: this.#ofExpirations.records,
    };
    const rows = yield* rowsOf(derived, before);
    const features = {
      rows: before !== undefined && isSameArray(rows, before.features.rows) ? before.features.rows : rows,
      mergedFeatures: this.#ofFeatures.merged,
      mergedExpirations: this.#ofExpirations.merged,
    };
    this.#before = { ...derived, features };
    return features;
  }

  *#layoutOf(sources: FeatureSources, before: Derived | undefined): Generator<void, Layout> {
    const isKept =
      before !== undefined &&
      hasSameOwners(sources, before.sources) &&
      (yield* haveSameRows(sources.features, before.sources.features)) &&
      (yield* haveSameRows(sources.expirations, before.sources.expirations));
    return isKept ? before.layout : yield* layOut(sources);
  }
}

function* placesOf({ rows }: Layout): Generator<void, ReadonlyMap<string, number>> {
  const places = new Map<string, number>();
  for (const [row, { key }] of rows.entries()) {
    if (row % STEP === 0) yield;
    places.set(key, row);
  }
  return places;
}

/** The rows. One that shows the same as before is the same object. */
function* rowsOf(
  { sources: { withheld }, layout, records, expirations }: Omit<Derived, 'features'>,
  before: Derived | undefined,
): Generator<void, readonly FeatureRow[]> {
  const oldPlaces = before === undefined || before.layout === layout ? undefined : yield* placesOf(before.layout);
  const rows: FeatureRow[] = new Array<FeatureRow>(layout.rows.length);
  for (let row = 0; row < rows.length; row += 1) {
    if (row % STEP === 0) yield;
    const labels = layout.rows[row] as FeatureIdentity;
    const record = records[row];
    const expiration = expirations[row];
    const isWithheld = withheld.has(labels.vendorLicense);
    const old = oldPlaces === undefined ? row : (oldPlaces.get(labels.key) ?? -1);
    const known = before?.features.rows[old];
    const isKept =
      known?.isWithheld === isWithheld && before?.records[old] === record && before?.expirations[old] === expiration;
    rows[row] = isKept ? known : createFeatureRow({ labels, record, expiration, isWithheld });
  }
  return rows;
}
