import { createTask, type ScheduledTask, validateDetailed } from 'node-cron';

/** Why a cron expression (five fields, or six with seconds first) is not valid; `undefined` when it is. */
export function cronProblem(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  return valid ? undefined : errors.map(({ message }) => message).join(', ');
}

const WEEK_SECONDS = 7 * 86_400;
/** One run a minute for a week. Denser schedules repeat long before. */
const MAX_RUNS = 7 * 1440 + 1;

/** The gap of each schedule and the hour it was found in: to find it is slow, and every reload asks again. */
const found = new Map<string, { readonly hour: number; readonly gap: number }>();

/** The longest gap between two runs of a schedule over the next 7 days, seconds; at least the first gap. */
export function longestGap(expression: string): number {
  const hour = Math.floor(Date.now() / 3_600_000);
  const known = found.get(expression);
  if (known?.hour === hour) return known.gap;
  const gap = findLongestGap(expression);
  found.set(expression, { hour, gap });
  return gap;
}

function findLongestGap(expression: string): number {
  const task = createTask(expression, () => undefined);
  let runs: number[] = [];
  // finding runs is slow, so no more are looked for than a sparse schedule needs
  for (let count = 32; count <= MAX_RUNS; count = count === MAX_RUNS ? count + 1 : Math.min(count * 8, MAX_RUNS)) {
    runs = task.getNextRuns(count).map((run) => run.getTime() / 1000);
    if ((runs.at(-1) ?? 0) > (runs[0] ?? 0) + WEEK_SECONDS) break;
  }
  void task.destroy();
  const end = (runs[0] ?? 0) + WEEK_SECONDS;
  const gaps = runs.slice(1).map((run, i) => ({ run, gap: run - (runs[i] ?? run) }));
  return Math.max(gaps[0]?.gap ?? 0, ...gaps.filter(({ run }) => run <= end).map(({ gap }) => gap));
}

/** A schedule that calls `run` at its times until it is destroyed. `run` itself keeps runs from overlapping. */
export function createSchedule(expression: string, name: string, run: () => void): ScheduledTask {
  return createTask(expression, run, { name, suppressMissedWarning: true });
}
