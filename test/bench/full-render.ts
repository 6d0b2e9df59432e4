import type { MetricName } from '../../src/metrics/catalogue.ts';
import { createFamily } from '../../src/metrics/family.ts';
import { featureLabels } from '../../src/metrics/metric.ts';
import { renderGauges } from '../../src/metrics/render.ts';
import { buildRowsNow } from '../../src/metrics/rows.ts';

/** Gauges that share the labels of features. */
export interface Gauges {
  readonly names: readonly MetricName[];
  /** The values of the labels of a feature, by row. */
  readonly labels: readonly (readonly string[])[];
  /** The values of each gauge, by row. */
  readonly values: readonly Float64Array[];
}

/**
 * Prepares the labels, and returns a function that renders everything and returns the bytes. The only place of the benchmark
 * that knows how the exporter renders.
 */
export function createFullRender({ names, labels, values }: Gauges): () => readonly Buffer[] {
  const keys = labels.map((of) => of.join('\n'));
  const rows = buildRowsNow(featureLabels, keys, (row) => labels[row] ?? []);
  const families = names.map((name, at) => createFamily(name, rows, (row) => values[at]?.[row]));
  return () => Array.from(renderGauges(families), ({ bytes }) => bytes);
}
