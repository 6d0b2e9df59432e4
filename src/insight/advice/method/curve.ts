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

/**
 * From some above the number that is kept, or from the peak if that is higher, to some below the needed number. The kept and the
 * needed one are always there. All that is bought is a step only if it is kept.
 *
 * @param kept licenses that the advice leaves; `undefined` if it does not say
 */
export function stepsOf(
  curve: Curve & Pick<Advice, 'bought' | 'peak'>,
  tolerance: number,
  kept: number | undefined,
): readonly Step[] {
  const { bought, peak } = curve;
  const needed = neededFor(curve, tolerance);
  if (needed === undefined || bought === undefined || isUncountedFigure(bought)) return [];
  const highest = Math.max(peak ?? 0, needed, (kept ?? 0) + 1);
  const first = kept === bought ? bought : Math.min(bought - 1, highest);
  const last = Math.max(0, needed - BELOW);
  const always = [kept, ...Array.from({ length: BELOW + 1 }, (_, i) => needed - i)];
  const all = Array.from({ length: Math.max(0, first - last + 1) }, (_, i) => first - i);
  let left = MAX_STEPS - always.length;
  return all
    .filter((licenses) => always.includes(licenses) || left-- > 0)
    .map((licenses) => ({ licenses, hoursShort: hoursShort(curve, licenses) }));
}
