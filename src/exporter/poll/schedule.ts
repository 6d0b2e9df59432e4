import { nextRun } from '../../base/scheduling/runs.ts';

/** Maximum time of one timer, milliseconds: a timer cannot be set for more than 24 days. */
const MAX_WAIT_MS = 86_400_000;

/** Runs jobs on their schedules. */
export interface Schedules {
  start(): void;
  stop(): void;
}

/**
 * @param expressions cron expression by name
 * @param startOffset delay of every run, seconds
 * @param run called with the name; must prevent overlapping runs itself
 * @param now epoch seconds; it is not set back
 */
export function createSchedules<N extends string>(
  expressions: ReadonlyMap<N, string>,
  startOffset: number,
  run: (name: N) => void,
  now: () => number,
): Schedules {
  const timers = new Map<N, NodeJS.Timeout>();

  const runAt = (dueMs: number, name: N, expression: string): void => {
    const waitMs = Math.max(0, Math.min(dueMs - now() * 1000, MAX_WAIT_MS));
    const timer = setTimeout(() => {
      // a little early, or only a part of a long wait
      if (dueMs > now() * 1000) return schedule(name, expression);
      // if the process was suspended over several runs, one of them follows at once
      schedule(name, expression);
      run(name);
    }, waitMs);
    timers.set(name, timer);
  };

  const schedule = (name: N, expression: string): void => {
    const next = nextRun(expression, now() - startOffset);
    runAt((next + startOffset) * 1000, name, expression);
  };

  return {
    start: () => {
      for (const [name, expression] of expressions) schedule(name, expression);
    },
    stop: () => {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
