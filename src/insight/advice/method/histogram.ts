/** Higher numbers in use are counted as this one: no advice is given for uncounted licenses. */
const MOST_LEVEL = 1_000_000;

/** Seconds at each number of licenses in use. */
export class Histogram {
  #seconds: Float64Array;

  constructor(levels: number) {
    this.#seconds = new Float64Array(Math.min(MOST_LEVEL, Math.max(1, Math.ceil(levels))) + 1);
  }

  add(inUse: number, seconds: number): void {
    const level = Math.floor(inUse);
    if (level < this.#seconds.length) this.#seconds[level] = (this.#seconds[level] ?? 0) + seconds;
    else this.#addAbove(Math.min(MOST_LEVEL, level), seconds);
  }

  #addAbove(level: number, seconds: number): void {
    if (level >= this.#seconds.length) {
      const larger = new Float64Array(Math.min(MOST_LEVEL, 2 * level) + 1);
      larger.set(this.#seconds);
      this.#seconds = larger;
    }
    this.#seconds[level] = (this.#seconds[level] ?? 0) + seconds;
  }

  /** Item `n`: seconds with at least `n` in use, up to the highest number + 1. Empty without time. */
  atLeast(): Float64Array {
    const most = this.#seconds.findLastIndex((seconds) => seconds > 0);
    const result = new Float64Array(most < 0 ? 0 : most + 2);
    let sum = 0;
    for (let level = most; level >= 0; level -= 1) {
      sum += this.#seconds[level] ?? 0;
      result[level] = sum;
    }
    return result;
  }
}

/**
 * The smallest number that was enough for a share of the time; `undefined` without time.
 *
 * @param atLeast of a histogram
 */
export function quantileOfTime(atLeast: Float64Array, share: number): number | undefined {
  const [total] = atLeast;
  if (total === undefined) return undefined;
  const n = atLeast.findLastIndex((seconds) => seconds > total - share * total);
  return Math.max(0, n);
}
