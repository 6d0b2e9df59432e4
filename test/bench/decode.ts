import type { Field } from '../../src/base/query-api/field.ts';
import { recordFields } from '../../src/base/query-api/records.ts';
import { decodeAnswer } from '../../src/exporter/inventory/decoding/decode.ts';
import { compare, type Line } from './report.ts';

function exampleOf({ type }: Field, feature: number, name: string): unknown {
  if (type === 'text') return `${name}-${feature % 500}`;
  if (type === 'flag') return feature % 2 === 0;
  if (type === 'scalar') return null;
  return type === 'number' ? Math.log10(1 + (feature % 77)) : feature % 1000;
}

/** A small answer is decoded in a fraction of a second: in fewer runs, it depends on chance what is compiled meanwhile. */
const LEAST_RUNS = 25;

/** Decoding an answer of GetFeatures, compared with a single JSON.parse of it. */
export async function benchDecode(features: number, runs: number): Promise<Line[]> {
  const fields = Object.entries<Field>(recordFields.GetFeatures);
  const records = Array.from({ length: features }, (_, feature) =>
    Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, feature, name)])),
  );
  const text = JSON.stringify([records]);
  const times = await compare(
    features > 10_000 ? runs : Math.max(runs, LEAST_RUNS),
    () => decodeAnswer('GetFeatures', Buffer.from(text), 2 ** 31),
    () => JSON.parse(Buffer.from(text).toString()),
  );
  return [
    { what: `G5 decoding GetFeatures, ${features} features`, ...times, unit: 'ms', ratio: times.peer / times.ours },
  ];
}
