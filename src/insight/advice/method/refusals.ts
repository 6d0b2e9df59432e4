import type { Advice } from './advice.ts';

/**
 * Refused requests, by their cause. A refusal is for want of licenses if all licenses that are not reserved were in use in its hour.
 * Days and hours count, not requests: a script that tries again 500 times counts once.
 */

/** Refusals of the window, as they were counted. */
export interface RefusalCounts {
  /** Hours of the regime in which refusals would have been recorded, and hours with data. */
  readonly recordedHours: number;
  readonly regimeHours: number;
  /** Days of the regime on which refusals would have been recorded at some time. */
  readonly recordedDays: number;
  /** Requests that were refused; `undefined` if it was never known. */
  readonly requests: number | undefined;
  /** Days and hours of the regime with refusals for want of licenses. Hours are unknown where only days are recorded. */
  readonly days: number;
  readonly hours: number | undefined;
  /** Those of the hours (or days) in which reserved licenses were not in use. */
  readonly withReserved: number;
  /** Days of the regime on which all licenses were in use, but not in the hour of the refusal. */
  readonly unclearDays: number;
  /** Other days of the regime with refusals for which use, licenses or reservations were not known. */
  readonly unknownDays: number;
  /** Requests of the regime that were refused while licenses seemed to be free, and reservations were not known. */
  readonly maybeReserved: number;
  /** Requests refused while licenses were free. */
  readonly others: number;
}

/** Days and hours a year. */
export type Refusals =
  | {
      readonly kind: 'known';
      readonly days: number;
      readonly hours: number | undefined;
      /** More days, on which it is not known whether a request was refused for want of licenses. */
      readonly unclearDays: number;
      /** Whether most of them had reserved licenses that were not in use. */
      readonly areReserved: boolean;
    }
  /** `because` continues the sentence "refusals are not known: …". */
  | { readonly kind: 'unknown'; readonly because: string };

/** Above this, samples are too far apart for the hour of a refusal. Seconds. */
const LONGEST_INTERVAL = 900;
/** A feature that was full for longer, and had no refusal: refusals are not recorded. Hours. */
const FULL_WITHOUT_REFUSAL = 20;
const MOST_UNKNOWN_DAYS = 3;

/** What must be known of a vendor license before its refusals mean anything. */
export interface RefusalContext {
  /** Seconds between two collections, if known. */
  readonly interval: number | undefined;
  /** Whether any feature of the vendor license had a refusal in the window, if known. */
  readonly refusalsRecorded?: boolean | undefined;
  /** Hours of the regime in which all licenses were in use. */
  readonly hoursFull: number | undefined;
}

const unknown = (because: string): Refusals => ({ kind: 'unknown', because });

/** Days are scaled by days: one on which only some hours are recorded still counts as one, and a year has no more than its days. */
function refusalsKnown(counts: RefusalCounts, yearHours: number): Refusals {
  const daysToYear = yearHours / 24 / counts.recordedDays;
  const hoursToYear = yearHours / counts.recordedHours;
  return {
    kind: 'known',
    days: counts.days * daysToYear,
    hours: counts.hours === undefined ? undefined : Math.min(counts.hours * hoursToYear, yearHours),
    unclearDays: (counts.unclearDays + counts.unknownDays) * daysToYear,
    areReserved: 2 * counts.withReserved > (counts.hours ?? counts.days),
  };
}

/** @param yearHours hours of a year */
export function refusalsOf(
  counts: RefusalCounts,
  { interval, refusalsRecorded, hoursFull }: RefusalContext,
  yearHours: number,
): Refusals {
  const { recordedHours, recordedDays, regimeHours, requests, unknownDays } = counts;
  if (requests === undefined || recordedHours === 0) return unknown('they are not recorded here');
  if (interval !== undefined && interval > LONGEST_INTERVAL) {
    return unknown(`samples every ${Math.round(interval / 60)} minutes are too far apart`);
  }
  if (2 * recordedHours < regimeHours) return unknown('they are recorded for less than half of the time');
  const isWithout = refusalsRecorded === undefined ? (hoursFull ?? 0) >= FULL_WITHOUT_REFUSAL : !refusalsRecorded;
  if (requests === 0 && isWithout) return unknown('none was ever recorded here');
  if ((unknownDays * yearHours) / 24 / recordedDays > MOST_UNKNOWN_DAYS)
    return unknown('licenses or reservations were not known at the time');
  return refusalsKnown(counts, yearHours);
}

/**
 * Whether refused requests are recorded for a vendor license. The features of one log are recorded together: if one of them had
 * a refusal, the others had none. If none had one although licenses ran out, refusals are not recorded.
 */
export type RecordedRefusals = ReadonlyMap<string, boolean>;

/** By vendor license, from the advice for its features. It is unknown, and missing, if nothing ran out. */
export function recordedRefusalsOf(all: Iterable<Advice>): RecordedRefusals {
  const recorded = new Map<string, boolean>();
  for (const { vendorLicense, refusalDays = 0, otherRefusals = 0, fullHours = 0 } of all) {
    if (refusalDays > 0 || otherRefusals > 0) recorded.set(vendorLicense, true);
    else if (fullHours >= FULL_WITHOUT_REFUSAL && !recorded.has(vendorLicense)) recorded.set(vendorLicense, false);
  }
  return recorded;
}

/** Whether the advice for a feature depends on it, and was computed with another assumption. */
export function isMistaken(
  { vendorLicense, refusalDays, state }: Advice,
  assumed: RecordedRefusals,
  found: RecordedRefusals,
): boolean {
  const isRecorded = found.get(vendorLicense);
  if (state === 'no advice' || assumed.get(vendorLicense) === isRecorded) return false;
  return isRecorded === false ? refusalDays === 0 : refusalDays === undefined;
}
