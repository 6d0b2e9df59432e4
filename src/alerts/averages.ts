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

/**
 * Sums of numbered rows over the window. Of each of its steps there is a column, if something was added in it: usually one for each
 * poll of the window. An array for each row would need several times the memory.
 */
class Sums {
  #columns: { readonly step: number; sums: Float64Array }[] = [];

  add(row: number, step: number, value: number): void {
    let column = this.#columns.at(-1);
    if (column?.step !== step) {
      column = { step, sums: new Float64Array(column?.sums.length ?? row + 1) };
      this.#columns.push(column);
    }
    if (row >= column.sums.length) {
      const { sums } = column;
      column.sums = new Float64Array(2 * row);
      column.sums.set(sums);
    }
    column.sums[row] = (column.sums[row] ?? 0) + value;
  }

  total(row: number): number {
    let sum = 0;
    for (const { sums } of this.#columns) sum += sums[row] ?? 0;
    return sum;
  }

  /** The row can be that of something else. */
  clear(row: number): void {
    for (const { sums } of this.#columns) if (row < sums.length) sums[row] = 0;
  }

  /** Forgets all steps up to this one. */
  forget(step: number): void {
    this.#columns = this.#columns.filter((column) => column.step > step);
  }
}

/** A feature whose ratio was above one half within the window. */
interface Tracked {
  readonly vendorLicense: string;
  readonly feature: string;
  /** Its row of the sums. */
  readonly row: number;
  /** The last step in which its ratio was above one half. */
  lastExcess: number;
  /** The number of the last evaluation that added it. */
  addedAt: number;
}

/** @param window seconds */
export function createAverages(window: number): Averages {
  const width = window / STEPS;
  /** What the ratios of tracked features were above one half. */
  const excess = new Sums();
  /** Evaluations at which they had no value, although the usage of their vendor license was known. */
  const missing = new Sums();
  /** Evaluations at which the usage of a vendor license was known. A row is never that of another one: there are few. */
  const evaluations = new Sums();
  const vendorLicenseRows = new Map<string, number>();
  const tracked = new Map<string, Tracked>();
  const freeRows: number[] = [];
  /** Names of features that are tracked, by which most others are known without their key. */
  let names: ReadonlySet<string> = new Set();
  let known = new Set<string>();
  let evaluation = 0;
  let step = 0;

  const count = (vendorLicense: string): void => {
    known.add(vendorLicense);
    const row = vendorLicenseRows.get(vendorLicense) ?? vendorLicenseRows.size;
    vendorLicenseRows.set(vendorLicense, row);
    evaluations.add(row, step, 1);
  };

  const track = ({ vendorLicense, feature, key }: Measured): Tracked => {
    const one = { vendorLicense, feature, row: freeRows.pop() ?? tracked.size, lastExcess: 0, addedAt: 0 };
    tracked.set(key, one);
    return one;
  };

  const forget = (key: string, { row }: Tracked): void => {
    tracked.delete(key);
    // its excess is older than the window
    missing.clear(row);
    freeRows.push(row);
  };

  return {
    begin: (now, vendorLicenses) => {
      const next = Math.floor(now / width);
      if (next < step) {
        // the clock was set back: the past is not known
        for (const [key, one] of tracked) forget(key, one);
        for (const sums of [excess, missing, evaluations]) sums.forget(step);
      }
      step = next;
      for (const sums of [excess, missing, evaluations]) sums.forget(step - STEPS);
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
        excess.add(one.row, step, ratio - FLOOR);
        one.lastExcess = step;
      }
      const times = evaluations.total(vendorLicenseRows.get(vendorLicense) ?? -1) - missing.total(one.row);
      return FLOOR + excess.total(one.row) / Math.max(1, times);
    },
    end: () => {
      for (const [key, one] of tracked) {
        if (one.lastExcess <= step - STEPS) {
          forget(key, one);
        } else if (one.addedAt !== evaluation && known.has(one.vendorLicense)) {
          missing.add(one.row, step, 1);
        }
      }
      names = new Set(tracked.values().map(({ feature }) => feature));
    },
  };
}
