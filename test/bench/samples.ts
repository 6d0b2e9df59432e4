import type { Figures, Series } from '../../src/analyzer/history/sample.ts';

/** A noisy random walk for each feature, the same in every run. */
export interface Walk {
  readonly series: readonly Series[];
  /** The next collection of all features. */
  next(): readonly (readonly [Series, Figures])[];
}

/** A generator of numbers in [0, 1) (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function createWalk(features: number): Walk {
  const random = createRandom(1);
  const walkers = Array.from({ length: features }, (_, i) => ({
    series: { vendorLicense: `server${i % 50};daemon`, feature: `feature-${i}`, package: '', featureType: 'feature' },
    available: 5 + Math.floor(random() * 60),
    inUse: 0,
  }));
  return {
    series: walkers.map(({ series }) => series),
    next: () =>
      walkers.map((walker) => {
        const { available, series } = walker;
        if (random() < 0.35) walker.inUse += random() < 0.5 ? 1 : -1;
        const wanted = walker.inUse;
        walker.inUse = Math.max(0, Math.min(available, wanted));
        return [
          series,
          {
            available,
            inUse: walker.inUse,
            reserved: available > 40 ? 2 : 0,
            users: Math.ceil(walker.inUse * 0.8),
            denials: wanted > available ? 1 : 0,
          },
        ];
      }),
  };
}
