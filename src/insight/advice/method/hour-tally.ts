import { weekdayOf } from '../../../base/model/local-time.ts';
import { isUncountedFigure } from '../../../base/model/uncounted.ts';
import type { WorkingTime } from './advice.ts';
import type { DemandColumns, WaitsByDay } from './demand.ts';
import type { FullTime, WindowFigures } from './findings.ts';
import { NO_USE, RefusalTally } from './refusal-tally.ts';
import { createWindowDays, ENOUGH_SECONDS, HOUR, WINDOW_DAYS, YEAR_HOURS } from './window.ts';

/** Higher numbers in use are counted as this one: no advice is given for uncounted licenses. */
const MOST_LEVEL = 1_000_000;

/** Seconds at each number of licenses in use. */
export class Histogram {
  #seconds: Float64Array;

  constructor(levels: number) {
    this.#seconds = new Float64Array(Math.min(MOST_LEVEL, Math.max(1, Math.ceil(levels))) + 1);
  }

  add(inUse: number, seconds: number): void {
    const level = Math.floor(inUse);
    if (level < this.#seconds.length) this.#seconds[level] = (this.#seconds[level] ?? 0) + seconds;
    else this.#addAbove(Math.min(MOST_LEVEL, level), seconds);
  }

  #addAbove(level: number, seconds: number): void {
    if (level >= this.#seconds.length) {
      const larger = new Float64Array(Math.min(MOST_LEVEL, 2 * level) + 1);
      larger.set(this.#seconds);
      this.#seconds = larger;
    }
    this.#seconds[level] = (this.#seconds[level] ?? 0) + seconds;
  }

  /** Item `n`: seconds with at least `n` in use, up to the highest number + 1. Empty without time. */
  atLeast(): Float64Array {
    const most = this.#seconds.findLastIndex((seconds) => seconds > 0);
    const result = new Float64Array(most < 0 ? 0 : most + 2);
    let sum = 0;
    for (let level = most; level >= 0; level -= 1) {
      sum += this.#seconds[level] ?? 0;
      result[level] = sum;
    }
    return result;
  }
}

/**
 * The smallest number that was enough for a share of the time; `undefined` without time.
 *
 * @param atLeast of a histogram
 */
function quantileOfTime(atLeast: Float64Array, share: number): number | undefined {
  const [total] = atLeast;
  if (total === undefined) return undefined;
  const n = atLeast.findLastIndex((seconds) => seconds > total - share * total);
  return Math.max(0, n);
}

/** From this share of the license-hours outside working time on, a pool is full by all hours, not by working time. */
const OUTSIDE_SHARE = 1 / 3;

/** What an hour must lie in to count: the window, the regime and the working time. */
export interface TallyOptions {
  readonly today: number;
  readonly workingTime: WorkingTime;
  /** First day of the regime. */
  readonly regimeFrom: number;
  /** Levels to expect. */
  readonly peak: number;
  readonly waits: WaitsByDay;
}

/** Seconds, and license-seconds, of the regime. */
interface Time {
  observed: number;
  full: number;
  licenses: number;
}

/** The figures of a window from its hours, in one pass that allocates nothing for an hour. */
export class HourTally {
  readonly #options: TallyOptions;
  readonly #days = createWindowDays();
  readonly #all: Histogram;
  readonly #working: Histogram;
  readonly #refusals = new RefusalTally();
  readonly #everyTime: Time = { observed: 0, full: 0, licenses: 0 };
  readonly #workingTime: Time = { observed: 0, full: 0, licenses: 0 };
  #lastDay = Number.NEGATIVE_INFINITY;
  #peak: number | undefined;
  #peakDay: number | undefined;
  #regimeDays = 0;
  /** License-seconds in use, and bought, of the time in which licenses were valid. */
  #used = 0;
  #bought = 0;
  #leastFree: number | undefined;
  #reservedUnknownOn: number | undefined;
  /** Seconds and peak of the day that is being added. */
  #daySeconds = 0;
  #dayPeak = NO_USE;
  #isWorkday = false;
  #isRegime = false;

  constructor(options: TallyOptions) {
    this.#options = options;
    this.#all = new Histogram(options.peak);
    this.#working = new Histogram(options.peak);
  }

  /** Days come in order. One that comes twice, and one outside the window, does not count. */
  add(columns: DemandColumns): void {
    if (!this.#beginDay(columns.day)) return;
    for (let i = 0; i < columns.count; i += 1) this.#addHour(columns, i);
    this.#endDay(columns.day);
  }

  /** Whether the day counts. */
  #beginDay(day: number): boolean {
    const { today, workingTime, regimeFrom, waits } = this.#options;
    const age = today - 1 - day;
    if (age < 0 || age >= WINDOW_DAYS || day <= this.#lastDay) return false;
    this.#lastDay = day;
    this.#daySeconds = 0;
    this.#dayPeak = NO_USE;
    this.#isWorkday = workingTime.weekdays.has(weekdayOf(day));
    this.#isRegime = day >= regimeFrom;
    this.#refusals.beginDay(this.#isRegime, waits.get(day));
    return true;
  }

  #endDay(day: number): void {
    const age = this.#options.today - 1 - day;
    this.#refusals.endDay();
    const isCounted = this.#daySeconds >= ENOUGH_SECONDS;
    if (isCounted) this.#days.isCounted[age] = 1;
    if (isCounted && this.#isRegime) this.#regimeDays += 1;
    if (this.#dayPeak === NO_USE) return;
    this.#days.peak[age] = this.#dayPeak;
    if (this.#dayPeak >= (this.#peak ?? 0)) {
      this.#peak = this.#dayPeak;
      this.#peakDay = day;
    }
  }

  #addHour(columns: DemandColumns, i: number): void {
    const { inUse, seconds, firstLevel } = columns;
    const available = columns.available[i] ?? Number.NaN;
    const reserved = columns.reserved[i] ?? Number.NaN;
    const isWorking = this.#isWorkingHour(columns.hour[i] ?? Number.NaN);
    let most = NO_USE;
    let observed = 0;
    let full = 0;
    let licenses = 0;
    const end = firstLevel[i + 1] ?? 0;
    for (let j = firstLevel[i] ?? end; j < end; j += 1) {
      const number = inUse[j] as number;
      const length = seconds[j] as number;
      // an unknown number of licenses in use is NaN
      if (!(number >= 0 && length > 0)) continue;
      this.#all.add(number, length);
      if (isWorking) this.#working.add(number, length);
      if (number > most) most = number;
      observed += length;
      licenses += number * length;
      if (available > 0 && number >= available) full += length;
    }
    this.#daySeconds += observed;
    if (most > this.#dayPeak) this.#dayPeak = most;
    this.#refusals.addHour(available, reserved, columns.denials[i] ?? Number.NaN, most, observed);
    // an expired license is neither full, free nor reserved
    if (available !== 0 && most !== NO_USE && Number.isNaN(reserved)) this.#reservedUnknownOn = columns.day;
    if (!(available > 0)) return;
    if (!isUncountedFigure(available)) {
      this.#used += licenses;
      this.#bought += available * observed;
    }
    if (most !== NO_USE) this.#addFree(available, reserved, most);
    if (!this.#isRegime) return;
    this.#addTime(this.#everyTime, observed, full, licenses);
    if (isWorking) this.#addTime(this.#workingTime, observed, full, licenses);
  }

  #isWorkingHour(clock: number): boolean {
    const { from, to } = this.#options.workingTime;
    return this.#isWorkday && clock >= from && clock < to;
  }

  #addTime(time: Time, seconds: number, full: number, licenses: number): void {
    time.observed += seconds;
    time.full += full;
    time.licenses += licenses;
  }

  #addFree(available: number, reserved: number, most: number): void {
    const free = available - (Number.isNaN(reserved) ? 0 : reserved) - most;
    if (this.#leastFree === undefined || free < this.#leastFree) this.#leastFree = free;
  }

  #full(): FullTime | undefined {
    const [all, working] = [this.#everyTime, this.#workingTime];
    if (all.observed === 0) return undefined;
    const outside = all.licenses - working.licenses;
    const isByWorkingTime = working.observed > 0 && outside < OUTSIDE_SHARE * all.licenses;
    const time = isByWorkingTime ? working : all;
    const { weekdays, from, to } = this.#options.workingTime;
    const workingHours = (weekdays.size * (to - from) * YEAR_HOURS) / (7 * 24);
    return {
      hours: all.full / HOUR,
      hoursAYear: (all.full * YEAR_HOURS) / all.observed,
      share: time.full / time.observed,
      shareHours: isByWorkingTime ? workingHours : YEAR_HOURS,
    };
  }

  figures(): WindowFigures {
    const all = this.#all.atLeast();
    const working = this.#working.atLeast();
    const [total = 0] = all;
    return {
      days: this.#days,
      peak: this.#peak,
      peakDay: this.#peakDay,
      hoursAtLeast: all.map((seconds) => (seconds * YEAR_HOURS) / total),
      p95: quantileOfTime(working, 0.95),
      p99: quantileOfTime(working, 0.99),
      utilisation: this.#bought > 0 ? this.#used / this.#bought : undefined,
      full: this.#full(),
      regimeDays: this.#regimeDays,
      refusals: this.#refusals.counts(true),
      leastFree: this.#leastFree,
      reservedUnknownOn: this.#reservedUnknownOn,
      detail: 'hours',
    };
  }
}
