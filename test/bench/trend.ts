export interface Sample {
  readonly at: number;
  readonly value: number;
}

/**
 * The growth of values over the time of the samples, by linear regression: a share of the mean, so that 0.05 is 5 %. Single
 * high values do not count, as one of the garbage collector would.
 */
export function trendOf(samples: readonly Sample[]): { readonly growth: number; readonly mean: number } {
  const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const mean = average(samples.map(({ value }) => value));
  const middle = average(samples.map(({ at }) => at));
  const slope =
    samples.reduce((sum, { at, value }) => sum + (at - middle) * (value - mean), 0) /
    samples.reduce((sum, { at }) => sum + (at - middle) ** 2, 0);
  const span = (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0);
  return { growth: (slope * span) / mean, mean };
}
