import { isUncountedFigure } from '../model/uncounted.ts';
import type { Advice } from './advice.ts';
import { hoursShort, neededFor } from './curve.ts';

/** Hours a year that each number of licenses is too small. */

type Curve = Pick<Advice, 'hoursAtLeast' | 'bought' | 'peak'>;

/** A number of licenses, and the hours a year in which more were in use. */
export interface Step {
  readonly licenses: number;
  readonly hoursShort: number;
}

/** Numbers below the needed one that are shown, so that a reader sees what the next steps would cost. */
const BELOW = 3;
const MAX_STEPS = 50;

/** From one license less than bought, or from the peak if that is lower, to some below the needed number. */
export function stepsOf(curve: Curve, tolerance: number): readonly Step[] {
  const { bought, peak } = curve;
  const needed = neededFor(curve, tolerance);
  if (needed === undefined || bought === undefined || isUncountedFigure(bought)) return [];
  const first = Math.min(bought - 1, Math.max(peak ?? 0, needed));
  const last = Math.max(0, needed - BELOW, first - MAX_STEPS + 1);
  return Array.from({ length: Math.max(0, first - last + 1) }, (_, i) => ({
    licenses: first - i,
    hoursShort: hoursShort(curve, first - i),
  }));
}
