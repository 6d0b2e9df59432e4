import type { FeatureTable } from '../inventory/feature-table.ts';
import type { SeriesName } from './demand.ts';

/** What the last poll knows of a series. History has none of it, and no versions. */
export interface LiveFigures {
  readonly idle: number | undefined;
  readonly borrowed: number | undefined;
  /** When the first of its versions expires that has not expired yet, epoch seconds; `Infinity` if none ever does. */
  readonly expiration: number | undefined;
}

/** The figures of the last poll by series. */
export type LiveIndex = ReadonlyMap<string, LiveFigures>;

const unknown: LiveFigures = { idle: undefined, borrowed: undefined, expiration: undefined };

const keyOf = ({ vendorLicense, feature, package: packageName, featureType }: SeriesName): string =>
  `${vendorLicense}\n${feature}\n${packageName}\n${featureType}`;

export const liveOf = (index: LiveIndex, series: SeriesName): LiveFigures => index.get(keyOf(series)) ?? unknown;

/** If one of two is unknown, so is their sum. */
const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;

/** The sooner of the expiries that are still to come, else the later one. */
function nextExpiration(a: number | undefined, b: number | undefined, now: number): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const isComing = (at: number): boolean => at > now;
  if (isComing(a) === isComing(b)) return isComing(a) ? Math.min(a, b) : Math.max(a, b);
  return isComing(a) ? a : b;
}

/** @param now epoch seconds */
export function createLiveIndex(features: FeatureTable, now: number): LiveIndex {
  const index = new Map<string, LiveFigures>();
  for (const row of features) {
    const key = keyOf(row);
    const before = index.get(key);
    const { inactiveUse, borrowedUse, expiration } = row;
    index.set(key, {
      idle: before === undefined ? inactiveUse : sum(before.idle, inactiveUse),
      borrowed: before === undefined ? borrowedUse : sum(before.borrowed, borrowedUse),
      expiration: before === undefined ? expiration : nextExpiration(before.expiration, expiration, now),
    });
  }
  return index;
}
