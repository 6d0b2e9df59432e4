/**
 * Rows as the readers of the inventory see them: by row and by column, whatever they are kept as. A row is a view that
 * must not be kept longer than the inventory it is from.
 */
export interface Table<Row extends object> extends Iterable<Row> {
  readonly count: number;
  /** All rows in order, one after the other. */
  rows(): IteratorObject<Row, undefined>;
  /** @throws RangeError when there is no such row */
  at(row: number): Row;
  /** Reads one column by row, which is faster than `at` where the rest of the row is not needed. */
  column<Name extends keyof Row>(name: Name): (row: number) => Row[Name];
}

/** A table over rows that are kept as objects. */
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
    [Symbol.iterator]: () => rows.values(),
  };
}
