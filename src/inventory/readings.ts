import type { Failure } from '../model/failure.ts';
import { freshGood, isExpected, lastGood, type PolledEndpoint, type Snapshot, WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { type FieldEndpoint, fieldEndpoints } from '../query-api/records.ts';
import type { FieldStates } from './field-states.ts';
import { createIncompleteness } from './incomplete.ts';

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
