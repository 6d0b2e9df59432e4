import { createTask, type ScheduledTask, validateDetailed } from 'node-cron';

/** Why a cron expression (five fields, or six with seconds first) is invalid; `undefined` if it is valid. */
export function cronProblem(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  return valid ? undefined : errors.map(({ message }) => message).join(', ');
}

const WEEK_SECONDS = 7 * 86_400;
/** Maximum number of runs to check: one run a minute for a week. Denser schedules repeat earlier. */
const MAX_RUNS = 7 * 1440 + 1;

/** The gap of each schedule, with the hour it was computed in. Cached, because computing it is slow and it is needed often. */
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
  // finding runs is slow, so no more are computed than a sparse schedule needs
  for (let count = 32; count <= MAX_RUNS; count = count === MAX_RUNS ? count + 1 : Math.min(count * 8, MAX_RUNS)) {
    runs = task.getNextRuns(count).map((run) => run.getTime() / 1000);
    if ((runs.at(-1) ?? 0) > (runs[0] ?? 0) + WEEK_SECONDS) break;
  }
  void task.destroy();
  const end = (runs[0] ?? 0) + WEEK_SECONDS;
  const gaps = runs.slice(1).map((run, i) => ({ run, gap: run - (runs[i] ?? run) }));
  return Math.max(gaps[0]?.gap ?? 0, ...gaps.filter(({ run }) => run <= end).map(({ gap }) => gap));
}

/** Runs jobs on their schedules. */
export interface Schedules {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param expressions cron expression by name
 * @param startOffset delay of every run, seconds
 * @param run called with the name; must prevent overlapping runs itself
 */
export function createSchedules<N extends string>(
  expressions: ReadonlyMap<N, string>,
  startOffset: number,
  run: (name: N) => void,
): Schedules {
  const offsets = new Set<NodeJS.Timeout>();
  let tasks: ScheduledTask[] = [];
  let isStopped = false;

  const runLater = (name: N): void => {
    const timer = setTimeout(() => {
      offsets.delete(timer);
      run(name);
    }, startOffset * 1000);
    offsets.add(timer);
  };

  return {
    start: async () => {
      tasks = [...expressions].map(([name, expression]) =>
        createTask(expression, () => runLater(name), { name, suppressMissedWarning: true }),
      );
      for (const task of tasks) if (!isStopped) await task.start();
    },
    stop: async () => {
      isStopped = true;
      for (const timer of offsets) clearTimeout(timer);
      await Promise.all(tasks.map((task) => task.destroy()));
    },
  };
}
