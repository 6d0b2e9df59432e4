import type { Cell, TargetAnswer } from './panel-data.ts';

/** How many names and prices an answer has, for the log. */

/** Cells read between two yields. */
const SLICE = 256;

/** The values of some columns, row by row. */
function* valuesOf({ items }: TargetAnswer, wanted: readonly string[]): Generator<readonly Cell[]> {
  for (const item of items) {
    if (!('rows' in item)) continue;
    const at = item.columns.flatMap(({ text }, i) => (wanted.includes(text) ? [i] : []));
    if (at.length === 0) continue;
    for (const row of item.rows) yield at.map((i) => row[i] ?? null);
  }
}

/** Columns that identify a person. */
const NAMES = ['User', 'Full name', 'Host', 'Display'];

/** Different people in a table of users. */
export function* namesIn(answer: TargetAnswer): Generator<void, number> {
  const people = new Set<string>();
  let read = 0;
  for (const values of valuesOf(answer, NAMES)) {
    read += 1;
    if (read % SLICE === 0) yield;
    const name = values.find((value) => value !== null && value !== '');
    if (name !== undefined) people.add(String(name));
  }
  return people.size;
}

/** Columns with amounts of money. */
const AMOUNTS = ['Price', 'Saving', 'Cost'];

/** Rows with an amount of money. */
export function* pricesIn(answer: TargetAnswer): Generator<void, number> {
  let [read, count] = [0, 0];
  for (const values of valuesOf(answer, AMOUNTS)) {
    read += 1;
    if (read % SLICE === 0) yield;
    if (values.some((value) => value !== null)) count += 1;
  }
  return count;
}
