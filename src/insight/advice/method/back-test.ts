import type { DayColumns, SeriesName } from './demand.ts';
import { WINDOW_DAYS } from './window.ts';

/**
 * What would have come of the advice of earlier months: whether what it would have left had been enough in the year after it. Each
 * month's advice stands alone, and none of it stops advice of now.
 */

/** Months that are looked back, and months after which the outcome is that of a year. */
const MONTHS = 12;
/** Days a year on which licenses may be too few; more of them mean that licenses are missing. */
export const MOST_SHORT_DAYS = 12;

/** Licenses that could go by the advice of an earlier day. */
export interface EarlierCut {
  /** The day that it is of, the first one of a month. Its history ends the day before. */
  readonly origin: number;
  readonly count: number;
  /** Licenses that it would have left. */
  readonly kept: number;
}

/** What would have come of it in the days since then, at most a year. */
export interface Applied extends EarlierCut {
  /** Days on which it is known. Days on which fewer licenses were there tell nothing. */
  readonly days: number;
  /** Those of them on which it would have been too few, or on which requests were refused for want of licenses. */
  readonly shortDays: number;
}

/** The same for all features with licenses that could go by the advice of a month. */
export interface OriginResult {
  readonly origin: number;
  readonly features: number;
  /** Features that would have been short on any day, on all days together, and on more than 12 days. */
  readonly shortFeatures: number;
  readonly shortDays: number;
  readonly longShortFeatures: number;
}

/** The advice that is known of an earlier day. */
export type CutsOf = (series: SeriesName) => readonly EarlierCut[];

/** The first day of a month, counted from year 0. */
const firstDayOfMonth = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12) / 86_400_000;

/** Months since year 0. */
export const monthOf = (day: number): number => {
  const date = new Date(day * 86_400_000);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
};

/** The first days of this month and of the twelve before it, the oldest first. */
export const originsOf = (today: number): number[] =>
  Array.from({ length: MONTHS + 1 }, (_, i) => firstDayOfMonth(monthOf(today) - MONTHS + i));

/** Whether a year is known after it, so that it can be the headline. */
export const isYearAgo = (origin: number, today: number): boolean => today - origin >= WINDOW_DAYS;

/** @param today does not count, nor do days more than a year after the origin */
export function applied(cut: EarlierCut, columns: DayColumns, today: number): Applied {
  const { origin, kept } = cut;
  const end = Math.min(today, origin + WINDOW_DAYS);
  let days = 0;
  let shortDays = 0;
  for (const [i, day] of columns.day.entries()) {
    if (day < origin || day >= end) continue;
    const [inUse, available] = [columns.inUse[i] as number, columns.available[i] as number];
    if (Number.isNaN(inUse) || available < kept) continue;
    days += 1;
    const [reserved, denials] = [columns.reserved[i] as number, columns.denials[i] as number];
    const isFull = inUse >= available - (Number.isNaN(reserved) ? 0 : reserved);
    if (inUse > kept || (isFull && denials > 0)) shortDays += 1;
  }
  return { ...cut, days, shortDays };
}

/** Adds up what would have come of the advice of each month. */
export class BackTest {
  readonly #results = new Map<number, { -readonly [Name in keyof OriginResult]: OriginResult[Name] }>();

  add({ origin, days, shortDays }: Applied): void {
    // undecided
    if (days === 0) return;
    const result = this.#results.get(origin) ?? {
      origin,
      features: 0,
      shortFeatures: 0,
      shortDays: 0,
      longShortFeatures: 0,
    };
    result.features += 1;
    result.shortDays += shortDays;
    if (shortDays > 0) result.shortFeatures += 1;
    if (shortDays > MOST_SHORT_DAYS) result.longShortFeatures += 1;
    this.#results.set(origin, result);
  }

  /** The oldest month first. */
  results(): OriginResult[] {
    return [...this.#results.values()].sort((a, b) => a.origin - b.origin);
  }
}
