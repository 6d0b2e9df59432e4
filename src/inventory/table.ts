/**
 * Rows for the readers of the inventory, which can read them by row or by column. A row is a view, and must not be kept
 * longer than its inventory.
 */
export interface Table<Row extends object> extends Iterable<Row> {
  readonly count: number;
  /** All rows in order. */
  rows(): IteratorObject<Row, undefined>;
  /** All rows in order, in one view that moves from row to row. Faster than `rows` if no row is kept. */
  scan(): IteratorObject<Row, undefined>;
  /** @throws RangeError when the row does not exist */
  at(row: number): Row;
  /** Returns a function that reads one column by row. Faster than `at` if the rest of the row is not needed. */
  column<Name extends keyof Row>(name: Name): (row: number) => Row[Name];
}

/** A table of rows that are plain objects. */
export function tableOf<Row extends object>(rows: readonly Row[]): Table<Row> {
  const at = (row: number): Row => {
    const found = rows[row];
    if (found === undefined) throw new RangeError(`there is no row ${row} of ${rows.length}`);
    return found;
  };
  return {
    count: rows.length,
    at,
    column: (name) => (row) => at(row)[name],
    rows: () => rows.values(),
    scan: () => rows.values(),
    [Symbol.iterator]: () => rows.values(),
  };
}
