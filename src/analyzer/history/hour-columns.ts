import { ColumnReader, DamagedRecord, figureAt } from './day-codec.ts';
import type { HourSummary, Level } from './hour-summary.ts';

/** No local day has more hours. */
const MAX_HOURS = 48;
/** No local day has more seconds. */
const MAX_LEVELS = 2 * 86_400;

/**
 * Decodes the hours of a day into columns that are used again for the next day: reading all hours of a site then leaves
 * nothing to the garbage collector, and takes less than half as long as with an object for each hour. NaN is unknown.
 */
export class HourColumns {
  /** Hours with data. */
  count = 0;
  /** Place of the hour in its local day (`LocalTime.hoursOf`). */
  readonly index = new Float64Array(MAX_HOURS);
  /** Maximum in the hour. */
  readonly available = new Float64Array(MAX_HOURS);
  /** Maximum in the hour. */
  readonly reserved = new Float64Array(MAX_HOURS);
  /** Sum over the hour. */
  readonly denials = new Float64Array(MAX_HOURS);
  /** The levels of hour `i` are the items from `firstLevel[i]` to before `firstLevel[i + 1]`. */
  readonly firstLevel = new Int32Array(MAX_HOURS + 1);
  /** Licenses in use: in each hour the highest number first, the unknown last. */
  inUse = new Float64Array(1024);
  /** Seconds at this number. */
  seconds = new Float64Array(1024);

  readonly #users = new Float64Array(MAX_HOURS);
  readonly #levels = new Float64Array(MAX_HOURS);
  readonly #reader = new ColumnReader();

  /** @throws DamagedRecord */
  decode(bytes: Uint8Array): void {
    const reader = this.#reader;
    reader.open(bytes);
    const count = reader.length(MAX_HOURS);
    this.count = count;
    reader.column(this.index, count);
    reader.figures(this.available, count);
    reader.figures(this.reserved, count);
    reader.figures(this.#users, count);
    reader.figures(this.denials, count);
    reader.column(this.#levels, count);
    let total = 0;
    for (let i = 0; i < count; i += 1) {
      this.firstLevel[i] = total;
      const levels = this.#levels[i] ?? 0;
      total += levels;
      if (levels < 0 || total > MAX_LEVELS) throw new DamagedRecord('a stored day has an impossible length');
    }
    this.firstLevel[count] = total;
    if (total > this.inUse.length) this.#grow(total);
    reader.figures(this.inUse, total);
    reader.column(this.seconds, total);
  }

  #grow(total: number): void {
    const length = 2 ** Math.ceil(Math.log2(total));
    this.inUse = new Float64Array(length);
    this.seconds = new Float64Array(length);
  }

  /** The hours that were decoded last. */
  summaries(): HourSummary[] {
    return Array.from(this.index.subarray(0, this.count), (index, i) => {
      const [first = 0, end = 0] = this.firstLevel.subarray(i, i + 2);
      const level = (_: unknown, j: number): Level => [figureAt(this.inUse, first + j), this.seconds[first + j] ?? 0];
      return {
        index,
        available: figureAt(this.available, i),
        reserved: figureAt(this.reserved, i),
        users: figureAt(this.#users, i),
        denials: figureAt(this.denials, i),
        levels: Array.from({ length: end - first }, level),
      };
    });
  }
}

const columns = new HourColumns();

/** @throws DamagedRecord */
export function decodeHours(bytes: Uint8Array): HourSummary[] {
  columns.decode(bytes);
  return columns.summaries();
}
