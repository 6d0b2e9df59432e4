import { Counter, Gauge, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import { catalogue, type MetricName } from './catalogue.ts';
import { formatValue } from './family.ts';
import { exposeProcess } from './process-metrics.ts';
import { formatLabels } from './rows.ts';

/** Registries of prom-client, and how they are rendered. */

/** A sample of prom-client. `metricName` is set if it differs from the metric's name (`_sum`, `_count`). */
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
      const values = names.map((name) => String(labels[name]));
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
