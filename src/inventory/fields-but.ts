import type { Fields, Merge } from '../query-api/field.ts';

type FieldsBut<F extends Fields, M extends Merge> = {
  readonly [Name in keyof F as F[Name]['merge'] extends M ? never : Name]: F[Name];
};

/** The fields of a table without those with the given merge rules, for example those that a row has as labels. */
export function fieldsBut<F extends Fields, M extends Merge>(fields: F, ...merges: readonly M[]): FieldsBut<F, M> {
  const others = Object.entries(fields).filter(([, { merge }]) => !(merges as readonly Merge[]).includes(merge));
  return Object.fromEntries(others) as FieldsBut<F, M>;
}
