import { createTask, type ParsedFields, parse, validateDetailed } from 'node-cron';

/**
 * When a schedule runs. node-cron knows the notation, but its search takes 50 µs for each run, and it loses runs when the clocks
 * change: it skips the hour that is repeated, or waits in a busy loop until it is over, and what the clocks skip never runs.
 */

const DAY = 86_400;
const WEEK = 7 * DAY;
/** Days searched for a run. A 29th of February on a certain weekday can be 40 years away. */
const MAX_DAYS = 100 * 366;

/** Local time minus UTC at a time, seconds. */
export type OffsetAt = (time: number) => number;

/**
 * The first run of a valid cron expression after a time, epoch seconds, by the clock of the system. What the clock shows twice, when
 * it goes back, runs twice, and what it skips runs right after that.
 *
 * @throws Error if it never runs
 */
export function nextRun(expression: string, after: number): number {
  for (const run of runsAfter(parse(expression), after, systemClock)) return run;
  throw neverRuns(expression);
}

/**
 * The same for a job of the day, by the clock of a time zone: what the clock shows twice runs once, the first time.
 *
 * @throws Error if it never runs
 */
export function nextRunOnce(expression: string, after: number, offsetAt: OffsetAt): number {
  for (const run of runsAfter(parse(expression), after, { offsetAt, isOnce: true })) return run;
  throw neverRuns(expression);
}

/**
 * The longest gap between two runs of a valid cron expression over the next 7 days, seconds; at least the first gap.
 * @throws Error if it never runs
 */
export function longestGap(expression: string): number {
  const fields = parse(expression);
  const gap = isHourly(fields) ? gapOfHour(fields) : gapOfWeek(runsAfter(fields, Date.now() / 1000, systemClock));
  if (gap === 0) throw neverRuns(expression);
  return gap;
}

/** Why a cron expression (five fields, or six with seconds first) is invalid; `undefined` if it is valid. */
export function cronProblem(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  if (!valid) return `${errors.map(({ message }) => message).join(', ')}. Every five minutes is "*/5 * * * *"`;
  try {
    nextRun(expression, Date.now() / 1000);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const neverRuns = (expression: string): Error => new Error(`the schedule ${expression} never runs`);

/** Whether a field has all numbers of a range. */
const hasAll = (field: readonly unknown[], from: number, to: number): boolean =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).every((value) => field.includes(value));

const isDaily = ({ dayOfMonth, month, dayOfWeek }: ParsedFields): boolean =>
  hasAll(dayOfMonth, 1, 31) && hasAll(month, 1, 12) && hasAll(dayOfWeek, 0, 6);

/** Whether a schedule is the same in every hour of every day, so that neither the calendar nor a clock change matters to it. */
const isHourly = (fields: ParsedFields): boolean => hasAll(fields.hour, 0, 23) && isDaily(fields);

const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** The gap after the last run of an hour leads to the first one of the next hour. */
function gapOfHour({ minute, second }: ParsedFields): number {
  const seconds = ascending(second);
  const runs = ascending(minute).flatMap((at) => seconds.map((offset) => 60 * at + offset));
  return Math.max(...runs.map((run, i) => (runs[i + 1] ?? (runs[0] ?? 0) + 3600) - run));
}

function gapOfWeek(runs: Iterable<number>): number {
  let first: number | undefined;
  let previous: number | undefined;
  let longest = 0;
  for (const run of runs) {
    if (first !== undefined && longest > 0 && run > first + WEEK) break;
    first ??= run;
    longest = Math.max(longest, run - (previous ?? run));
    previous = run;
  }
  return longest;
}

/** The clock that a schedule goes by. */
interface Clock {
  readonly offsetAt: OffsetAt;
  /** Whether there is no second run for what it shows twice. */
  readonly isOnce: boolean;
}

/** The times of a day that a schedule names, ascending. */
class DayTimes {
  readonly #hours: readonly number[];
  readonly #minutes: readonly number[];
  readonly #seconds: readonly number[];

  constructor({ hour, minute, second }: ParsedFields) {
    this.#hours = ascending(hour);
    this.#minutes = ascending(minute);
    this.#seconds = ascending(second);
  }

  /** Those of a day within these bounds, as the clock shows them: seconds as if it were UTC. */
  *within(day: number, from: number, before: number): Generator<number> {
    for (const hour of this.#hours) {
      const hourStart = day + 3600 * hour;
      if (hourStart + 3600 <= from) continue;
      if (hourStart >= before) return;
      for (const minute of this.#minutes) {
        for (const second of this.#seconds) {
          const clock = hourStart + 60 * minute + second;
          if (clock >= from && clock < before) yield clock;
        }
      }
    }
  }
}

function* runsAfter(fields: ParsedFields, after: number, clock: Clock): Generator<number> {
  const times = new DayTimes(fields);
  const offset = clock.offsetAt(after);
  const runsOf = isHourly(fields)
    ? (day: number): Iterable<number> => runsOfEvenDay(times, day, after, offset)
    : (day: number): Iterable<number> => runsOfDay(times, day, after, clock);
  let last = after;
  for (const day of daysOf(fields, Math.floor((after + offset) / DAY) * DAY)) {
    for (const run of runsOf(day)) {
      if (run <= last) continue;
      last = run;
      yield run;
    }
  }
}

/** The runs of a day on which the clock is not changed. */
function* runsOfEvenDay(times: DayTimes, day: number, after: number, offset: number): Generator<number> {
  for (const clock of times.within(day, Math.max(day, after + offset), day + DAY)) yield clock - offset;
}

/** Local time is at most this far behind UTC, or ahead of it, and is changed by less, seconds. */
const FARTHEST = 15 * 3600;

/** The runs of any day, ascending. */
function* runsOfDay(times: DayTimes, day: number, after: number, { offsetAt, isOnce }: Clock): Generator<number> {
  const [from, to] = [day - FARTHEST, day + DAY + FARTHEST];
  const [before, behind] = [offsetAt(from), offsetAt(to)];
  if (before === behind) return yield* runsOfEvenDay(times, day, after, before);
  const change = changeWithin(from, to, offsetAt);
  const [end, start] = [change + before, change + behind];
  for (const clock of times.within(day, Math.max(day, after + before), Math.min(end, day + DAY))) yield clock - before;
  for (const _ of times.within(day, end, start)) {
    yield change;
    break;
  }
  const first = isOnce ? Math.max(end, start) : start;
  for (const clock of times.within(day, Math.max(first, after + behind), day + DAY)) yield clock - behind;
}

/** The first second after a change of the clock that is between these times. */
function changeWithin(from: number, to: number, offsetAt: OffsetAt): number {
  const offset = offsetAt(from);
  let [before, at] = [from, to];
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2);
    if (offsetAt(middle) === offset) before = middle;
    else at = middle;
  }
  return at;
}

/** The days of a schedule from this one on. */
function* daysOf(fields: ParsedFields, from: number): Generator<number> {
  if (!isDaily(fields)) return yield* matchingDays(fields, from);
  for (let day = from; ; day += DAY) yield day;
}

/** Only node-cron knows all notations of a day, for example `5L`. It needs a millisecond to prepare the search. */
function* matchingDays({ dayOfMonth, month, dayOfWeek }: ParsedFields, from: number): Generator<number> {
  const days = createTask(`* * * ${dayOfMonth} ${month} ${dayOfWeek}`, () => undefined, { timezone: 'UTC' });
  try {
    for (let day = from; day < from + MAX_DAYS * DAY; day += DAY) {
      if (days.match(new Date(day * 1000))) yield day;
    }
  } finally {
    void days.destroy();
  }
}

const systemClock: Clock = { offsetAt: (time) => -60 * new Date(time * 1000).getTimezoneOffset(), isOnce: false };
