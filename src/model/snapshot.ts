import type { Failure } from './failure.ts';
import type { TrendSeries } from './history.ts';
import type { Answer, ExpirationRecord, FeatureRecord, ProductRecord, ServerDownRecord } from './records.ts';

/** The endpoints that are polled, and what one part of each answers. */
export interface PolledAnswers {
  GetProducts: Answer<ProductRecord>;
  GetServerDown: Answer<ServerDownRecord>;
  /** `undefined` when the analyzer says that it is not known. */
  GetConcurrentUsers: number | undefined;
  GetFeatures: Answer<FeatureRecord>;
  GetExpirationFeatures: Answer<ExpirationRecord>;
  GetHistory: readonly TrendSeries[];
}
export type PolledEndpoint = keyof PolledAnswers;

/** The part of an endpoint that is asked as a whole. Every other key is a vendor license as the API spells it. */
export const WHOLE = '';

/** Which history a part of GetHistory covers; its part key is `historyPart(question)`. */
export interface HistoryQuestion {
  /** Vendor license as the API spells it. */
  readonly product: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
}

/** The key of a GetHistory part. JSON, so that no name can be mistaken for a separator. */
export function historyPart({ product, feature, package: pkg, featureType }: HistoryQuestion): string {
  return JSON.stringify([product, feature, pkg, featureType]);
}

/** The question behind a GetHistory part key. */
export function historyQuestion(part: string): HistoryQuestion {
  const [product, feature, pkg, featureType] = JSON.parse(part) as [string, string, string, string];
  return { product, feature, package: pkg, featureType };
}

/** A good value and when it was read (epoch seconds). */
export interface Good<T> {
  readonly at: number;
  readonly value: T;
}

/** The newest outcome of asking one part: `at` is when it ended (epoch seconds), `seconds` how long it took. */
export type Reading<T> = { readonly at: number; readonly seconds: number } & (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure; readonly last?: Good<T> }
);

/** All that is known of one endpoint. */
export interface EndpointState<T> {
  /** Longest gap between scheduled polls, seconds. */
  readonly interval: number;
  /** Data older than this is not shown, seconds. */
  readonly maxAge: number;
  /** The last poll that ended: when (epoch seconds) and how long it took (seconds). */
  readonly lastAttempt?: { readonly at: number; readonly seconds: number };
  /** When a poll last ended with every part good, epoch seconds. */
  readonly lastSuccess?: number;
  /** Whether the analyzer does not have the endpoint, by its own answers. Data from before stays until it is too old. */
  readonly isAbsent?: true;
  /** What is polled: `WHOLE`, vendor licenses, or history parts. Empty before the first attempt. */
  readonly parts: ReadonlyMap<string, Reading<T>>;
}

/**
 * Everything the exporter knows, immutable and swapped whole. An endpoint that is not polled (by a shard, or because a
 * good GetProducts lists nothing to ask for) is absent.
 */
export interface Snapshot {
  /** When it was committed, epoch seconds. */
  readonly at: number;
  readonly endpoints: { readonly [E in PolledEndpoint]?: EndpointState<PolledAnswers[E]> };
  /** Endpoints that the configuration switches off: nothing is known of what they would answer. */
  readonly off?: readonly PolledEndpoint[];
}

/** Whether something is to be expected of an endpoint: it is neither switched off nor missing on the analyzer. */
export function isExpected({ endpoints, off = [] }: Snapshot, endpoint: PolledEndpoint): boolean {
  return !off.includes(endpoint) && endpoints[endpoint]?.isAbsent !== true;
}

/** The last good value of a reading, whether its newest outcome was good or not. */
export function lastGood<T>(reading: Reading<T> | undefined): Good<T> | undefined {
  if (reading === undefined) return undefined;
  return reading.ok ? { at: reading.at, value: reading.value } : reading.last;
}

/** The last good value unless it is older than `maxAge`: what may still be shown. */
export function freshGood<T>(state: EndpointState<T>, part: string, now: number): Good<T> | undefined {
  const good = lastGood(state.parts.get(part));
  return good !== undefined && now - good.at <= state.maxAge ? good : undefined;
}
