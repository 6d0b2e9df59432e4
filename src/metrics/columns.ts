import type { Fields } from '../query-api/field.ts';
import { type ModelName, modelName } from '../query-api/records.ts';
import { catalogue, type MetricName } from './catalogue.ts';
import { createFamily, type Family, toNumber } from './family.ts';
import { type Enabled, isEnabled, type Metric, type MetricOf } from './metric.ts';
import type { Rows } from './rows.ts';

/** Reads metrics from the rows of the inventory. The table of fields defines which column a gauge shows. */

type GaugeField<F extends Fields> = {
  [Name in keyof F]: F[Name]['metric'] extends `license_${string}` ? Name : never;
}[keyof F] &
  string;

interface FieldGauge<Column> {
  readonly name: MetricName;
  readonly column: Column;
}

/**
 * Returns the gauges of a table's fields, in the order of `metrics`.
 *
 * @param columnOf returns the column of a field
 */
export function fieldGauges<F extends Fields, Column>(
  fields: F,
  metrics: Readonly<Record<MetricOf<F>, Metric>>,
  columnOf: (field: ModelName<GaugeField<F>>) => Column,
): readonly FieldGauge<Column>[] {
  const gauges = Object.entries(fields).map(([field, { metric }]) => ({
    name: metric as MetricName,
    column: columnOf(modelName(field as GaugeField<F>)),
  }));
  return Object.keys(metrics).flatMap((name) => gauges.filter((gauge) => gauge.name === name));
}

/** Returns the families of the enabled gauges. The rows are those of the table. */
export function collectGauges<
  Column extends string,
  Row extends { readonly [Name in Column]: number | boolean | undefined },
>(gauges: readonly FieldGauge<Column>[], enabled: Enabled, table: readonly Row[], rows: Rows): Family[] {
  return gauges
    .filter(({ name }) => isEnabled(catalogue[name], enabled))
    .map(({ name, column }) => createFamily(name, rows, (row) => toNumber(table[row]?.[column])));
}

/** Returns a reader of the label values of a row. Each label is the column of the same name. */
export function labelsOf<Label extends string, Row extends { readonly [Name in ModelName<Label>]: string | undefined }>(
  labels: readonly Label[],
): (row: Row) => readonly string[] {
  const columns = labels.map((label) => modelName(label));
  return (row) => columns.map((column) => row[column] ?? '');
}
