import type { MetricName } from '../../src/exporter/metrics/catalogue.ts';
import { TextWriter } from '../../src/exporter/metrics/family.ts';
import { featureLabels } from '../../src/exporter/metrics/metric.ts';
import { buildRows } from '../../src/exporter/metrics/rows.ts';

/** Gauges that share the labels of features. */
export interface Gauges {
  readonly names: readonly MetricName[];
  /** The values of the labels of a feature, by row. */
  readonly labels: readonly (readonly string[])[];
  /** The values of each gauge, by row. */
  readonly values: readonly Float64Array[];
}

/** Rows of a piece. */
const ROWS = 4096;

/**
 * Prepares the labels, and returns a function that renders everything and gives the bytes to `take`, which must copy what it
 * keeps. The only place of the benchmark that knows how the exporter renders.
 */
export function createFullRender({ names, labels, values }: Gauges): (take: (bytes: Uint8Array) => void) => void {
  const writer = new TextWriter();
  const encoded = names.map((name) => Buffer.from(name));
  const ranges = Array.from({ length: Math.ceil(labels.length / ROWS) }, (_, range) =>
    buildRows(featureLabels, labels.slice(range * ROWS, (range + 1) * ROWS)),
  );
  return (take) => {
    for (const [range, rows] of ranges.entries()) {
      for (const [at, name] of encoded.entries()) {
        writer.clear();
        const shown = values[at] as Float64Array;
        for (let row = 0; row < rows.count; row += 1) writer.line(name, rows, row, shown[range * ROWS + row] as number);
        take(writer.text);
      }
    }
  };
}
