import { isDeepStrictEqual } from 'node:util';
import type { EndedWaits } from '../../base/model/observation/observation.ts';
import { hasSameWaits, moreWaits } from './blocked-table.ts';
import { encodeHours } from './day-codec.ts';
import { type DayTotals, totalsOf } from './day-summary.ts';
import { fillHour } from './fill-hours.ts';
import { decodeHours } from './hour-columns.ts';
import type { HourSummary } from './hour-summary.ts';
import type { Series } from './sample.ts';

/** Where the figures of a day come from. */
export interface DayOrigin {
  /** Whether this program recorded some of them. */
  readonly isLive: boolean;
  /** The forms of imports in order, such as `FlexNet debug log`. */
  readonly forms: readonly string[];
  /** Seconds between two moments of which the finest import knows the figures; `undefined` without imports. */
  readonly seconds: number | undefined;
}

/** A sealed day of a series, as an archive keeps it: everything but its samples. */
export interface ArchivedDay {
  readonly series: Series;
  /** Local day, counted from 1970-01-01. */
  readonly day: number;
  readonly totals: DayTotals;
  /** As `encodeHours` writes them. */
  readonly hours: Uint8Array;
  readonly origin: DayOrigin;
  /** The people who waited; undefined if they are not known. */
  readonly waits: readonly EndedWaits[] | undefined;
}

/** Whether two recordings of a day say the same. */
export const isSameDay = (a: ArchivedDay, b: ArchivedDay): boolean =>
  isDeepStrictEqual(a.totals, b.totals) && Buffer.compare(a.hours, b.hours) === 0 && hasSameWaits(a.waits, b.waits);

/** Two recordings of a day as one. */
export interface MergedDay {
  readonly day: ArchivedDay;
  /** The hours that are not those of the first recording, and where each one comes from. */
  readonly changed: readonly { readonly hour: HourSummary; readonly origin: DayOrigin }[];
}

/** Seconds of which the number of licenses in use is known. */
export const knownSeconds = ({ levels }: HourSummary): number =>
  levels.reduce((sum, [inUse, seconds]) => sum + (inUse === undefined ? 0 : seconds), 0);

const totalSeconds = ({ levels }: HourSummary): number => levels.reduce((sum, [, seconds]) => sum + seconds, 0);

const isSame = (a: HourSummary, b: HourSummary): boolean => encodeHours([a]).equals(encodeHours([b]));

/** Whether the hours of a day tell nothing of its use: there are only sums over it. */
const hasOnlySums = ({ totals }: ArchivedDay, hours: readonly HourSummary[]): boolean =>
  totals.inUse !== undefined && !hours.some((hour) => knownSeconds(hour) > 0);

const joined = (a: DayOrigin, b: DayOrigin): DayOrigin => {
  const finest = [a.seconds, b.seconds].filter((seconds) => seconds !== undefined);
  return {
    isLive: a.isLive || b.isLive,
    forms: [...new Set([...a.forms, ...b.forms])].sort(),
    seconds: finest.length === 0 ? undefined : Math.min(...finest),
  };
};

/**
 * Which of two recordings of an hour counts: the one that knows more seconds; of two that know the same, one that this program
 * recorded before an import, and else the first.
 */
function isBetter(second: HourSummary, first: HourSummary, isLiveBeforeImport: boolean): boolean {
  const known = knownSeconds(second) - knownSeconds(first);
  const total = totalSeconds(second) - totalSeconds(first);
  return known > 0 || (known === 0 && (total > 0 || (total === 0 && isLiveBeforeImport)));
}

/**
 * The union of two recordings of a day of a series, hour by hour. What the better recording of an hour does not know comes from
 * the other one; of people who waited, the recording with more episodes counts. Merging the second into the result once more
 * changes nothing.
 */
export function mergeDays(first: ArchivedDay, second: ArchivedDay): MergedDay {
  const { day, changed } = mergeHours(first, second);
  const waits = moreWaits(first.waits, second.waits);
  return { day: hasSameWaits(day.waits, waits) ? day : { ...day, waits }, changed };
}

function mergeHours(first: ArchivedDay, second: ArchivedDay): MergedDay {
  const hoursOfFirst = decodeHours(first.hours);
  const hoursOfSecond = decodeHours(second.hours);
  const whole = { day: second, changed: hoursOfSecond.map((hour) => ({ hour, origin: second.origin })) };
  const areSums = hasOnlySums(first, hoursOfFirst);
  // sums of a day are of use only where nothing else is known of it
  if (areSums || hasOnlySums(second, hoursOfSecond)) {
    const isSecond = areSums && hoursOfSecond.some((hour) => knownSeconds(hour) > 0);
    const isKnown = first.totals.inUse !== undefined || hoursOfFirst.length > 0;
    return isSecond || !isKnown ? whole : { day: first, changed: [] };
  }
  const isLiveBeforeImport = second.origin.isLive && !first.origin.isLive;
  const merged = new Map(hoursOfFirst.map((hour) => [hour.index, hour]));
  const changed = hoursOfSecond.flatMap((hour) => {
    const kept = merged.get(hour.index);
    const isTaken = kept === undefined || isBetter(hour, kept, isLiveBeforeImport);
    const best = kept === undefined ? hour : isTaken ? fillHour(hour, kept) : fillHour(kept, hour);
    if (kept !== undefined && isSame(best, kept)) return [];
    merged.set(hour.index, best);
    return [{ hour: best, origin: isTaken ? second.origin : first.origin }];
  });
  if (changed.length === 0) return { day: first, changed };
  const all = [...merged.values()].sort((a, b) => a.index - b.index);
  const hours = encodeHours(all);
  if (hours.equals(second.hours)) return { day: second, changed };
  const origin = joined(first.origin, second.origin);
  return { day: { ...first, totals: totalsOf(all), hours, origin }, changed };
}
