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
