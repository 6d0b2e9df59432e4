import type { EfficiencyHistory, ReservedHistory, TrendSeries } from '../../../base/model/history.ts';
import { type ByDay, reservedByDay, trendByDay } from '../../../base/model/history.ts';
import { dateText, type LocalTime } from '../../../base/model/local-time.ts';
import { createPattern } from '../../../base/model/wildcard.ts';
import type { DayColumns, Demand, SeriesName } from '../method/demand.ts';
import { type DemandSource, type ListedSeries, NothingKnown, type SeriesList } from './demand-source.ts';
import { type KnownFeature, type KnownFeatures, keyOf } from './known-features.ts';

// types, not interfaces: the client's parameters are maps
type Names = Readonly<Record<'product' | 'feature' | 'package', string>>;
type FeatureType = 'feature' | 'package' | 'component';
type TrendParameters = Names & { readonly ftype: FeatureType };
type WindowParameters = Names & {
  readonly type: FeatureType;
  readonly year: string;
  readonly month: string;
  readonly last: '465';
};

/** The requests that history of an analyzer outside this process needs. */
export interface HistoryClient {
  getHistory(parameters: TrendParameters, signal: AbortSignal): Promise<readonly TrendSeries[]>;
  getHistoryReserved(parameters: TrendParameters, signal: AbortSignal): Promise<ReservedHistory>;
  getEfficiency(parameters: WindowParameters, signal: AbortSignal): Promise<EfficiencyHistory>;
}

/** How the history of an analyzer is asked for, and with which calendar it is read. */
export interface AskedSourceOptions {
  readonly client: HistoryClient;
  /** The calendar of the analyzer. */
  readonly localTime: LocalTime;
  /** Requests that are sent at once. */
  readonly concurrency: number;
  /** Features whose history is requested. */
  readonly maxFeatures: number;
}

/** What GetHistory, GetHistoryReserved and GetEfficiency answer about a series. */
export interface AskedHistory {
  readonly trend: readonly TrendSeries[];
  readonly reserved: ReservedHistory;
  /** Over the last 365 days. */
  readonly efficiency: EfficiencyHistory;
}

/** No curve is longer: more licenses than this are not counted. */
const MAX_LICENSES = 100_000;

const none = new Float64Array();

function columnsOf({ trend, reserved }: AskedHistory, localTime: LocalTime, today: number): DayColumns {
  const available = trendByDay(trend, 'Max Available', localTime);
  const denials = trendByDay(trend, 'Denials', localTime);
  const inUse = reservedByDay(reserved, 'Max In Use');
  const reservations = reservedByDay(reserved, 'Reserved Licenses');
  const days = new Set([...available.keys(), ...denials.keys(), ...inUse.keys(), ...reservations.keys()]);
  // today is not over
  const day = Int32Array.from([...days].filter((one) => one < today).sort((a, b) => a - b));
  const column = (values: ByDay): Float64Array => Float64Array.from(day, (one) => values.get(one) ?? Number.NaN);
  return {
    day,
    available: column(available),
    inUse: column(inUse),
    reserved: column(reservations),
    denials: column(denials),
  };
}

/** Item `n`: hours with at least `n` licenses in use, for `n` ≥ 1. Empty if the chart is. */
function curveOf({ series: [first] }: EfficiencyHistory): Float64Array {
  const points: [licenses: number, hours: number][] = [];
  for (const [i, category] of (first?.categories ?? []).entries()) {
    const [licenses, hours] = [Number(category), first?.values[i] ?? Number.NaN];
    if (Number.isInteger(licenses) && licenses >= 1 && licenses <= MAX_LICENSES && !Number.isNaN(hours)) {
      points.push([licenses, hours]);
    }
  }
  if (points.length === 0) return none;
  const curve = new Float64Array(points.reduce((most, [licenses]) => Math.max(most, licenses), 0) + 1);
  for (const [licenses, hours] of points) curve[licenses] = Math.max(curve[licenses] ?? 0, hours);
  // a number that is left out was exceeded as long as the next one
  for (let n = curve.length - 2; n >= 1; n -= 1) curve[n] = Math.max(curve[n] ?? 0, curve[n + 1] ?? 0);
  // hours without use are not part of the chart
  curve[0] = Number.NaN;
  return curve;
}

/** The demand of a series, without today. */
export function demandOf(series: SeriesName, history: AskedHistory, localTime: LocalTime, today: number): Demand {
  const hoursAtLeast = curveOf(history.efficiency);
  return { series, days: columnsOf(history, localTime, today), detail: { kind: 'curve', hoursAtLeast } };
}

const WILDCARD = '%';

/** What the analyzer would add up, as it cannot be asked for a feature alone. */
class KnownNames {
  readonly #known: KnownFeatures;
  readonly #features = new Map<string, Set<string>>();
  /** Packages by vendor license, feature and type. */
  readonly #packages = new Map<string, Set<string>>();

  constructor(known: KnownFeatures) {
    this.#known = known;
    for (const { series } of known.features.values()) {
      add(this.#features, series.vendorLicense, series.feature);
      add(this.#packages, keyOf({ ...series, package: '' }), series.package);
    }
  }

  /** Why a feature cannot be requested alone, as the end of a sentence. */
  exclusionOf(series: SeriesName): string | undefined {
    const spellings = this.#known.spellings.get(series.vendorLicense) ?? [];
    if (spellings.length > 1) return 'is listed for several parts of the vendor license';
    const [product = series.vendorLicense] = spellings;
    const products = [...this.#known.spellings.values()].flat();
    const features = this.#features.get(series.vendorLicense) ?? [];
    if (matchesAnother(product, products) || matchesAnother(series.feature, features)) {
      return 'cannot be requested alone: its name has a %, and also matches another one';
    }
    const packages = this.#packages.get(keyOf({ ...series, package: '' }));
    const isSum = series.package === '' && (packages?.size ?? 0) > 1;
    return isSum || matchesAnother(series.package, packages ?? [])
      ? 'cannot be requested alone: it is also listed in a package'
      : undefined;
  }
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function matchesAnother(name: string, names: Iterable<string>): boolean {
  if (!name.includes(WILDCARD)) return false;
  const matches = createPattern(name, { ignoreCase: false });
  for (const other of names) if (other !== name && matches(other)) return true;
  return false;
}

const isType = (type: string): type is FeatureType => ['feature', 'package', 'component'].includes(type);

/** Requests what an analyzer outside this process has recorded: three requests for each feature. */
export function createAskedSource({ client, localTime, concurrency, maxFeatures }: AskedSourceOptions): DemandSource {
  /** The names of vendor licenses in the analyzer. */
  let products: KnownFeatures['spellings'] = new Map();

  const exclusionOf = (names: KnownNames, { series, exclusion }: KnownFeature): string | undefined => {
    if (exclusion !== undefined) return exclusion;
    return isType(series.featureType) ? names.exclusionOf(series) : 'has a type that cannot be requested';
  };

  return {
    localTime,
    concurrency,
    readsPast: false,
    readsAll: false,
    ready: async () => undefined,
    waitsFor: () => undefined,
    isComplete: () => true,
    intervalOf: () => undefined,
    list: (known): SeriesList => {
      if (known.features.size === 0) {
        throw new NothingKnown('the analyzer has not reported any features yet; check that it can be polled');
      }
      products = known.spellings;
      const names = new KnownNames(known);
      const items: ListedSeries[] = [];
      let asked = 0;
      for (const feature of known.features.values()) {
        const exclusion = exclusionOf(names, feature);
        if (exclusion === undefined) asked += 1;
        if (exclusion === undefined && asked > maxFeatures) continue;
        items.push({ series: feature.series, exclusion });
      }
      return { items, leftOut: Math.max(0, asked - maxFeatures) };
    },
    read: async (series, today, signal) => {
      const { feature, package: packageName, featureType } = series;
      if (!isType(featureType)) throw new Error(`the type ${JSON.stringify(featureType)} cannot be requested`);
      const [product = series.vendorLicense] = products.get(series.vendorLicense) ?? [];
      const [year = '', month = ''] = dateText(today).split('-');
      const names = { product, feature, package: packageName };
      const trend = await client.getHistory({ ...names, ftype: featureType }, signal);
      const reserved = await client.getHistoryReserved({ ...names, ftype: featureType }, signal);
      const window = { year, month: String(Number(month)), last: '465', type: featureType } as const;
      const efficiency = await client.getEfficiency({ ...names, ...window }, signal);
      return demandOf(series, { trend, reserved, efficiency }, localTime, today);
    },
  };
}
