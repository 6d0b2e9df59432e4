import { CONTRADICTION, type Failure } from '../../base/model/failure.ts';
import type { FeatureRecord } from '../../base/model/records.ts';
import {
  type EndpointState,
  type FeaturesAnswer,
  freshGood,
  isExpected,
  KEEP_NOT_LISTED,
  lastGood,
  type PolledEndpoint,
  type ProductsAnswer,
  type Snapshot,
  WHOLE,
} from '../../base/model/snapshot.ts';
import { canonical, parseVendorLicense } from '../../base/model/vendor-license.ts';
import { type FieldEndpoint, fieldEndpoints, recordFields } from '../../base/query-api/records.ts';
import type { FieldStates } from './field-states.ts';

/** Which data of a snapshot is known now, and why the rest is not. */

/** The endpoints whose answers are lists of what exists. */
type ListEndpoint = 'GetProducts' | 'GetFeatures' | 'GetExpirationFeatures';

/** Whether a list may lack something of a vendor license: it has unusable records, and has not had them for a day. */
type Incompleteness = (endpoint: ListEndpoint, vendorLicense: string) => boolean;

const isRecent = (since: number | undefined, now: number): boolean => now - (since ?? now) < KEEP_NOT_LISTED;

const ofProducts = (products: ProductsAnswer | undefined, now: number): readonly string[] =>
  products !== undefined && products.discarded.bad_record > 0 && isRecent(products.incompleteSince, now) ? [WHOLE] : [];

const ofFeatures = (
  state: EndpointState<Pick<FeaturesAnswer<FeatureRecord>, 'incompleteSince'>> | undefined,
  now: number,
): readonly string[] =>
  [...(state?.parts.values() ?? [])].flatMap((part) =>
    [...(lastGood(part)?.value.incompleteSince ?? [])].flatMap(([name, since]) => (isRecent(since, now) ? name : [])),
  );

/** @param now epoch seconds */
function createIncompleteness({ endpoints }: Snapshot, now: number): Incompleteness {
  const { GetProducts, GetFeatures, GetExpirationFeatures } = endpoints;
  const found: Readonly<Record<ListEndpoint, ReadonlySet<string>>> = {
    GetProducts: new Set(ofProducts(lastGood(GetProducts?.parts.get(WHOLE))?.value, now)),
    GetFeatures: new Set(ofFeatures(GetFeatures, now)),
    GetExpirationFeatures: new Set(ofFeatures(GetExpirationFeatures, now)),
  };
  return (endpoint, vendorLicense) => found[endpoint].has(WHOLE) || found[endpoint].has(vendorLicense.toLowerCase());
}

/**
 * Which data is known now. If it is known, a missing record does not exist in the analyzer either. Vendor licenses are
 * canonical names.
 */
export interface Knowledge {
  readonly products: boolean;
  /** Whether GetProducts lists nothing now, which is not accepted yet: then no other answer says that something is over. */
  readonly isEmptyListRefused: boolean;
  /** Whether GetServerDown lists all servers that are down: none of its records was discarded. */
  readonly serverDown: boolean;
  /** Whether its record of GetProducts lacks no field. */
  collection(vendorLicense: string): boolean;
  features(vendorLicense: string): boolean;
  /** Expiries come from GetExpirationFeatures or else GetFeatures. Each of the two that is expected must be fresh. */
  expiries(vendorLicense: string): boolean;
}

/** Vendor licenses without a fresh reading. */
function staleParts<T>(state: EndpointState<T>, now: number): ReadonlySet<string> {
  const stale = [...state.parts.keys()].filter((part) => freshGood(state, part, now) === undefined);
  return new Set(stale.map((part) => (part === WHOLE ? WHOLE : canonical(part))));
}

/** The fields of GetFeatures that expiries need. */
const expiryFields: ReadonlySet<string> = new Set(
  Object.entries(recordFields.GetFeatures)
    .filter(([name, { merge }]) => name === 'LicenseExpiration' || merge === 'identity')
    .map(([name]) => name),
);

/** See `Knowledge`. */
export function isEmptyListRefused({ endpoints }: Snapshot): boolean {
  const reading = endpoints.GetProducts?.parts.get(WHOLE);
  return reading?.ok === false && reading.failure.code === CONTRADICTION;
}

/**
 * @param now epoch seconds
 * @param fields which fields are missing: what they say is not known
 */
export function createKnowledge(snapshot: Snapshot, now: number, fields: FieldStates): Knowledge {
  const { endpoints } = snapshot;
  const { GetProducts, GetServerDown } = endpoints;
  const down = GetServerDown && freshGood(GetServerDown, WHOLE, now);
  const isIncomplete = createIncompleteness(snapshot, now);
  const byVendorLicense = (endpoint: 'GetFeatures' | 'GetExpirationFeatures'): ((vendorLicense: string) => boolean) => {
    const state: EndpointState<unknown> | undefined = endpoints[endpoint];
    // without a state, the endpoint is off or there is nothing to request
    if (state === undefined) return () => isExpected(snapshot, endpoint);
    if (state.parts.size === 0) return () => false;
    const stale = staleParts(state, now);
    return (vendorLicense) =>
      !stale.has(WHOLE) && !stale.has(vendorLicense.toLowerCase()) && !isIncomplete(endpoint, vendorLicense);
  };
  const lacks = (endpoint: FieldEndpoint, vendorLicense: string): boolean =>
    fields.missingOf(endpoint, vendorLicense).length > 0;
  const features = byVendorLicense('GetFeatures');
  const expirations = byVendorLicense('GetExpirationFeatures');
  const sources = [
    ...(isExpected(snapshot, 'GetFeatures') ? [features] : []),
    ...(isExpected(snapshot, 'GetExpirationFeatures') ? [expirations] : []),
  ];
  return {
    products:
      GetProducts !== undefined && freshGood(GetProducts, WHOLE, now) !== undefined && !isIncomplete('GetProducts', ''),
    isEmptyListRefused: isEmptyListRefused(snapshot),
    serverDown: down?.value.discarded.bad_record === 0,
    collection: (vendorLicense) => !lacks('GetProducts', vendorLicense),
    features: (vendorLicense) => features(vendorLicense) && !lacks('GetFeatures', vendorLicense),
    expiries: (vendorLicense) =>
      sources.length > 0 &&
      sources.every((isKnown) => isKnown(vendorLicense)) &&
      !lacks('GetExpirationFeatures', vendorLicense) &&
      !fields.missingOf('GetFeatures', vendorLicense).some((field) => expiryFields.has(field)),
  };
}

/** The outcome of polling one part of an endpoint, without the answer. */
interface PartReading {
  /** The failure of the newest attempt, if it failed. */
  readonly failure: Failure | undefined;
  /** Epoch seconds of the last good answer. */
  readonly goodAt: number | undefined;
  /** Whether the last good answer is still young enough to be shown. */
  readonly isFresh: boolean;
}

interface EndpointReadings {
  /** When a poll last ended with every part good, epoch seconds. */
  readonly lastSuccess: number | undefined;
  readonly parts: ReadonlyMap<string, PartReading>;
}

/** The readings of each endpoint, to explain why something is not known. */
export interface Readings {
  /** `undefined` for an endpoint that is not polled. */
  of(endpoint: PolledEndpoint): EndpointReadings | undefined;
  /** Whether the configuration switches it off. */
  isOff(endpoint: PolledEndpoint): boolean;
  /** The fields that all records of a vendor license lack. */
  missingFields(endpoint: PolledEndpoint, vendorLicense: string): readonly string[];
  /** Whether its list may lack something of a vendor license: it has unusable records. */
  isIncomplete(endpoint: PolledEndpoint, vendorLicense: string): boolean;
  /** Whether it is neither off nor absent. */
  isExpected(endpoint: PolledEndpoint): boolean;
}

const isFieldEndpoint = (endpoint: PolledEndpoint): endpoint is FieldEndpoint =>
  (fieldEndpoints as readonly string[]).includes(endpoint);

/** @param now epoch seconds */
export function createReadings(snapshot: Snapshot, now: number, fields: FieldStates): Readings {
  const endpoints = new Map(
    Object.entries(snapshot.endpoints).map(([endpoint, state]): [string, EndpointReadings] => {
      const parts = [...state.parts].map(([part, reading]): [string, PartReading] => {
        const failure = reading.ok ? undefined : reading.failure;
        const isFresh = freshGood<unknown>(state, part, now) !== undefined;
        return [part, { failure, goodAt: lastGood<unknown>(reading)?.at, isFresh }];
      });
      return [endpoint, { lastSuccess: state.lastSuccess, parts: new Map(parts) }];
    }),
  );
  const isIncomplete = createIncompleteness(snapshot, now);
  return {
    of: (endpoint) => endpoints.get(endpoint),
    isOff: (endpoint) => snapshot.off?.includes(endpoint) === true,
    missingFields: (endpoint, vendorLicense) =>
      isFieldEndpoint(endpoint) ? fields.missingOf(endpoint, parseVendorLicense(vendorLicense).vendorLicense) : [],
    isIncomplete: (endpoint, vendorLicense) =>
      isFieldEndpoint(endpoint) && isIncomplete(endpoint, parseVendorLicense(vendorLicense).vendorLicense),
    isExpected: (endpoint) => isExpected(snapshot, endpoint),
  };
}

/** Why a part has no current data. */
interface MissingPart {
  /** The endpoint and its part. */
  readonly what: string;
  /** The failure, or else the words that follow `what`. */
  readonly cause: Failure | string;
}

/** What follows the name of an endpoint whose records lack fields. */
const lackText = (fields: readonly string[]): string => `does not have ${fields.join(', ')} in any record now`;

/** What follows the name of an endpoint whose list has unusable records. */
const INCOMPLETE = 'has records that cannot be used, and what it lacks is not known';

/** What is not known of a vendor license although the answers are good: one sentence for each endpoint and cause. */
export const gapsOf = (readings: Readings, vendorLicense: string): readonly string[] =>
  fieldEndpoints.flatMap((endpoint) => {
    const missing = readings.missingFields(endpoint, vendorLicense);
    return [
      ...(missing.length === 0 ? [] : [`${endpoint} ${lackText(missing)}. What it says is not known.`]),
      ...(readings.isIncomplete(endpoint, vendorLicense) ? [`${endpoint} ${INCOMPLETE}.`] : []),
    ];
  });

/** Why there is no current data of a part. */
export function missingPart(readings: Readings, endpoint: PolledEndpoint, part: string): MissingPart {
  const what = part === WHOLE ? endpoint : `${endpoint} of ${part}`;
  const reading = readings.of(endpoint)?.parts.get(part);
  if (reading?.failure !== undefined) return { what, cause: reading.failure };
  const missing = readings.missingFields(endpoint, part);
  if (reading?.isFresh === true && missing.length > 0) return { what, cause: lackText(missing) };
  if (reading?.isFresh !== false && readings.isIncomplete(endpoint, part)) return { what, cause: INCOMPLETE };
  if (reading !== undefined) return { what, cause: 'was polled too long ago' };
  // without vendor licenses, the other endpoints are not polled
  const products = readings.of('GetProducts')?.parts.get(WHOLE);
  if (products?.failure !== undefined && endpoint !== 'GetProducts') return missingPart(readings, 'GetProducts', WHOLE);
  return { what, cause: 'has not been polled yet' };
}
