import { type Figure, unknown } from '../../base/model/unknown.ts';
import { catalogue, type MetricName } from './catalogue.ts';
import type { Metric } from './metric.ts';
import type { Rows } from './rows.ts';

/** A metric with its samples, each with one row of labels and one value. `undefined` and NaN are not samples. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: Metric['type'];
  readonly rows: Rows;
  readonly value: (row: number) => number | undefined;
}

/** A family of the catalogue. */
export function createFamily(name: MetricName, rows: Rows, value: Family['value']): Family {
  const { help, type } = catalogue[name];
  return { name, help, type, rows, value };
}

/** What a sample shows: a flag as 0 or 1, and nothing for what is not known. */
export function toNumber(value: Figure | boolean | undefined): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === unknown ? undefined : value;
}
