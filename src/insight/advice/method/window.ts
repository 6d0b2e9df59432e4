import type { DayColumns } from './demand.ts';

/** The time that advice is based on: the local days before today, and the weeks that end yesterday. Ages count back from 0, yesterday. */

/** Local days of the window. */
export const WINDOW_DAYS = 365;
/** Hours of the year that figures are scaled to. */
export const YEAR_HOURS = 8760;
/** Seconds. */
export const HOUR = 3600;
/** Fewer days give no confidence. */
export const PROVISIONAL_DAYS = 90;
/** Days that show a year with its seasons. */
export const HIGH_DAYS = 330;

/** A day counts with this many seconds of data. */
export const ENOUGH_SECONDS = 8 * HOUR;
const ENOUGH_DAYS = 4;
/** Days. */
export const WEEK = 7;
/** Whole weeks of the window, and of the coming year. */
export const WEEKS = 52;
/** Weeks after which a season is the same again. */
export const WEEKS_A_YEAR = 365.25 / WEEK;

export interface WindowDays {
  /** 1 for a day with enough data. */
  readonly isCounted: Uint8Array;
  /** Maximum in use; NaN without data. */
  readonly peak: Float64Array;
}

/** The days of a window of which nothing is known yet. */
export const createWindowDays = (days: number = WINDOW_DAYS): WindowDays => ({
  isCounted: new Uint8Array(days),
  peak: new Float64Array(days).fill(Number.NaN),
});

/** The days from an age on. */
export const someDays = ({ isCounted, peak }: WindowDays, from: number, count: number): WindowDays => ({
  isCounted: isCounted.subarray(from, from + count),
  peak: peak.subarray(from, from + count),
});

/** How many days of a window count. */
export const countDays = ({ isCounted }: WindowDays): number => isCounted.reduce((sum, flag) => sum + flag, 0);

/** The newest days, whose peak says what is needed where there is no advice, and the share of them that must be recorded. */
const RECENT_DAYS = 90;
const RECENT_SHARE = 0.8;

/** The maximum in use of the newest days; `undefined` if too few of them are recorded. */
export function recentPeakOf({ isCounted, peak }: WindowDays): number | undefined {
  let counted = 0;
  let most = 0;
  for (let age = 0; age < RECENT_DAYS; age += 1) {
    const value = peak[age] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    counted += isCounted[age] ?? 0;
    most = Math.max(most, value);
  }
  return counted < RECENT_SHARE * RECENT_DAYS ? undefined : most;
}

/** Age of the oldest day that counts; `undefined` if no day counts. */
export function oldestCounted({ isCounted }: WindowDays): number | undefined {
  const age = isCounted.lastIndexOf(1);
  return age < 0 ? undefined : age;
}

/** Weeks with enough data, oldest first. */
export interface WeeklyPeaks {
  /** 0 is the week that ends yesterday, -1 the one before. */
  readonly week: readonly number[];
  /** Maximum in use. */
  readonly peak: readonly number[];
  /** Mean of the maxima of its days. */
  readonly mean: readonly number[];
}

/** The highest peak of each week that has days which count, the oldest first, and the mean of its daily peaks. */
export function weeklyPeaks({ isCounted, peak }: WindowDays): WeeklyPeaks {
  const found = { week: [] as number[], peak: [] as number[], mean: [] as number[] };
  const weeks = Math.floor(peak.length / WEEK);
  for (let age = weeks - 1; age >= 0; age -= 1) {
    let counted = 0;
    let known = 0;
    let most = 0;
    let sum = 0;
    for (let i = age * WEEK; i < (age + 1) * WEEK; i += 1) {
      counted += isCounted[i] ?? 0;
      const value = peak[i] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      known += 1;
      sum += value;
      if (value > most) most = value;
    }
    if (counted < ENOUGH_DAYS || known === 0) continue;
    found.week.push(age === 0 ? 0 : -age);
    found.peak.push(most);
    found.mean.push(sum / known);
  }
  return found;
}

/** Those of the last weeks. */
export function newestWeeks({ week, peak, mean }: WeeklyPeaks, weeks: number): WeeklyPeaks {
  const from = week.findIndex((one) => one > -weeks);
  const [first, end] = from < 0 ? [0, 0] : [from, week.length];
  return { week: week.slice(first, end), peak: peak.slice(first, end), mean: mean.slice(first, end) };
}

/**
 * The days of a window with those before it, of which only the peaks are recorded, and without those on which no license was
 * valid: they show no demand.
 *
 * @param weeks of which the result has days
 */
export function demandDays(window: WindowDays, columns: DayColumns, today: number, weeks: number): WindowDays {
  const days = createWindowDays(weeks * WEEK);
  days.isCounted.set(window.isCounted);
  days.peak.set(window.peak);
  for (const [i, day] of columns.day.entries()) {
    const age = today - 1 - day;
    if (age < 0 || age >= days.peak.length) continue;
    const isValid = columns.available[i] !== 0;
    if (age < WINDOW_DAYS && isValid) continue;
    const value = isValid ? (columns.inUse[i] as number) : Number.NaN;
    days.isCounted[age] = Number.isNaN(value) ? 0 : 1;
    days.peak[age] = value;
  }
  return days;
}

/** How many days of an age count and have a peak, from one age to before another. */
type CountKnown = (from: number, to: number) => number;

function knownDays({ isCounted, peak }: WindowDays): CountKnown {
  const before = new Uint16Array(WINDOW_DAYS + 1);
  for (let age = 0; age < WINDOW_DAYS; age += 1) {
    const isKnown = isCounted[age] === 1 && !Number.isNaN(peak[age] ?? Number.NaN);
    before[age + 1] = (before[age] ?? 0) + Number(isKnown);
  }
  return (from, to) => (before[Math.min(to, WINDOW_DAYS)] ?? 0) - (before[Math.min(from, WINDOW_DAYS)] ?? 0);
}

/** The weeks with enough data some days later, if each of these days is recorded, oldest first. */
export function* laterWeeks(days: WindowDays): Generator<{ readonly later: number; readonly week: readonly number[] }> {
  const known = knownDays(days);
  for (let later = 1; later <= WINDOW_DAYS; later += 1) {
    const week: number[] = [];
    for (let age = WEEKS - 1; age >= 0; age -= 1) {
      const [from, to] = [age * WEEK, (age + 1) * WEEK];
      const recorded = Math.max(0, Math.min(to, later) - from);
      const kept = known(Math.max(0, from - later), Math.max(0, to - later));
      if (recorded + kept >= ENOUGH_DAYS) week.push(age === 0 ? 0 : -age);
    }
    yield { later, week };
  }
}

/** The first day of a week. */
export const firstDayOf = (week: number, today: number): number => today - WEEK * (1 - week);
