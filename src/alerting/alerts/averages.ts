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

/** Averages over the same window. Times are epoch seconds. */
export class Averages {
  /** Seconds of a step. */
  readonly #width: number;
  /** What the ratios of tracked features were above one half. */
  readonly #excess = new Sums();
  /** Evaluations at which they had no value, although the usage of their vendor license was known. */
  readonly #missing = new Sums();
  /** Evaluations at which the usage of a vendor license was known. A row is never that of another one: there are few. */
  readonly #evaluations = new Sums();
  readonly #vendorLicenseRows = new Map<string, number>();
  readonly #tracked = new Map<string, Tracked>();
  readonly #freeRows: number[] = [];
  /** Names of features that are tracked, by which most others are known without their key. */
  #names: ReadonlySet<string> = new Set();
  #known = new Set<string>();
  #evaluation = 0;
  #step = 0;

  /** @param window seconds */
  constructor(window: number) {
    this.#width = window / STEPS;
  }

  /**
   * Begins an evaluation.
   *
   * @param now epoch seconds
   * @param known vendor licenses whose usage is known: features of them that have not been added were at most one half
   */
  begin(now: number, known: Iterable<string>): void {
    const sums = [this.#excess, this.#missing, this.#evaluations];
    const step = Math.floor(now / this.#width);
    if (step < this.#step) {
      // the clock was set back: the past is not known
      for (const [key, one] of this.#tracked) this.#forget(key, one);
      for (const each of sums) each.forget(this.#step);
    }
    this.#step = step;
    for (const each of sums) each.forget(step - STEPS);
    this.#evaluation += 1;
    this.#known = new Set();
    for (const vendorLicense of new Set(known)) this.#count(vendorLicense);
  }

  /** Adds the ratio of a feature, and returns its average over the window. */
  add(feature: Measured, ratio: number): number {
    const isLow = ratio <= FLOOR;
    if (isLow && !this.#names.has(feature.feature)) return FLOOR;
    const found = this.#tracked.get(feature.key);
    if (isLow && found === undefined) return FLOOR;
    const { vendorLicense } = feature;
    // its vendor license is not listed now, but its features still are
    if (!this.#known.has(vendorLicense)) this.#count(vendorLicense);
    const one = found ?? this.#track(feature);
    one.addedAt = this.#evaluation;
    if (!isLow) {
      this.#excess.add(one.row, this.#step, ratio - FLOOR);
      one.lastExcess = this.#step;
    }
    const known = this.#evaluations.total(this.#vendorLicenseRows.get(vendorLicense) ?? -1);
    const times = known - this.#missing.total(one.row);
    return FLOOR + this.#excess.total(one.row) / Math.max(1, times);
  }

  /** Ends an evaluation: what was not added has no value at it. */
  end(): void {
    for (const [key, one] of this.#tracked) {
      if (one.lastExcess <= this.#step - STEPS) {
        this.#forget(key, one);
      } else if (one.addedAt !== this.#evaluation && this.#known.has(one.vendorLicense)) {
        this.#missing.add(one.row, this.#step, 1);
      }
    }
    this.#names = new Set(this.#tracked.values().map(({ feature }) => feature));
  }

  #count(vendorLicense: string): void {
    this.#known.add(vendorLicense);
    const row = this.#vendorLicenseRows.get(vendorLicense) ?? this.#vendorLicenseRows.size;
    this.#vendorLicenseRows.set(vendorLicense, row);
    this.#evaluations.add(row, this.#step, 1);
  }

  #track({ vendorLicense, feature, key }: Measured): Tracked {
    const row = this.#freeRows.pop() ?? this.#tracked.size;
    const one = { vendorLicense, feature, row, lastExcess: 0, addedAt: 0 };
    this.#tracked.set(key, one);
    return one;
  }

  #forget(key: string, { row }: Tracked): void {
    this.#tracked.delete(key);
    // its excess is older than the window
    this.#missing.clear(row);
    this.#freeRows.push(row);
  }
}
