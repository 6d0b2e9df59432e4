import { setImmediate as turn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import gc from 'prom-client/lib/metrics/gc.js';
import heapSize from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import heapSpaces from 'prom-client/lib/metrics/heapSpacesSizeAndUsed.js';
import memory from 'prom-client/lib/metrics/osMemoryHeap.js';
import handles from 'prom-client/lib/metrics/processHandles.js';
import mostOpenFiles from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import openFiles from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import requests from 'prom-client/lib/metrics/processRequests.js';
import resources from 'prom-client/lib/metrics/processResources.js';
import startTime from 'prom-client/lib/metrics/processStartTime.js';
import version from 'prom-client/lib/metrics/version.js';

/** Gauges of prom-client that are named like counters, which the lint rejects. */
const counterLikeGauges = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** That of prom-client loads OpenTelemetry. */
function processorTime(registry: Registry): void {
  const counter = (name: string, help: string, read: (usage: NodeJS.CpuUsage) => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read(process.cpuUsage()) / 1e6);
      },
    });
  counter('process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.', ({ user }) => user);
  counter('process_cpu_system_seconds_total', 'Total system CPU time spent in seconds.', ({ system }) => system);
  counter(
    'process_cpu_seconds_total',
    'Total user and system CPU time spent in seconds.',
    ({ user, system }) => user + system,
  );
}

/** That of prom-client wakes the process a hundred times a second. */
function eventLoopLag(registry: Registry): void {
  new Gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'Lag of event loop in seconds.',
    registers: [registry],
    async collect() {
      const asked = performance.now();
      await turn();
      this.set((performance.now() - asked) / 1000);
    },
  });
}

/** Registers the metrics of the process: the default metrics of prom-client, except for what has a cost without a scrape. */
export function exposeProcess(registry: Registry): void {
  for (const register of [
    processorTime,
    startTime,
    memory,
    openFiles,
    mostOpenFiles,
    eventLoopLag,
    resources,
    handles,
    requests,
    heapSize,
    heapSpaces,
    version,
    gc,
  ])
    register(registry);
  for (const name of counterLikeGauges) registry.removeSingleMetric(name);
}
