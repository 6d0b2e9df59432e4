import type { AdviceContext, Growth } from './advice.ts';
import type { Regime } from './bought.ts';
import type { WindowFigures } from './figures.ts';
import type { Refusals } from './refusals.ts';
import type { UseDays } from './use-days.ts';
import type { WeeklyPeaks } from './window.ts';

/** Everything that the state and its reason are decided from. */
export interface Findings {
  readonly context: AdviceContext;
  readonly bought: number | undefined;
  /** The last day with data, if the number of licenses is not known now. */
  readonly boughtAsOf: number | undefined;
  readonly regime: Regime;
  readonly use: UseDays;
  readonly figures: WindowFigures;
  readonly refusals: Refusals;
  readonly weeks: WeeklyPeaks;
  readonly growth: Growth;
  /** Licenses by which use may rise in a year; `undefined` if growth is not known. */
  readonly mostRise: number | undefined;
  readonly busyWeek: number | undefined;
  readonly needed: number | undefined;
  /** The most licenses that were reserved in the window; `undefined` if it was never known. */
  readonly mostReserved: number | undefined;
  /** Days that count. */
  readonly days: number;
}
