import { type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';

/** Watches how long the turns of the event loop of this process keep its main thread. It costs processor time. */

/** A turn of the event loop, milliseconds. */
interface Turn {
  readonly from: number;
  readonly to: number;
  readonly cpu: number;
}

/** Milliseconds. */
export interface LongestTurn {
  /** Processor time of the longest turn, without garbage collections. */
  readonly block: number;
  /** The longest garbage collection. */
  readonly collection: number;
}

/** Shorter turns are not kept. */
const TURN_MS = 2;

/** How much of the turn were garbage collections. */
function timeWithin({ from, to }: Turn, collections: readonly PerformanceEntry[]): number {
  let sum = 0;
  for (const { startTime, duration } of collections) {
    sum += Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime));
  }
  return sum;
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

/** Begins to watch. @returns a function that ends it */
export function watchTurns(): () => Promise<LongestTurn> {
  const turns: Turn[] = [];
  let last = process.threadCpuUsage();
  let from = performance.now();
  // processor time: on a busy machine, other programs take longer than a block
  const watching = setInterval(() => {
    const to = performance.now();
    const cpu = milliseconds(process.threadCpuUsage(last));
    if (cpu > TURN_MS) turns.push({ from, to, cpu });
    from = to;
    last = process.threadCpuUsage();
  }, 1);
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return async () => {
    clearInterval(watching);
    // entries are reported later
    await new Promise((resolve) => setTimeout(resolve, 100));
    observer.disconnect();
    const longest = (times: Iterable<number>): number => Math.max(0, ...times);
    return {
      block: longest(turns.map((turn) => turn.cpu - timeWithin(turn, collections))),
      collection: longest(collections.map(({ duration }) => duration)),
    };
  };
}
