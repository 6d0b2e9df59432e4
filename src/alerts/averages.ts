/** Averages of a ratio of each feature over the last minutes. A ratio below one half counts as one half. */

/** The figure that low ratios count as. Only features above it need memory. */
const FLOOR = 0.5;
/** The window moves in steps of this part of it. */
const STEPS = 40;

/** Which feature a ratio is of. Its key is read only if it is needed. */
interface Measured {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly key: string;
}

interface Averages {
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
  /** Not a typed array: each of these needs 600 bytes beside its numbers, and there can be one for each feature. */
  readonly #sums = new Array<number>(STEPS).fill(0);
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
  readonly vendorLicense: string;
  readonly feature: string;
  /** What its ratios were above one half. */
  readonly excess: Sums;
  /** Evaluations at which it had no value, although the usage of its vendor license was known; `undefined` without one. */
  missing: Sums | undefined;
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
  const tracked = new Map<string, Tracked>();
  /** Names of features that are tracked, by which most others are known without their key. */
  let names: ReadonlySet<string> = new Set();
  let known = new Set<string>();
  let evaluation = 0;
  let step = 0;

  const count = (vendorLicense: string): void => {
    known.add(vendorLicense);
    const counts = evaluations.get(vendorLicense) ?? new Sums();
    counts.add(step, 1);
    evaluations.set(vendorLicense, counts);
  };

  const track = ({ vendorLicense, feature, key }: Measured): Tracked => {
    const one = { vendorLicense, feature, excess: new Sums(), missing: undefined, lastExcess: 0, addedAt: 0 };
    tracked.set(key, one);
    return one;
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
      known = new Set();
      for (const vendorLicense of new Set(vendorLicenses)) count(vendorLicense);
    },
    add: (feature, ratio) => {
      const isLow = ratio <= FLOOR;
      if (isLow && !names.has(feature.feature)) return FLOOR;
      const found = tracked.get(feature.key);
      if (isLow && found === undefined) return FLOOR;
      const { vendorLicense } = feature;
      // its vendor license is not listed now, but its features still are
      if (!known.has(vendorLicense)) count(vendorLicense);
      const one = found ?? track(feature);
      one.addedAt = evaluation;
      if (!isLow) {
        one.excess.add(step, ratio - FLOOR);
        one.lastExcess = step;
      }
      const times = (evaluations.get(vendorLicense)?.total(step) ?? 0) - (one.missing?.total(step) ?? 0);
      return FLOOR + one.excess.total(step) / Math.max(1, times);
    },
    end: () => {
      for (const [key, one] of tracked) {
        if (one.lastExcess <= step - STEPS) {
          tracked.delete(key);
        } else if (one.addedAt !== evaluation && known.has(one.vendorLicense)) {
          one.missing ??= new Sums();
          one.missing.add(step, 1);
        }
      }
      names = new Set(tracked.values().map(({ feature }) => feature));
      for (const [name, counts] of evaluations) if (counts.total(step) === 0) evaluations.delete(name);
    },
  };
}
