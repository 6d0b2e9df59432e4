import { createTask, type ParsedFields, parse, validateDetailed } from 'node-cron';

/**
 * When a schedule runs. node-cron knows the notation, but its search takes 50 µs for each run, and it loses hours when the clocks
 * go back: it skips the hour that is repeated, or waits in a busy loop until it is over.
 */

const DAY = 86_400;
const WEEK = 7 * DAY;
/** Days searched for a run. A 29th of February on a certain weekday can be 40 years away. */
const MAX_DAYS = 100 * 366;

/** Local time minus UTC at a time, seconds. */
export type OffsetAt = (time: number) => number;

/**
 * The first run of a valid cron expression after a time, epoch seconds, by the clock of a time zone or else of the system.
 *
 * @throws Error if it never runs
 */
export function nextRun(expression: string, after: number, offsetAt: OffsetAt = systemOffsetAt): number {
  for (const run of runsAfter(parse(expression), after, offsetAt)) return run;
  throw neverRuns(expression);
}

/**
 * The longest gap between two runs of a valid cron expression over the next 7 days, seconds; at least the first gap.
 * @throws Error if it never runs
 */
export function longestGap(expression: string): number {
  const fields = parse(expression);
  const gap = isHourly(fields) ? gapOfHour(fields) : gapOfWeek(runsAfter(fields, Date.now() / 1000, systemOffsetAt));
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

function* runsAfter(fields: ParsedFields, after: number, offsetAt: OffsetAt): Generator<number> {
  const [hours, minutes, seconds] = [ascending(fields.hour), ascending(fields.minute), ascending(fields.second)];
  const offset = offsetAt(after);
  const timeOf = isHourly(fields)
    ? (clock: number): number => clock - offset
    : (clock: number): number | undefined => localTimeOf(clock, offsetAt);
  const now = after + offset;
  let last = after;
  for (const day of daysOf(fields, Math.floor(now / DAY) * DAY)) {
    for (const hour of hours) {
      if (day + 3600 * hour + 3600 <= now) continue;
      for (const minute of minutes) {
        const clock = day + 3600 * hour + 60 * minute;
        const time = timeOf(clock);
        if (time === undefined) continue;
        for (const second of seconds) {
          if (clock + second <= now || time + second <= last) continue;
          last = time + second;
          yield last;
        }
      }
    }
  }
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

/** By the clock of the system. */
const systemOffsetAt: OffsetAt = (time) => -60 * new Date(time * 1000).getTimezoneOffset();

/**
 * When the local clock shows a time, which is given in seconds as if it were UTC. `undefined` if a clock change skips it. Of
 * two such moments, it is the one that node-cron takes.
 */
function localTimeOf(clock: number, offsetAt: OffsetAt): number | undefined {
  const time = clock - offsetAt(clock);
  const offset = offsetAt(time);
  if (time + offset === clock) return time;
  const other = clock - offset;
  return other + offsetAt(other) === clock ? other : undefined;
}
