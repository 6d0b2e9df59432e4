import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { answerParent } from '../child.ts';
import { type LongestTurn, watchTurns } from '../turns.ts';

/** What is loaded into the built daemon before its own code, so that it measures itself when it is asked. */

/** Processor time since the start of the process, microseconds. */
export interface CpuTime {
  readonly all: number;
  readonly main: number;
}

const delays = monitorEventLoopDelay({ resolution: 1 });
const cpuTime = ({ user, system }: NodeJS.CpuUsage): number => user + system;

/** The longest block of the event loop, milliseconds. */
export interface Block {
  readonly time: number;
  /** Processor time of the main thread. The rest of a block is the system's, which lets other threads run. */
  readonly cpu: number;
}

let longestCpu = 0;
let stopWatching: ReturnType<typeof watchTurns> | undefined;
let watching: NodeJS.Timeout | undefined;

const methods = {
  cpu: (): CpuTime => ({ all: cpuTime(process.cpuUsage()), main: cpuTime(process.threadCpuUsage()) }),
  /** Watches for blocks of the event loop. This costs processor time. */
  watch: () => {
    delays.reset();
    delays.enable();
    longestCpu = 0;
    let last = process.threadCpuUsage();
    watching = setInterval(() => {
      longestCpu = Math.max(longestCpu, cpuTime(process.threadCpuUsage(last)));
      last = process.threadCpuUsage();
    }, 1);
  },
  /** Returns the longest block since `watch`. */
  longestBlock: (): Block => {
    delays.disable();
    clearInterval(watching);
    return { time: delays.max / 1e6, cpu: longestCpu / 1000 };
  },
  /** Watches the turns of the event loop, until `longestTurn`. */
  watchTurns: () => {
    stopWatching = watchTurns();
  },
  longestTurn: (): Promise<LongestTurn> | undefined => stopWatching?.(),
  /** Kinds of the resources that keep the event loop alive. */
  resources: () => process.getActiveResourcesInfo(),
};

export type DaemonMethods = typeof methods;

// the threads of the daemon load it too
if (isMainThread) {
  answerParent(methods);
  // the daemon ends when it has nothing to do, not when the benchmark does
  process.channel?.unref();
}
