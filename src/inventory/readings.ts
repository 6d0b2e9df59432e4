import type { Failure } from '../model/failure.ts';
import { freshGood, isExpected, lastGood, type PolledEndpoint, type Snapshot } from '../model/snapshot.ts';

/** How one part of an endpoint was read last, without what it answered. */
export interface PartReading {
  /** Of the newest attempt, where that failed. */
  readonly failure: Failure | undefined;
  /** Epoch seconds of the last good answer. */
  readonly goodAt: number | undefined;
  /** Whether the last good answer may still be shown. */
  readonly isFresh: boolean;
}

export interface EndpointReadings {
  /** When a poll last ended with every part good, epoch seconds. */
  readonly lastSuccess: number | undefined;
  readonly parts: ReadonlyMap<string, PartReading>;
}

/** Which readings there are of each endpoint, to explain why something is not known. */
export interface Readings {
  /** `undefined` for an endpoint that is not polled. */
  of(endpoint: PolledEndpoint): EndpointReadings | undefined;
  /** Whether the configuration switches it off. */
  isOff(endpoint: PolledEndpoint): boolean;
  /** Whether it is neither switched off nor missing on the analyzer. */
  isExpected(endpoint: PolledEndpoint): boolean;
}

/** @param now epoch seconds */
export function createReadings(snapshot: Snapshot, now: number): Readings {
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
  return {
    of: (endpoint) => endpoints.get(endpoint),
    isOff: (endpoint) => snapshot.off?.includes(endpoint) === true,
    isExpected: (endpoint) => isExpected(snapshot, endpoint),
  };
}
