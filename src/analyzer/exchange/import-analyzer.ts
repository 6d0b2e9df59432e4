import { setTimeout } from 'node:timers/promises';
import type { ReservedHistory, TrendSeries } from '../../base/model/history.ts';
import { reservedByDay, trendByDay } from '../../base/model/history.ts';
import type { LocalTime } from '../../base/model/local-time.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import { createPattern } from '../../base/model/wildcard.ts';
import type { DayOfSamples, Sample, Series } from '../history/sample.ts';

type FeatureType = 'feature' | 'package' | 'component';
// a type, not an interface: the parameters of the client are maps
type HistoryParameters = Readonly<Record<'product' | 'feature' | 'package', string>> & { readonly ftype: FeatureType };

/** A feature as another analyzer lists it. */
interface ListedFeature {
  readonly serverName: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
}

/** The requests that the history of another analyzer needs. */
export interface AnalyzerClient {
  getProducts(
    parameters: object,
    signal: AbortSignal,
  ): Promise<{ readonly records: readonly { readonly product: string }[] }>;
  getFeatures(
    parameters: { readonly product: string },
    signal: AbortSignal,
  ): Promise<{ readonly records: readonly ListedFeature[] }>;
  getHistory(parameters: HistoryParameters, signal: AbortSignal): Promise<readonly TrendSeries[]>;
  getHistoryReserved(parameters: HistoryParameters, signal: AbortSignal): Promise<ReservedHistory>;
}

/** The analyzer, and where its days go. */
export interface AnalyzerImportOptions {
  readonly client: AnalyzerClient;
  /** Before the names of its vendor licenses here. */
  readonly prefix: string;
  /** The calendar of both. */
  readonly localTime: LocalTime;
  /** Days from here on are not over. */
  readonly today: number;
  readonly write: (days: readonly DayOfSamples[]) => void;
  readonly onProgress: (feature: string, read: number, all: number) => void;
}

/** What was found. */
export interface AnalyzerImport {
  readonly features: number;
  /** Features that cannot be requested alone. */
  readonly ambiguous: readonly string[];
}

const HOUR = 3600;
/** Between two requests: the slowest hundredth of the answers to other clients then does not notice them. */
const PAUSE_MS = 200;
const isType = (type: string): type is FeatureType => ['feature', 'package', 'component'].includes(type);

interface Wanted {
  /** As the other analyzer calls it. */
  readonly product: string;
  readonly feature: ListedFeature;
}

/** The features of all vendor licenses, one by one: some analyzers do not answer for all at once. */
async function listFeatures(client: AnalyzerClient, signal: AbortSignal): Promise<readonly Wanted[]> {
  const wanted: Wanted[] = [];
  for (const { product } of (await client.getProducts({}, signal)).records) {
    const seen = new Set<string>();
    for (const feature of (await client.getFeatures({ product }, signal)).records) {
      const key = JSON.stringify([feature.feature, feature.package, feature.featureType]);
      // history knows no versions
      if (seen.has(key)) continue;
      seen.add(key);
      wanted.push({ product, feature });
    }
  }
  return wanted;
}

/** Whether a question about one is also one about another: `%` stands for any text, and no package for all of them. */
function isAmbiguous({ product, feature }: Wanted, all: readonly Wanted[]): boolean {
  const matches = (pattern: string, value: string): boolean => createPattern(pattern, { ignoreCase: false })(value);
  const same = all.filter(
    (other) =>
      matches(product, other.product) &&
      matches(feature.feature, other.feature.feature) &&
      (feature.package === '' || matches(feature.package, other.feature.package)) &&
      feature.featureType === other.feature.featureType,
  );
  return same.length > 1;
}

const known = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value;

/** @throws OperatorError if the days of the other analyzer are not ours: sums of a day cannot be moved to another one */
function checkDays(trend: readonly TrendSeries[], localTime: LocalTime): void {
  const at = trend.flatMap((series) => [...series.at.subarray(-1)])[0];
  if (at === undefined || localTime.startOf(localTime.dayOf(at / 1000)) === at / 1000) return;
  throw new OperatorError(
    `the days of the other analyzer do not begin at midnight of ${localTime.timeZone}; import its history into an analyzer with the same embedded_analyzer.time_zone`,
  );
}

/** The sums of each day: what of them was when, the API does not tell. */
function daysOf(
  series: Series,
  trend: readonly TrendSeries[],
  reserved: ReservedHistory,
  { localTime, today }: Pick<AnalyzerImportOptions, 'localTime' | 'today'>,
): DayOfSamples[] {
  const available = trendByDay(trend, 'Max Available', localTime);
  const hours = trendByDay(trend, 'Elapsed Time', localTime);
  const denials = trendByDay(trend, 'Denials', localTime);
  const peak = reservedByDay(reserved, 'Max In Use');
  const users = reservedByDay(reserved, 'Distinct Users');
  const reservations = reservedByDay(reserved, 'Reserved Licenses');
  const days = new Set([available, hours, denials, peak, users, reservations].flatMap((one) => [...one.keys()]));
  return [...days]
    .filter((day) => day < today)
    .sort((a, b) => a - b)
    .flatMap((day) => {
      const elapsed = known(hours.get(day));
      const start = localTime.startOf(day);
      const sample: Sample = {
        at: start,
        seconds: localTime.startOf(day + 1) - start,
        available: known(available.get(day)),
        inUse: undefined,
        reserved: known(reservations.get(day)),
        users: known(users.get(day)),
        denials: known(denials.get(day)),
        whole: {
          peak: known(peak.get(day)),
          licenseSeconds: elapsed === undefined ? undefined : Math.round(elapsed * HOUR),
        },
      };
      const { at, seconds, whole, ...figures } = sample;
      const isKnown = [...Object.values(figures), ...Object.values(whole ?? {})].some((value) => value !== undefined);
      return isKnown ? [{ series, day, samples: [sample] }] : [];
    });
}

/**
 * Imports the days of another analyzer, with one request at a time: two for each feature.
 *
 * @throws QueryError
 * @throws OperatorError if its days are others
 */
export async function importAnalyzer(options: AnalyzerImportOptions, signal: AbortSignal): Promise<AnalyzerImport> {
  const { client, prefix, write, onProgress } = options;
  const all = await listFeatures(client, signal);
  const ambiguous: string[] = [];
  const ask = async <T>(request: () => Promise<T>): Promise<T> => {
    await setTimeout(PAUSE_MS);
    return request();
  };
  for (const [i, one] of all.entries()) {
    const { product, feature } = one;
    onProgress(feature.feature, i, all.length);
    if (!isType(feature.featureType) || isAmbiguous(one, all)) {
      ambiguous.push(feature.feature);
      continue;
    }
    const { package: packageName, featureType } = feature;
    const parameters = { product, feature: feature.feature, package: packageName, ftype: featureType };
    const trend = await ask(() => client.getHistory(parameters, signal));
    checkDays(trend, options.localTime);
    const reserved = await ask(() => client.getHistoryReserved(parameters, signal));
    const series = { vendorLicense: prefix + product, feature: feature.feature, package: packageName, featureType };
    write(daysOf(series, trend, reserved, options));
  }
  return { features: all.length - ambiguous.length, ambiguous };
}
