/** Robust statistics. Sorted arrays are ascending. */

/** Quantile with linear interpolation; NaN of no values. */
export function quantileOf(ascending: ArrayLike<number>, share: number): number {
  const at = (ascending.length - 1) * share;
  const below = Math.floor(at);
  const low = ascending[below] ?? Number.NaN;
  const high = ascending[below + 1] ?? low;
  return low + (high - low) * (at - below);
}

/** A sorted copy. NaN comes last. */
export const sorted = (values: ArrayLike<number>): Float64Array => new Float64Array(values).sort();

/** The median; NaN without values. */
export const medianOf = (values: ArrayLike<number>): number => quantileOf(sorted(values), 0.5);
