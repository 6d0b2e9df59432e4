import { setImmediate as turn } from 'node:timers/promises';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { catalogue, type MetricName } from './catalogue.ts';
import { formatValue } from './family.ts';
import { formatLabels } from './rows.ts';

/** Registries of prom-client, and how they are rendered. */

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
function exposeProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION });
  for (const { name } of registry.getMetricsAsArray()) if (leftOut.test(name)) registry.removeSingleMetric(name);
  exposeLag(registry);
}

/** A sample of prom-client. `metricName` is set if it differs from the metric's name (`_bucket`, `_sum`, `_count`). */
type Sample = MetricValue<string> & { readonly metricName?: string };

/** Renders a metric of prom-client, whose own OpenMetrics renderer changes counters. */
function renderMetric(metric: MetricObjectWithValues<Sample>, format: 'text' | 'openmetrics'): string {
  const isOpen = format === 'openmetrics';
  const type = String(metric.type);
  const family = isOpen && type === 'counter' ? metric.name.replace(/_total$/, '') : metric.name;
  const help = metric.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const samples = metric.values
    .filter(({ value }) => !Number.isNaN(value))
    .map(({ metricName, labels, value }) => {
      const names = Object.keys(labels);
      // OpenMetrics writes bucket bounds as floats
      const values = names.map((name) => {
        const text = String(labels[name]);
        return isOpen && name === 'le' && /^\d+$/.test(text) ? `${text}.0` : text;
      });
      return `${metricName ?? metric.name}${formatLabels(names, values)} ${formatValue(value)}\n`;
    });
  if (samples.length === 0) return '';
  const escaped = isOpen ? help.replaceAll('"', '\\"') : help;
  return `# HELP ${family} ${escaped}\n# TYPE ${family} ${type}\n${samples.join('')}`;
}

/** @param processMetrics whether it has the metrics of the process */
export function createRegistry(processMetrics: boolean): Registry {
  const registry = new Registry();
  if (processMetrics) exposeProcess(registry);
  return registry;
}

/** The prom-client configuration of a metric of the catalogue. */
type Configuration = (name: MetricName) => {
  name: string;
  help: string;
  labelNames: string[];
  registers: Registry[];
};

/** Metrics of prom-client whose name, labels and help are those of the catalogue. */
export const configurationOf =
  (registry: Registry): Configuration =>
  (name) => ({
    name,
    help: catalogue[name].help,
    labelNames: [...catalogue[name].labels],
    registers: [registry],
  });

type Labels = Readonly<Record<string, string>>;

/** Registers a metric whose samples are read at each scrape. Without a value, there is no sample. */
export type Expose = (name: MetricName, read: () => Iterable<readonly [Labels, number | undefined]>) => void;

/** Gauges of prom-client that are read when a page is rendered. */
export const exposeIn =
  (registry: Registry): Expose =>
  (name, read) => {
    const configuration = configurationOf(registry)(name);
    const collectInto = (metric: Counter | Gauge, add: (labels: Labels, value: number) => void): void => {
      metric.reset();
      // prom-client starts a metric without labels at 0, which would be wrong
      if (configuration.labelNames.length === 0) metric.remove({});
      for (const [labels, value] of read()) if (value !== undefined) add(labels, value);
    };
    if (catalogue[name].type === 'counter') {
      new Counter({
        ...configuration,
        collect() {
          collectInto(this, (labels, value) => this.inc(labels, value));
        },
      });
    } else {
      new Gauge({
        ...configuration,
        collect() {
          collectInto(this, (labels, value) => this.set(labels, value));
        },
      });
    }
  };

/** The metrics of a registry as text. Samples without a value are left out. */
export async function renderRegistry(registry: Registry, format: 'text' | 'openmetrics'): Promise<string> {
  const metrics = (await registry.getMetricsAsJSON()) as MetricObjectWithValues<Sample>[];
  return metrics.map((metric) => renderMetric(metric, format)).join('');
}
