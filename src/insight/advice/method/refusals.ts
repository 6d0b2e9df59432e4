import type { BlockedCause, EndedWaits } from '../../../base/model/observation/observation.ts';
import { causeTexts, minutesText } from '../../../base/people.ts';
import { countText, numberText } from '../../../base/texts.ts';
import type { Advice } from './advice.ts';

/**
 * Refused requests, by their cause. On a day whose people are known, they are for want of licenses if a person waited because all
 * licenses were busy. On other days, a refusal is if all licenses that are not reserved were in use in its hour. Days and hours
 * count, not requests: a script that tries again 500 times counts once.
 */

/** Waits of people. Who they are is not kept, so that people of several days cannot be counted. */
export type Waited = Pick<EndedWaits, 'episodes' | 'seconds'>;

/** Days and hours of some time, as they were counted. */
export interface RefusalTime {
  /** Days on which refusals would have been recorded at some time. */
  readonly recordedDays: number;
  /** Those of them with refusals, for any cause. */
  readonly deniedDays: number;
  /** Days and hours with refusals for want of licenses. Hours are unknown where only days are recorded. */
  readonly days: number;
  readonly hours: number | undefined;
  /** Days on which people waited for licenses that were reserved for others, and for no other want of licenses. */
  readonly reservedDays: number;
  /** Days on which all licenses were in use, but not in the hour of the refusal. */
  readonly unclearDays: number;
  /** Other days with refusals for which use, licenses or reservations were not known. */
  readonly unknownDays: number;
}

/** Refusals of the window, as they were counted. */
export interface RefusalCounts {
  readonly window: RefusalTime;
  readonly regime: RefusalTime;
  /** Hours of the regime in which refusals would have been recorded, and hours with data. */
  readonly recordedHours: number;
  readonly regimeHours: number;
  /** Requests that were refused; `undefined` if it was never known. */
  readonly requests: number | undefined;
  /** Hours (or days) of the regime with refusals for want of licenses in which reserved licenses were not in use. */
  readonly withReserved: number;
  /** Hours (or days) of the regime with refusals on days on which people waited for reserved licenses. */
  readonly reservedHours: number;
  /** Requests of the regime that were refused while licenses seemed to be free, and reservations were not known. */
  readonly maybeReserved: number;
  /** Requests refused for another reason than want of licenses. */
  readonly others: number;
  /** By the people who waited, where they are known. */
  readonly waited: ReadonlyMap<BlockedCause, Waited>;
}

/** What is known of refusals for want of licenses. */
export type Refusals =
  | {
      readonly kind: 'known';
      /** Their days a year, at the rate of the regime. Only what is decided rests on it: what is said is counted. */
      readonly daysAYear: number;
      /** Those on which people waited for reserved licenses alone. */
      readonly reservedDaysAYear: number;
      /** Whether most of both had reserved licenses that were not in use. */
      readonly areReserved: boolean;
    }
  /** `because` continues the sentence "refusals are not known: …". */
  | { readonly kind: 'unknown'; readonly because: string };

/** Above this, samples are too far apart for the hour of a refusal. Seconds. */
const LONGEST_INTERVAL = 900;
/** A feature that was full for longer, and had no refusal: refusals are not recorded. Hours. */
const FULL_WITHOUT_REFUSAL = 20;
const MOST_UNKNOWN_DAYS = 3;

/** On how many days of the window requests were refused for want of licenses, and on how many of the regime, which decide. */
export function refusedDaysText({ window, regime }: Pick<RefusalCounts, 'window' | 'regime'>): string {
  const of = `${numberText(window.days)} of ${countText(window.recordedDays, 'day')} whose denials are known`;
  if (regime.recordedDays === window.recordedDays) return `requests were refused on ${of}`;
  const days = regime.days === 0 ? 'none' : numberText(regime.days);
  return `requests were refused on ${of}, and on ${days} of the ${numberText(regime.recordedDays)} with this number of licenses`;
}

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

/** @param yearHours hours of a year */
export function refusalsOf(
  counts: RefusalCounts,
  { interval, refusalsRecorded, hoursFull }: RefusalContext,
  yearHours: number,
): Refusals {
  const { recordedHours, regimeHours, requests, withReserved, reservedHours } = counts;
  const { recordedDays, days, hours, reservedDays, unknownDays } = counts.regime;
  if (requests === undefined || recordedHours === 0) return unknown('they are not recorded here');
  if (interval !== undefined && interval > LONGEST_INTERVAL) {
    return unknown(`samples every ${Math.round(interval / 60)} minutes are too far apart`);
  }
  if (2 * recordedHours < regimeHours) return unknown('they are recorded for less than half of the time');
  const isWithout = refusalsRecorded === undefined ? (hoursFull ?? 0) >= FULL_WITHOUT_REFUSAL : !refusalsRecorded;
  if (requests === 0 && isWithout) return unknown('none was ever recorded here');
  // a day of which only some hours are recorded counts as one, so that a year has no more than its days
  const toYear = yearHours / 24 / recordedDays;
  if (unknownDays * toYear > MOST_UNKNOWN_DAYS) return unknown('licenses or reservations were not known at the time');
  return {
    kind: 'known',
    daysAYear: days * toYear,
    reservedDaysAYear: reservedDays * toYear,
    areReserved: 2 * (withReserved + reservedHours) > (hours ?? days) + reservedHours,
  };
}

const isFor = {
  all_busy: 'all licenses were busy',
  all_in_use: 'all licenses were in use',
  unknown: 'the cause is not known',
} as const;
const isNamed = (cause: BlockedCause): cause is keyof typeof isFor => cause in isFor;

function waitsText({ episodes, seconds }: Waited): string {
  const times = episodes === 1 ? 'once' : `${numberText(episodes)} times`;
  return `people waited ${times}, ${minutesText(seconds)}${episodes === 1 ? '' : ' in all'}`;
}

/** What people waited for, in clauses; none where they are not known. */
export function waitedTexts({ waited }: RefusalCounts): readonly string[] {
  const others = [...waited].filter(([cause]) => !isNamed(cause)).sort(([, a], [, b]) => b.episodes - a.episodes);
  const all = others.reduce(
    (sum, [, { episodes, seconds }]) => ({ episodes: sum.episodes + episodes, seconds: sum.seconds + seconds }),
    { episodes: 0, seconds: 0 },
  );
  const causes = others.map(([cause, { episodes }]) => `${causeTexts[cause]}: ${numberText(episodes)}`).join(', ');
  return [
    ...[...waited].flatMap(([cause, own]) => (isNamed(cause) ? [`${waitsText(own)}: ${isFor[cause]}`] : [])),
    ...(others.length === 0 ? [] : [`${waitsText(all)} (${causes}): no more licenses are needed for them`]),
  ];
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
