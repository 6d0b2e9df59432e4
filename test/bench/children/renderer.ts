import { Gauge, Registry } from 'prom-client';
import type { MetricName } from '../../../src/exporter/metrics/catalogue.ts';
import { fieldGauges } from '../../../src/exporter/metrics/field-metrics.ts';
import { collectors, featureLabels, isEnabled } from '../../../src/exporter/metrics/metric.ts';
import { answerParent } from '../child.ts';
import { createFullRender, type Gauges } from '../full-render.ts';
import { median } from '../report.ts';

/** The whole page rendered by the exporter, by prom-client, and copied. */

/** Processor time of the main thread, milliseconds. */
export interface RenderTimes {
  readonly ours: number;
  readonly promClient: number;
  readonly copy: number;
  readonly series: number;
}

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
};

/** Short work is repeated for this long, because the system counts processor time in steps of some milliseconds. */
const LEAST_MS = 100;

/** Median milliseconds of processor time, after a run to warm up. */
async function measure(runs: number, run: () => unknown): Promise<number> {
  await run();
  const times: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    const before = process.threadCpuUsage();
    let repeats = 0;
    for (; repeats === 0 || cpuMs(before) < LEAST_MS; repeats += 1) await run();
    times.push(cpuMs(before) / repeats);
  }
  return median(times);
}

const metricNames: readonly MetricName[] = fieldGauges('GetFeatures')
  .filter(({ metric }) => isEnabled(metric, collectors))
  .map(({ name }) => name);

function createGauges(count: number): Gauges {
  const names = metricNames;
  const labels = Array.from({ length: count }, (_, i) => [
    `license-server-${String(Math.floor(i / 2000)).padStart(4, '0')};vendor${Math.floor(i / 2000)}d`,
    `Simulation_${String(i).padStart(7, '0')}`,
    `20${20 + (i % 7)}.0`,
    i % 5 === 0 ? 'Simulation_Suite' : '',
    'feature',
  ]);
  const values = names.map((_, at) => Float64Array.from({ length: count }, (__, i) => (i * 7 + at) % 100));
  return { names, labels, values };
}

/** @param runs with 0, the first run counts */
async function measurePromClient({ names, labels, values }: Gauges, runs: number): Promise<number> {
  const registry = new Registry();
  const sets = labels.map((of) => Object.fromEntries(featureLabels.map((name, at) => [name, of[at] ?? ''])));
  const gauges = names.map(
    (name) => new Gauge({ name, help: 'A gauge.', labelNames: featureLabels, registers: [registry] }),
  );
  const render = async (): Promise<void> => {
    for (const [at, gauge] of gauges.entries()) {
      for (const [row, set] of sets.entries()) gauge.set(set, values[at]?.[row] ?? 0);
    }
    await registry.metrics();
  };
  if (runs > 0) return measure(runs, render);
  const before = process.threadCpuUsage();
  await render();
  return cpuMs(before);
}

const methods = {
  /** @param promClientRuns with 0, the first run of prom-client counts */
  render: async (atLeast: number, runs: number, promClientRuns: number): Promise<RenderTimes> => {
    const gauges = createGauges(Math.ceil(atLeast / metricNames.length));
    const render = createFullRender(gauges);
    const ours = await measure(runs, () => render(() => undefined));
    let chunks: Buffer[] = [];
    render((bytes) => chunks.push(Buffer.from(bytes)));
    const target = Buffer.alloc(chunks.reduce((bytes, { length }) => bytes + length, 0));
    const copy = await measure(runs, () => {
      let at = 0;
      for (const chunk of chunks) at += chunk.copy(target, at);
    });
    chunks = [];
    const series = gauges.labels.length * metricNames.length;
    return { ours, copy, promClient: await measurePromClient(gauges, promClientRuns), series };
  },
};

export type RendererMethods = typeof methods;

answerParent(methods);
