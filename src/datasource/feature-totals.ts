import type { FeatureRow } from '../inventory/feature-row.ts';
import type { DatasourceError } from './errors.ts';
import { number, shareInUse } from './live-columns.ts';
import { cell, type TargetAnswer } from './panel-data.ts';
import type { Query } from './query.ts';
import { type Cells, viewTable } from './table-view.ts';

/** The shape `totals` of the target `features`. */

/** From this share on, the next user may be denied. */
export const SATURATED = 0.95;

function isSaturated(row: FeatureRow): number | undefined {
  const share = shareInUse(row);
  return share === null ? undefined : Number(share >= SATURATED);
}

/** What is added up, by column. */
const addends: Readonly<Record<string, (row: FeatureRow) => number | undefined>> = {
  Features: () => 1,
  Saturated: isSaturated,
  'In use': ({ inUse }) => inUse,
  'Max queued': ({ maxQueued }) => maxQueued,
  'Inactive use': ({ inactiveUse }) => inactiveUse,
  'Borrowed use': ({ borrowedUse }) => borrowedUse,
  'Unused reserve': ({ unusedReserve }) => unusedReserve,
};

/** One row. A total of which no value is known is unknown, not 0. */
export function* featureTotals(
  query: Query,
  items: Iterable<FeatureRow | undefined>,
  problems: readonly DatasourceError[],
): Generator<void, TargetAnswer> {
  const sums = new Map<string, number>();
  for (const row of items) {
    yield;
    if (row === undefined) continue;
    for (const [name, addend] of Object.entries(addends)) {
      const value = addend(row);
      if (value !== undefined) sums.set(name, (sums.get(name) ?? 0) + value);
    }
  }
  const cells: Cells<typeof sums> = Object.keys(addends).map((name) => [number(name), (all) => cell(all.get(name))]);
  return yield* viewTable(query, { name: 'features', cells, items: [sums], problems });
}
