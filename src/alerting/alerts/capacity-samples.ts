import type { FeatureLabels } from '../../exporter/inventory/feature-row.ts';

/**
 * The number of licenses of a feature over the last day: only its changes, the oldest first. Between two of them, and while
 * nothing was known, the number is the one before. Times are epoch seconds.
 */
export type CapacitySamples = readonly (readonly [at: number, licenses: number])[];

/** A day ago is these three hours, so that neither a short gap nor a change of the clocks matters. Seconds. */
const OLDEST = 25.5 * 3600;
const NEWEST = 22.5 * 3600;
/** Of a number that changes more often than this, only the lowest is kept. Seconds. */
const SPACING = 600;

/** Those whose number was still there a day ago, or came later. A list that `filter` makes has room for 16 more, in memory for each feature. */
const notOlder = (samples: CapacitySamples, now: number): CapacitySamples =>
  samples.slice(samples.findIndex((_, i) => (samples[i + 1]?.[0] ?? now) > now - OLDEST));

/** With the number of now, and without those before a day ago. @returns the same if the number has not changed */
export function withSample(samples: CapacitySamples, now: number, licenses: number): CapacitySamples {
  const last = samples.at(-1);
  if (last?.[1] === licenses) return samples;
  const before = samples.at(-2);
  if (before === undefined || last === undefined || now - before[0] >= SPACING) {
    return notOlder([...samples, [Math.floor(now), licenses]], now);
  }
  return [...samples.slice(0, -2), [before[0], Math.min(before[1], last[1])], [last[0], licenses]];
}

export interface ExpiringVersion extends Pick<FeatureLabels, 'version' | 'package' | 'featureType'> {
  /** The last number before its expiry. */
  readonly licenses: number;
  readonly expiration: number;
  /** What it adds to the number of now; `undefined` if it is not listed. */
  counted?: number | undefined;
}

/** What licenses that have expired since a time have lost. @param now epoch seconds */
const expiredSince = (at: number, now: number, versions: readonly ExpiringVersion[]): number =>
  versions
    .filter(({ expiration }) => expiration > at && expiration <= now)
    .reduce((sum, { licenses, counted = 0 }) => sum + Math.max(0, licenses - counted), 0);

/**
 * The lowest number of a day ago, without licenses that have expired since; `undefined` if it is not known so far back.
 *
 * @param now epoch seconds
 */
export function lowestOfDayAgo(samples: CapacitySamples, now: number, versions: readonly ExpiringVersion[]) {
  const numbers = notOlder(samples, now).flatMap(([at, licenses]) =>
    at <= now - NEWEST ? licenses - expiredSince(at, now, versions) : [],
  );
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}

/** What the number of now is compared with. */
interface Before {
  readonly before: number;
  /** When the number was known first, if that is less than a day ago. */
  readonly firstPoll?: number;
}

/** The number of a day ago; on the first day, that of the first poll. `undefined` without any. @param now epoch seconds */
export function numberBefore(
  samples: CapacitySamples,
  now: number,
  versions: readonly ExpiringVersion[],
): Before | undefined {
  const before = lowestOfDayAgo(samples, now, versions);
  if (before !== undefined) return { before };
  const [first] = samples;
  return first && { before: first[1] - expiredSince(first[0], now, versions), firstPoll: first[0] };
}
