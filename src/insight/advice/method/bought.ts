import type { DayColumns } from './demand.ts';

/** How many licenses were bought when: what the recorded days show of it. */

/** A level that lasts for fewer days is no change: two versions of a license side by side, a server that is away. */
const CHANGE_DAYS = 14;

/** Since when the number of licenses is what it is. */
export interface Regime {
  /** First day. */
  readonly from: number;
  /** Licenses since then; `undefined` if no day has a number. */
  readonly level: number | undefined;
  /** The last change of the level. */
  readonly change: Change | undefined;
}

/** A change of the number of licenses on one day, counted from 1970-01-01. */
export interface Change {
  readonly day: number;
  readonly before: number;
  readonly after: number;
}

interface Run {
  level: number;
  readonly from: number;
  days: number;
}

/** Days at the same level in succession. An expired license (level 0) is no change of what was bought. */
function runsOf({ day, available }: DayColumns, today: number): Run[] {
  const runs: Run[] = [];
  for (let i = 0; i < day.length; i += 1) {
    const [at, level] = [day[i] ?? today, available[i] ?? Number.NaN];
    if (at >= today || !(level > 0)) continue;
    const last = runs.at(-1);
    if (last?.level === level) continue;
    if (last !== undefined) last.days = at - last.from;
    runs.push({ level, from: at, days: today - at });
  }
  return runs;
}

/** @param bought now, if known */
export function regimeOf(days: DayColumns, bought: number | undefined, today: number): Regime {
  const runs = runsOf(days, today);
  const lasting: Run[] = [];
  for (const run of runs) {
    if (run.days >= CHANGE_DAYS && run.level !== lasting.at(-1)?.level) lasting.push(run);
  }
  const last = lasting.at(-1);
  const before = lasting.at(-2);
  const newest = runs.at(-1);
  const level =
    last?.level ?? runs.reduce<number | undefined>((most, run) => Math.max(most ?? 0, run.level), undefined);
  const from = last?.from ?? runs[0]?.from ?? days.day[0] ?? today;
  if (bought !== undefined && level !== undefined && bought !== level && bought > 0) {
    const day = newest?.level === bought ? newest.from : today;
    return { from, level, change: { day, before: level, after: bought } };
  }
  const change = last && before && { day: last.from, before: before.level, after: last.level };
  return { from: before === undefined ? Math.min(from, days.day[0] ?? from) : from, level, change };
}

/** The last day with a known number of licenses, and that number. */
export function lastBought(
  { day, available }: DayColumns,
  today: number,
): { readonly day: number; readonly level: number } | undefined {
  for (let i = day.length - 1; i >= 0; i -= 1) {
    const [at, level] = [day[i] ?? today, available[i] ?? Number.NaN];
    if (at < today && !Number.isNaN(level)) return { day: at, level };
  }
  return undefined;
}
