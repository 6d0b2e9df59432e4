/** Runs tasks with limited concurrency. Waiting tasks are started in order of arrival. */
export type Limit = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs work when fewer than `concurrency` runs are under way. The others wait in the order of their calls. */
export function createLimit(concurrency: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // the slot passes directly to the next task, so that no new task can take it first
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
