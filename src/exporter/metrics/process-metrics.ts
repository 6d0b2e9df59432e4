import { setImmediate as turn } from 'node:timers/promises';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

const LAG = 'nodejs_eventloop_lag';

/** Gauges that are named like counters, which the lint rejects, and those of the event loop, which need a timer. */
const leftOut = new RegExp(`^nodejs_active_(?:handles|requests|resources)_total$|^${LAG}_`);

/** How often prom-client looks at the event loop, milliseconds. By default, it wakes the process a hundred times a second. */
const EVENT_LOOP_PRECISION = 86_400_000;

/** That of prom-client is the lag at the scrape before. */
function exposeLag(registry: Registry): void {
  new Gauge({
    name: `${LAG}_seconds`,
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
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION });
  for (const { name } of registry.getMetricsAsArray()) if (leftOut.test(name)) registry.removeSingleMetric(name);
  exposeLag(registry);
}
