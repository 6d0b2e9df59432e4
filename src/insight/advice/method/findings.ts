import type { AdviceContext } from './advice.ts';
import type { Regime } from './bought.ts';
import type { DayColumns } from './demand.ts';
import type { Expected } from './look.ts';
import type { RefusalCounts, Refusals } from './refusals.ts';
import type { WeeklyPeaks, WindowDays } from './window.ts';

/** What all recorded days show of the use of a series. */
export interface UseDays {
  /** The first and the last day on which the use was known. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** The last day on which a license was in use. */
  readonly lastUse: number | undefined;
}

/** @param today does not count, nor do later days */
export function useDaysOf({ day, inUse }: DayColumns, today: number): UseDays {
  let first: number | undefined;
  let last: number | undefined;
  let lastUse: number | undefined;
  for (let i = 0; i < day.length; i += 1) {
    const [at, value] = [day[i] ?? today, inUse[i] ?? Number.NaN];
    if (at >= today || Number.isNaN(value)) continue;
    first ??= at;
    last = at;
    if (value > 0) lastUse = at;
  }
  return { first, last, lastUse };
}

/** Everything that the state and its reason are decided from. */
export interface Findings {
  readonly context: AdviceContext;
  readonly bought: number | undefined;
  /** The last day with data, if the number of licenses is not known now. */
  readonly boughtAsOf: number | undefined;
  readonly regime: Regime;
  readonly use: UseDays;
  readonly figures: WindowFigures;
  readonly refusals: Refusals;
  /** Of the last year. */
  readonly weeks: WeeklyPeaks;
  /** Of the coming year; `undefined` without enough weeks. */
  readonly expected: Expected | undefined;
  /** See `Advice`. */
  readonly likely: number | undefined;
  readonly enough: number | undefined;
  readonly needed: number | undefined;
  /** What the days of the window before the last cut needed; `undefined` without one. */
  readonly beforeCut: number | undefined;
  /** The most licenses that were reserved in the window; `undefined` if it was never known. */
  readonly mostReserved: number | undefined;
  /** Days that count. */
  readonly days: number;
}

/** What the window shows of a series. What is unknown is `undefined`. */
export interface WindowFigures {
  readonly days: WindowDays;
  readonly peak: number | undefined;
  /** The newest day with the peak. */
  readonly peakDay: number | undefined;
  /** See `Advice`. */
  readonly hoursAtLeast: Float64Array;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
  /** See `Advice`. */
  readonly utilisation: number | undefined;
  /** Of the regime; `undefined` without data. */
  readonly full: FullTime | undefined;
  /** Days of the regime that have enough data. */
  readonly regimeDays: number;
  readonly refusals: RefusalCounts;
  /** Least number of licenses that were neither reserved nor in use; `undefined` if licenses or use were never known. */
  readonly leastFree: number | undefined;
  /** The newest day on which use was known and reservations were not, at some time; `undefined` without one. */
  readonly reservedUnknownOn: number | undefined;
  /** What is recorded of the time: hours, or only days and a curve. */
  readonly detail: 'hours' | 'curve';
}

/** Time with all licenses in use. */
export interface FullTime {
  /** As recorded, and scaled to a year. */
  readonly hours: number;
  readonly hoursAYear: number;
  /** Share of the working time, or of all time, that was full. */
  readonly share: number;
  /** Hours of a year that the share is of. */
  readonly shareHours: number;
}
