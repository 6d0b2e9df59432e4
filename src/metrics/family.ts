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

/** A flag as 0 or 1; a number stays as it is. */
export const toNumber = (value: number | boolean | undefined): number | undefined =>
  typeof value === 'boolean' ? Number(value) : value;
