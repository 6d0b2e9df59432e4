/** Runs tasks, at most a given number at once, the others in order of arrival. */
export type Limit = <T>(task: () => Promise<T>) => Promise<T>;

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
      // a place is handed on, not given back, so that nobody can slip in between
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
