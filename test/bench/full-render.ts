import { expirationRecords, featureRecords } from '../../src/inventory/columns/record-fields.ts';
import { RecordStore } from '../../src/inventory/columns/record-store.ts';
import { TextTable } from '../../src/inventory/columns/text-table.ts';
import type { MetricName } from '../../src/metrics/catalogue.ts';
import { ChunkRenderer } from '../../src/metrics/feature-chunks.ts';
import { createLabelArena } from '../../src/metrics/label-arena.ts';

/** Gauges that share the labels of features. */
export interface Gauges {
  readonly names: readonly MetricName[];
  /** The values of the labels of a feature, by row. */
  readonly labels: readonly (readonly string[])[];
  /** The values of each gauge, by row. */
  readonly values: readonly Float64Array[];
}

/** Rows of a chunk. */
const ROWS = 4096;
const tail = Buffer.from('"} ');

/** The encoded labels of rows without records. */
function createArena(labels: Gauges['labels']) {
  const texts = new TextTable();
  const count = labels.length;
  const ids = new Uint32Array(count * (labels[0]?.length ?? 0));
  for (const [row, values] of labels.entries()) {
    for (const [label, value] of values.entries()) ids[label * count + row] = texts.intern(value);
  }
  const slots = new Int32Array(count).fill(-1);
  const rows = { generation: 1, layout: 1, count, labels: ids, featureSlots: slots, expirationSlots: slots };
  const [features, expirations] = [featureRecords, expirationRecords].map(({ layout }) => new RecordStore(layout)) as [
    RecordStore,
    RecordStore,
  ];
  return createLabelArena({ ...rows, withheld: new Uint8Array(count), features, expirations, texts });
}

/**
 * Prepares the labels, and returns a function that renders everything and gives the bytes to `take`, which must copy what it
 * keeps. The only place of the benchmark that knows how the exporter renders.
 */
export function createFullRender({ names, labels, values }: Gauges): (take: (bytes: Uint8Array) => void) => void {
  const renderer = new ChunkRenderer(createArena(labels));
  const encoded = names.map((name) => Buffer.from(name));
  const tails = Array.from({ length: ROWS }, () => tail);
  return (take) => {
    for (let from = 0; from < labels.length; from += ROWS) {
      const to = Math.min(from + ROWS, labels.length);
      renderer.selectRows(from, to);
      for (const [at, name] of encoded.entries()) {
        const source = { name, values: (values[at] as Float64Array).subarray(from, to), tails };
        take(renderer.render(source).text);
      }
    }
  };
}
