import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * The metrics of the process: what tells an operator of a restart, of the processor time, of the memory, of too many open files
 * and of a thread that is busy. The other default metrics of prom-client are about parts of V8, and nobody reads them here.
 */

const started = Date.now() / 1000 - process.uptime();

/** The CPU time of all threads, seconds. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** How long work waits for the main thread, seconds. */
async function eventLoopLag(): Promise<number> {
  const asked = performance.now();
  await turn();
  return (performance.now() - asked) / 1000;
}

/** Reads `/proc`, which only Linux has. */
function ofProc<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Without the one that the listing itself has open. */
const openFiles = (): number | undefined => ofProc(() => readdirSync('/proc/self/fd').length - 1);

/** No number if there is no limit. */
const maxFiles = (): number | undefined =>
  ofProc(() => {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  });

type Read = () => number | undefined | Promise<number>;

/** The gauges, by name: their help, and what they are read from at each scrape. */
const gauges: Readonly<Record<string, readonly [help: string, read: Read]>> = {
  process_start_time_seconds: ['Unix time at which the process started.', () => started],
  process_resident_memory_bytes: ['Memory of the process, all threads.', () => process.memoryUsage.rss()],
  process_open_fds: ['Open files and connections. Only on Linux.', openFiles],
  process_max_fds: ['Files and connections that may be open. Only on Linux.', maxFiles],
  nodejs_heap_size_used_bytes: ['Memory that objects of the main thread take.', () => process.memoryUsage().heapUsed],
  nodejs_eventloop_lag_seconds: ['How long work waited for the main thread at this scrape.', eventLoopLag],
};

const CPU = 'process_cpu_seconds_total';

/** Every metric of the process, by its help. */
export const processMetrics: Readonly<Record<string, string>> = {
  [CPU]: 'CPU time of the process, all threads.',
  ...Object.fromEntries(Object.entries(gauges).map(([name, [help]]) => [name, help])),
};

/** Registers the metrics of the process. What is not known has no sample. */
export function exposeProcess(registry: Registry): void {
  const registers = [registry];
  new Counter({
    name: CPU,
    help: processMetrics[CPU] ?? '',
    registers,
    collect() {
      this.reset();
      this.inc(cpuSeconds());
    },
  });
  for (const [name, [help, read]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read();
        if (value === undefined) this.remove({});
        else this.set(value);
      },
    });
  }
}
