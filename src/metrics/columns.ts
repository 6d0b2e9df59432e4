import type { Table } from '../inventory/table.ts';
import type { Fields } from '../query-api/field.ts';
import { type ModelName, modelName } from '../query-api/records.ts';
import { catalogue, type MetricName } from './catalogue.ts';
import { createFamily, type Family, toNumber } from './family.ts';
import { type Enabled, isEnabled, type Metric, type MetricOf } from './metric.ts';
import type { Rows } from './rows.ts';

/** How metrics are read from the tables of the inventory: which column a gauge shows follows from the table of fields. */

type GaugeField<F extends Fields> = {
  [Name in keyof F]: F[Name]['metric'] extends `license_${string}` ? Name : never;
}[keyof F] &
  string;

interface FieldGauge<Column> {
  readonly name: MetricName;
  readonly column: Column;
}

/**
 * The gauges of a table's fields, in the order of `metrics`.
 *
 * @param columnOf how rows call a field
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

/**
 * Families of the gauges that are exposed.
 *
 * @param rowOf the row of the table that a row of the families is about
 */
export function collectGauges<
  Column extends string,
  Row extends { readonly [Name in Column]: number | boolean | undefined },
>(
  gauges: readonly FieldGauge<Column>[],
  enabled: Enabled,
  table: Table<Row>,
  rows: Rows,
  rowOf = (row: number): number => row,
): Family[] {
  return gauges
    .filter(({ name }) => isEnabled(catalogue[name], enabled))
    .map(({ name, column }) => {
      const read = table.column(column);
      return createFamily(name, rows, (row) => toNumber(read(rowOf(row))));
    });
}

/** A reader of the label values of a row: each label is the column of the same name. */
export function labelsOf<Label extends string, Row extends { readonly [Name in ModelName<Label>]: string | undefined }>(
  labels: readonly Label[],
  table: Table<Row>,
): (row: number) => readonly string[] {
  const columns = labels.map((label) => table.column(modelName(label)));
  return (row) => columns.map((read) => read(row) ?? '');
}
