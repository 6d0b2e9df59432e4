import type { TrendSeries } from '../../src/base/model/history.ts';
import type { Figure } from '../../src/base/model/unknown.ts';

/**
 * Uses of figures that the compiler lets through. `test/compiler.test.ts` finds each by its name, but for what only looks similar.
 */
export const figureUses = {
  'row.known is compared with undefined or null': (row: { readonly known: Figure }) => row.known === undefined,
  'row.reverse is compared with undefined or null': (row: { readonly reverse: Figure }) => null !== row.reverse,
  'figure is replaced with ??': (figure: Figure) => figure ?? 0,
  'waiting is tested for truth': (waiting: Figure) => (waiting ? 'some' : 'none'),
  'inUse is tested for truth': (inUse: Figure) => !inUse,
  'idle is tested for truth': (idle: Figure) => idle || 0,
  'bought is converted with Number': (bought: Figure) => Number(bought),
  'series.values is read from an array': (series: TrendSeries) => series.values[0],
  'time is converted with as': (time: Figure) => time as number,
  'right: optional': (figure: Figure | undefined) => figure === undefined,
  'right: zero': (figure: Figure) => figure === 0,
};
