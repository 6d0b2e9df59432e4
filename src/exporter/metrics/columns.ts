import type { Figure } from '../../base/model/unknown.ts';
import { type ModelName, modelName } from '../../base/query-api/records.ts';
import type { MetricName } from './catalogue.ts';
import { createFamily, type Family, toNumber } from './family.ts';
import type { FieldGauge } from './field-metrics.ts';
import { type Enabled, isEnabled } from './metric.ts';
import type { Rows } from './rows.ts';

/** Reads metrics from the rows of the inventory. The table of fields defines which column a gauge shows. */

/** Returns the families of the enabled gauges. The rows are those of the table. */
export const collectGauges = <
  Column extends string,
  Row extends { readonly [Name in Column]: Figure | boolean | undefined },
>(
  gauges: readonly FieldGauge<MetricName, Column>[],
  enabled: Enabled,
  table: readonly Row[],
  rows: Rows,
): Family[] =>
  gauges
    .filter(({ metric }) => isEnabled(metric, enabled))
    .map(({ name, column }) => createFamily(name, rows, (row) => toNumber(table[row]?.[column])));

/** Returns a reader of the label values of a row. Each label is the column of the same name. */
export function labelsOf<Label extends string, Row extends { readonly [Name in ModelName<Label>]: string | undefined }>(
  labels: readonly Label[],
): (row: Row) => readonly string[] {
  const columns = labels.map((label) => modelName(label));
  return (row) => columns.map((column) => row[column] ?? '');
}
