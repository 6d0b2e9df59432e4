import type { Applied, EarlierCut } from './back-test.ts';
import type { SeriesName } from './demand.ts';

/** Version of the method and of the form of its results: those of another one are not shown. */
export const METHOD = 6;

/**
 * The figures and the advice for one series, without prices. What is unknown is `undefined`, never 0, NaN or infinite. Days
 * are local days of the analyzer, counted from 1970-01-01. Hours "a year" are scaled from the time with data; days with refusals are
 * counted.
 */
export interface Advice extends SeriesName {
  /** The day on which it was computed. Its history ends the day before. */
  readonly computed: number;
  readonly bought: number | undefined;
  /** The last day with data, if the vendor license is not current. */
  readonly boughtAsOf: number | undefined;
  /** Maximum in use. */
  readonly peak: number | undefined;
  /** The newest day with the peak. */
  readonly peakDay: number | undefined;
  /** Maximum in use on the last 90 days; `undefined` if fewer than 72 of them are recorded. For what has no advice yet. */
  readonly recentPeak: number | undefined;
  /** Licenses in use that covered 95 % and 99 % of the working time. For information: no advice is based on it. */
  readonly p95: number | undefined;
  readonly p99: number | undefined;
  /** The smallest number that is exceeded for at most `tolerance` hours a year. */
  readonly needed: number | undefined;
  /** Licenses that the last year needed: `needed`, or more if that would have been too few on more than 6 days. At least one. */
  readonly lastYear: number | undefined;
  /** Item `n`: hours a year with at least `n` licenses in use, up to the peak + 1. Empty if unknown. */
  readonly hoursAtLeast: Float64Array;
  /**
   * License-hours in use, as a share of those that were bought, of the recorded time in which licenses were valid. Advice that is kept
   * of an earlier version has none.
   */
  readonly utilisation: number | undefined;
  /** Hours a year in which all licenses were in use. */
  readonly fullHours: number | undefined;
  /** Days and hours of the window with requests that were refused for want of licenses. */
  readonly refusalDays: number | undefined;
  readonly refusalHours: number | undefined;
  /** The days with the number of licenses of now: with such requests, and of how many that is known. */
  readonly refusalsNow: { readonly days: number; readonly recordedDays: number } | undefined;
  /** Requests that were refused for another reason than want of licenses. */
  readonly otherRefusals: number | undefined;
  /** Requests that were refused in the window, for any cause. */
  readonly denials: number | undefined;
  /** Days of the window with such requests, and days of which it is known. */
  readonly deniedDays: number | undefined;
  readonly denialsKnownDays: number | undefined;
  readonly growth: Growth;
  /**
   * Licenses that the coming year is likely to need: as likely more as fewer. `undefined` if it is not known, also for unused and
   * missing ones.
   */
  readonly likely: number | undefined;
  /** Licenses that are enough for the coming year with a chance of 9 in 10. */
  readonly enough: number | undefined;
  /** Whether use may rise further than its history tells; `undefined` without enough weeks. */
  readonly mayRise: boolean | undefined;
  /** Peak use of a busy week: what one in four of the last 13 weeks reached. `undefined` without weeks. */
  readonly busyWeek: number | undefined;
  /**
   * Peaks of the weeks of the last year, the oldest first; `null` without data. Only where licenses could go or are missing, else
   * empty.
   */
  readonly weeklyPeaks: readonly (number | null)[];
  /** When a busy week is expected to have all licenses in use. Without enough data, that is not known. */
  readonly runsOut: RunsOut | undefined;
  /** Licenses that were reserved at all times and never used. */
  readonly reservedUnneeded: number | undefined;
  /** The day after the last use; `undefined` if in use yesterday, or if no use was ever seen. */
  readonly unusedSince: number | undefined;
  /** Whether no use was seen in the whole history. */
  readonly isNeverUsed: boolean;
  readonly state: State;
  /** Licenses that could go, or are missing. `undefined` for other states, and if history cannot say how many. */
  readonly count: number | undefined;
  /** Range of `count`, for missing licenses. */
  readonly countRange: readonly [least: number, most: number] | undefined;
  /** Why, in sentences. */
  readonly reason: string;
  /** The first day with advice if every day is recorded; `undefined` if there is advice, or if no such day is known. */
  readonly enoughFrom: number | undefined;
  /** Days of the window that have enough data, and their share of the window. */
  readonly days: number;
  readonly coverage: number | undefined;
  readonly confidence: 'high' | 'provisional' | 'none';
  /** What could make it wrong, each as a clause; empty where the confidence is high. */
  readonly uncertainties: readonly string[];
  /** Whether licenses are paid for it now: not if they are those of a package or token pool, nor if it is not listed any more. */
  readonly hasContract: boolean;
  /** What would have come of the advice of a year ago; `undefined` if none of its licenses could go then. */
  readonly applied: Applied | undefined;
}

/** The states of advice, by how much a purchaser can do about it. */
export const states = [
  'could go',
  'missing',
  'reserved',
  'unused',
  'tight',
  'fine',
  'not enough data',
  'no advice',
] as const;

/** What the advice on a feature amounts to. */
export type State = (typeof states)[number];

/** What use did in the last year. `share` is one of what was in use before. Days are first days of weeks. */
export type Growth =
  /** By so many licenses a month, and by this share of them; since a day, if it was level before. */
  | { readonly kind: 'proven'; readonly perMonth: number; readonly share: number; readonly since: number | undefined }
  /** A rise or fall by a number of licenses, level or as before since then. */
  | { readonly kind: 'step'; readonly by: number; readonly share: number; readonly day: number }
  /** It comes back each year, and is at its highest next about this day. */
  | { readonly kind: 'season'; readonly day: number }
  /** Growth that ended on this day. */
  | { readonly kind: 'ended'; readonly day: number }
  | { readonly kind: 'not proven' }
  /** Fewer than 26 weeks with data. */
  | { readonly kind: 'unknown' };

/** Days. `latest` is `undefined` if the range has no end. */
export interface RunsOut {
  readonly day: number;
  readonly earliest: number;
  readonly latest: number | undefined;
}

/** What is known of a series now, and the settings that its advice depends on. */
export interface AdviceContext {
  /** The local day of today. Today never counts. */
  readonly today: number;
  /** Hours a year for which `needed` may be exceeded. */
  readonly tolerance: number;
  readonly workingTime: WorkingTime;
  /** MaxAvailable of the last good poll; `undefined` if the vendor license is not current. */
  readonly bought: number | undefined;
  /** Why no advice can be given, as the end of a sentence, for example "is a component of a package". */
  readonly exclusion: string | undefined;
  /** See `Advice`. */
  readonly hasContract?: boolean;
  /** Seconds between two collections, if known. */
  readonly interval: number | undefined;
  /**
   * Whether any feature of the vendor license had a refused request in the window. Without refusals, `false` means that
   * they are not recorded, and `true` that there were none. If unknown, the hours with all licenses in use decide.
   */
  readonly refusalsRecorded?: boolean | undefined;
  /** Licenses that are reserved now, as far as that is known. */
  readonly reservedNow?: number;
  /** The newest day with reserved licenses although a setting says that no licenses are reserved; `undefined` if that is not so. */
  readonly reservedOn?: number | undefined;
  /** `mayRise` of the pass before. */
  readonly mayRiseBefore?: boolean | undefined;
  /** The advice of a year ago, if licenses could go. */
  readonly yearAgo?: EarlierCut | undefined;
}

/** Hours of the week in which people work. */
export interface WorkingTime {
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** From one hour of the clock to before another. */
  readonly from: number;
  readonly to: number;
}
