import { isUncountedFigure } from '../../../base/model/uncounted.ts';
import type { Advice } from './advice.ts';

/** The curve of an efficiency chart: item `n` is the hours a year with at least `n` licenses in use, up to the peak + 1. */
type Curve = Pick<Advice, 'hoursAtLeast'>;

/** Hours a year in which `licenses` would have been too few. */
export const hoursShort = ({ hoursAtLeast }: Curve, licenses: number): number => hoursAtLeast[licenses + 1] ?? 0;

/** The smallest number that is exceeded for at most `tolerance` hours a year; `undefined` if that is not known. */
export function neededFor(curve: Curve, tolerance: number): number | undefined {
  if (curve.hoursAtLeast.length === 0) return undefined;
  let licenses = 0;
  while (hoursShort(curve, licenses) > tolerance) licenses += 1;
  return licenses;
}

/** A number of licenses, and the hours a year in which more were in use. */
export interface Step {
  readonly licenses: number;
  readonly hoursShort: number;
}

/** Numbers below the needed one that are shown, so that a reader sees what the next steps would cost. */
const BELOW = 3;
const MAX_STEPS = 50;

/** From one license less than bought, or from the peak if that is lower, to some below the needed number. */
export function stepsOf(curve: Curve & Pick<Advice, 'bought' | 'peak'>, tolerance: number): readonly Step[] {
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
