import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type App, createApp } from '../../../src/app/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { SettingKey } from '../../../src/config/settings.ts';
import { answerParent } from '../child.ts';
import { type LongestTurn, watchTurns } from '../turns.ts';

/** The exporter in a process that measures itself. */

/** Processor time since the start of the process, microseconds. */
export interface CpuTime {
  readonly all: number;
  readonly main: number;
}

let app: App | undefined;
const problems: string[] = [];
const problem = (fields: object, message: string): void => {
  if (problems.length < 20) problems.push(`${message} ${JSON.stringify(fields)}`);
};
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
  /** Returns the URL of the daemon. */
  start: async (settings: Readonly<Partial<Record<SettingKey, unknown>>>): Promise<string> => {
    const flags = new Map(Object.entries(settings)) as Map<SettingKey, unknown>;
    const config = loadConfig({ flags, env: {}, requireAnalyzer: true });
    if (config.analyzer === undefined) throw new Error('no analyzer is configured');
    const log = { debug: () => undefined, info: () => undefined, warn: problem, error: problem };
    const deps = { log, version: '0.0.0', revision: 'bench', demo: false };
    app = createApp({ ...config, analyzer: config.analyzer }, deps);
    await app.start();
    return app.addresses()[0] ?? '';
  },
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
  problems: () => problems,
};

export type DaemonMethods = typeof methods;

answerParent(methods);
