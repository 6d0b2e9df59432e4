/** Averages of a ratio of each feature over the last minutes. A ratio below one half counts as one half. */

/** The figure that low ratios count as. Only features above it need memory. */
const FLOOR = 0.5;
/** The window moves in steps of this part of it. */
const STEPS = 40;

/** Which feature a ratio is of. Its key is read only if it is needed. */
export interface Measured {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly key: string;
}

export interface Averages {
  /**
   * Begins an evaluation.
   *
   * @param now epoch seconds
   * @param known vendor licenses whose usage is known: features of them that have not been added were at most one half
   */
  begin(now: number, known: Iterable<string>): void;
  /** Adds the ratio of a feature, and returns its average over the window. */
  add(feature: Measured, ratio: number): number;
  /** Ends an evaluation: what was not added has no value at it. */
  end(): void;
}

/** Sums for each step of the window. Steps are numbered from 1970. */
class Sums {
  readonly #sums = new Float64Array(STEPS);
  #newest = 0;

  add(step: number, value: number): void {
    this.#moveTo(step);
    (this.#sums[step % STEPS] as number) += value;
  }

  total(step: number): number {
    this.#moveTo(step);
    let sum = 0;
    for (let i = 0; i < STEPS; i += 1) sum += this.#sums[i] as number;
    return sum;
  }

  #moveTo(step: number): void {
    for (let i = Math.max(this.#newest, step - STEPS) + 1; i <= step; i += 1) this.#sums[i % STEPS] = 0;
    this.#newest = step;
  }
}

/** A feature whose ratio was above one half within the window. */
interface Tracked {
  /** What its ratios were above one half. */
  readonly excess: Sums;
  /** Evaluations at which it had no value, although the usage of its vendor license was known. */
  readonly missing: Sums;
  /** The last step in which its ratio was above one half. */
  lastExcess: number;
  /** The number of the last evaluation that added it. */
  addedAt: number;
}

/** @param window seconds */
export function createAverages(window: number): Averages {
  const width = window / STEPS;
  /** Evaluations by vendor license at which its usage was known. */
  const evaluations = new Map<string, Sums>();
  /** By vendor license, name of the feature, and key. The first two are known without a search in most cases. */
  const tracked = new Map<string, Map<string, Map<string, Tracked>>>();
  let known = new Set<string>();
  let evaluation = 0;
  let step = 0;

  const track = ({ vendorLicense, feature, key }: Measured): Tracked => {
    const features = tracked.get(vendorLicense) ?? new Map<string, Map<string, Tracked>>();
    const sameName = features.get(feature) ?? new Map<string, Tracked>();
    const one = sameName.get(key) ?? { excess: new Sums(), missing: new Sums(), lastExcess: 0, addedAt: 0 };
    tracked.set(vendorLicense, features.set(feature, sameName.set(key, one)));
    return one;
  };

  const count = (name: string): void => {
    const counts = evaluations.get(name) ?? new Sums();
    counts.add(step, 1);
    evaluations.set(name, counts);
  };

  const isOver = ({ lastExcess }: Tracked): boolean => lastExcess <= step - STEPS;

  /** Counts what has no value, and drops what is not above one half any more. */
  const settle = (vendorLicense: string, features: Map<string, Map<string, Tracked>>): void => {
    for (const [feature, sameName] of features) {
      for (const [key, one] of sameName) {
        if (isOver(one)) sameName.delete(key);
        else if (one.addedAt !== evaluation && known.has(vendorLicense)) one.missing.add(step, 1);
      }
      if (sameName.size === 0) features.delete(feature);
    }
    if (features.size === 0) tracked.delete(vendorLicense);
  };

  return {
    begin: (now, vendorLicenses) => {
      const next = Math.floor(now / width);
      if (next < step) {
        // the clock was set back: the past is not known
        evaluations.clear();
        tracked.clear();
      }
      step = next;
      evaluation += 1;
      known = new Set(vendorLicenses);
      for (const name of known) count(name);
    },
    add: (feature, ratio) => {
      const { vendorLicense } = feature;
      if (ratio <= FLOOR && tracked.get(vendorLicense)?.has(feature.feature) !== true) return FLOOR;
      // its vendor license is not listed now, but its features still are
      if (!known.has(vendorLicense)) {
        known.add(vendorLicense);
        count(vendorLicense);
      }
      const one = track(feature);
      one.addedAt = evaluation;
      if (ratio > FLOOR) {
        one.excess.add(step, ratio - FLOOR);
        one.lastExcess = step;
      }
      const times = (evaluations.get(vendorLicense)?.total(step) ?? 0) - one.missing.total(step);
      return FLOOR + one.excess.total(step) / Math.max(1, times);
    },
    end: () => {
      for (const [vendorLicense, features] of tracked) settle(vendorLicense, features);
      for (const [name, counts] of evaluations) if (counts.total(step) === 0) evaluations.delete(name);
    },
  };
}
