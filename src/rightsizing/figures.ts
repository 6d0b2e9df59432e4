import type { RefusalCounts } from './refusals.ts';
import type { WindowDays } from './window.ts';

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
  /** Of the regime; `undefined` without data. */
  readonly full: FullTime | undefined;
  /** Days of the regime that have enough data. */
  readonly regimeDays: number;
  readonly refusals: RefusalCounts;
  /** Least number of licenses that were neither reserved nor in use; `undefined` if licenses or use were never known. */
  readonly leastFree: number | undefined;
  /** Whether reservations were known at all times. */
  readonly knowsReserved: boolean;
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
