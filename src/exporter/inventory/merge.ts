import type { ExpirationRecord, FeatureRecord, ProductRecord } from '../../base/model/records.ts';
import { isUncounted } from '../../base/model/uncounted.ts';
import type { Fields, Merge } from '../../base/query-api/field.ts';
import { type ModelRecord, modelName, recordFields } from '../../base/query-api/records.ts';

/** Merges records with the same labels field by field, by the rules in the tables of fields. */

type Rule<T> = (a: T | undefined, b: T | undefined) => T | undefined;

/** A rule that ignores an unknown value. */
const known =
  <T>(both: (a: T, b: T) => T): Rule<T> =>
  (a, b) =>
    a === undefined ? b : b === undefined ? a : both(a, b);

const sum: Rule<number> = (a, b) => (a === undefined || b === undefined ? undefined : a + b);
const maximum = known<number>(Math.max);
const minimum = known<number>(Math.min);

/** An unknown expiry is ignored if the other is a date. If the other is permanent, the result is unknown. */
const earliest: Rule<number> = (a, b) => {
  const end = minimum(a, b);
  return end === Number.POSITIVE_INFINITY && (a === undefined || b === undefined) ? undefined : end;
};

type WholeRecord = 'identity' | 'attribute' | 'none';

/** The rules of values that are merged one by one. The other values are taken from one record. */
const rules = {
  sum,
  peak: sum,
  distinct: maximum,
  maximum,
  minimum,
  earliest,
  all: known<boolean>((a, b) => a && b),
  any: known<boolean>((a, b) => a || b),
} as const satisfies Readonly<Record<Exclude<Merge, WholeRecord>, Rule<number> | Rule<boolean>>>;

type Values = Record<string, unknown>;

/**
 * Creates the merge function of a table. All texts are taken from one record. The attributes that are labels decide which
 * one, so the order of the records does not matter.
 *
 * @param decideFirst what is compared before the labels, which follow in the order of the table
 */
function createMerge<F extends Fields>(
  fields: F,
  decideFirst: (record: ModelRecord<F>) => readonly unknown[] = () => [],
): (a: ModelRecord<F>, b: ModelRecord<F>) => ModelRecord<F> {
  const columns = Object.entries(fields).map(([name, field]) => ({ ...field, name: modelName(name) }));
  const labels = columns.filter(({ merge, metric }) => merge === 'attribute' && metric === 'label');
  const merged = columns.flatMap(({ name, merge }) => {
    if (merge === 'identity' || merge === 'attribute' || merge === 'none') return [];
    return [{ name, rule: rules[merge] as Rule<unknown> }];
  });
  const decide = (record: Values): string =>
    JSON.stringify([...decideFirst(record as ModelRecord<F>), ...labels.map(({ name }) => record[name])]);
  const mergeValues = (a: Values, b: Values): Values => {
    const result = { ...(decide(b) < decide(a) ? b : a) };
    for (const { name, rule } of merged) result[name] = rule(a[name], b[name]);
    return result;
  };
  return mergeValues as (a: object, b: object) => ModelRecord<F>;
}

type MergeRecords<R> = (a: R, b: R) => R;

/** Two records of one vendor license as one. */
export const mergeProducts: MergeRecords<ProductRecord> = createMerge(recordFields.GetProducts);
/** With an uncounted record, the result is uncounted. */
export const mergeFeatures: MergeRecords<FeatureRecord> = createMerge(recordFields.GetFeatures, (record) => [
  isUncounted(record) ? 0 : 1,
  record.licenseType,
  record.licenseModel,
]);
/** Two expiries with the same labels as one. */
export const mergeExpirations: MergeRecords<ExpirationRecord> = createMerge(recordFields.GetExpirationFeatures);
