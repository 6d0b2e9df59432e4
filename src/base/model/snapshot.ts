import type { Failure } from './failure.ts';
import type { TrendSeries } from './history.ts';
import type { Answer, ExpirationRecord, FeatureRecord, ProductRecord, ServerDownRecord } from './records.ts';

/** How long a vendor license is kept that an incomplete list lacks, and that no other endpoint names, seconds. */
export const KEEP_NOT_LISTED = 86_400;

/** An answer of GetProducts. What a list with unusable records lacks is not known to be gone. */
export interface ProductsAnswer extends Answer<ProductRecord> {
  /** When the first of the successive answers with unusable records came, epoch seconds. */
  readonly incompleteSince?: number;
  /** The names that earlier answers listed, and when they were missed first, epoch seconds. */
  readonly notListed?: readonly { readonly product: string; readonly since: number }[];
  /** How far the clock of the analyzer was ahead of ours when it answered, seconds. Its collection times are in its clock. */
  readonly clockAhead?: number;
}

/** An answer of features. Of a vendor license with unusable records, what the list lacks is not known to be gone. */
export interface FeaturesAnswer<R extends FeatureRecord | ExpirationRecord> extends Answer<R> {
  /**
   * When the first of the successive answers with unusable records came, epoch seconds, by vendor license in lower case; `WHOLE`
   * if a record does not say of which it is.
   */
  readonly incompleteSince?: ReadonlyMap<string, number>;
  /** What earlier answers listed, with its texts and without its figures, and when it was missed first, epoch seconds. */
  readonly notListed?: readonly { readonly record: R; readonly since: number }[];
}

/** The names of vendor licenses in the last good GetProducts, and those that it may lack, as the API spells them. */
export function productNames(snapshot: Snapshot): readonly string[] | undefined {
  const products = lastGood(snapshot.endpoints.GetProducts?.parts.get(WHOLE))?.value;
  return products && [...products.records, ...(products.notListed ?? [])].map(({ product }) => product);
}

/** The polled endpoints, with the type of the answer to one part. */
export interface PolledAnswers {
  GetProducts: ProductsAnswer;
  GetServerDown: Answer<ServerDownRecord>;
  /** `undefined` if the analyzer reports it as not known. */
  GetConcurrentUsers: number | undefined;
  GetFeatures: FeaturesAnswer<FeatureRecord>;
  GetExpirationFeatures: FeaturesAnswer<ExpirationRecord>;
  GetHistory: readonly TrendSeries[];
}
export type PolledEndpoint = keyof PolledAnswers;

/** The part of an endpoint that is requested as a whole. Any other key is a vendor license as spelled by the API. */
export const WHOLE = '';

/** Which history a part of GetHistory covers. Its part key is `historyPart(question)`. */
export interface HistoryQuestion {
  /** Vendor license as spelled by the API. */
  readonly product: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
}

/** The key of a GetHistory part. It is JSON, so that names can contain any separator. */
export function historyPart({ product, feature, package: pkg, featureType }: HistoryQuestion): string {
  return JSON.stringify([product, feature, pkg, featureType]);
}

/** The question of a GetHistory part key. */
export function historyQuestion(part: string): HistoryQuestion {
  const [product, feature, pkg, featureType] = JSON.parse(part) as [string, string, string, string];
  return { product, feature, package: pkg, featureType };
}

/** A good value and when it was read (epoch seconds). */
export interface Good<T> {
  readonly at: number;
  readonly value: T;
}

/** The newest outcome of polling one part: `at` is when it ended (epoch seconds), `seconds` its duration. */
export type Reading<T> = { readonly at: number; readonly seconds: number } & (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure; readonly last?: Good<T> }
);

export interface EndpointState<T> {
  /** Longest gap between scheduled polls, seconds. */
  readonly interval: number;
  /** Data older than this is not shown, seconds. */
  readonly maxAge: number;
  /** The last poll that ended: its end (epoch seconds) and its duration (seconds). */
  readonly lastAttempt?: { readonly at: number; readonly seconds: number };
  /** When a poll last ended with every part good, epoch seconds. */
  readonly lastSuccess?: number;
  /** Whether the analyzer, by its own answers, lacks the endpoint. Earlier data stays until it is too old. */
  readonly isAbsent?: true;
  /** The polled parts: `WHOLE`, vendor licenses, or history parts. Empty before the first attempt. */
  readonly parts: ReadonlyMap<string, Reading<T>>;
}

/**
 * Everything the exporter knows. It is immutable and replaced as a whole. It has no state for an endpoint that is not
 * polled: by another shard, or because a good GetProducts lists nothing to request.
 */
export interface Snapshot {
  /** When it was committed, epoch seconds. */
  readonly at: number;
  readonly endpoints: { readonly [E in PolledEndpoint]?: EndpointState<PolledAnswers[E]> };
  /** Endpoints that are off in the configuration. Nothing is known about their data. */
  readonly off?: readonly PolledEndpoint[];
}

/** What is left when it is not known how old the answers are: which endpoints the analyzer lacks. @param at epoch seconds */
export function withoutAnswers({ endpoints, off }: Snapshot, at: number): Snapshot {
  const absent = Object.entries(endpoints)
    .filter(([, { isAbsent }]) => isAbsent === true)
    .map(([name, { interval, maxAge }]) => [name, { interval, maxAge, isAbsent: true, parts: new Map() }]);
  return { at, endpoints: Object.fromEntries(absent), ...(off !== undefined && { off }) };
}

/** Whether data is expected of an endpoint: it is neither off nor absent. */
export function isExpected({ endpoints, off = [] }: Snapshot, endpoint: PolledEndpoint): boolean {
  return !off.includes(endpoint) && endpoints[endpoint]?.isAbsent !== true;
}

/** The last good value of a reading, even if its newest outcome is a failure. */
export function lastGood<T>(reading: Reading<T> | undefined): Good<T> | undefined {
  if (reading === undefined) return undefined;
  return reading.ok ? { at: reading.at, value: reading.value } : reading.last;
}

/** The last good value that can still be shown: it is not older than `maxAge`. */
export function freshGood<T>(state: EndpointState<T>, part: string, now: number): Good<T> | undefined {
  const good = lastGood(state.parts.get(part));
  return good !== undefined && now - good.at <= state.maxAge ? good : undefined;
}
