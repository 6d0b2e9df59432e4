import { DamagedRecord } from './day-codec.ts';

/** Kinds of a column, as `day-codec.ts` writes them. */
const STEADY = 0;
const VARYING = 1;
const UNKNOWN = 2;
const PARTLY_KNOWN = 3;

/** No local day has more hours. */
const MAX_HOURS = 48;
/** No local day has more seconds. */
const MAX_LEVELS = 2 * 86_400;

const damaged = (why: string): never => {
  throw new DamagedRecord(`a stored day ${why}`);
};

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

  #users = new Float64Array(MAX_HOURS);
  #levels = new Float64Array(MAX_HOURS);
  #known = new Float64Array(1024);
  #flags = new Float64Array(1024);
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;

  /** @throws DamagedRecord */
  decode(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#at = 0;
    const count = this.#integer();
    if (count < 0 || count > MAX_HOURS) damaged('has an impossible length');
    this.count = count;
    this.#column(this.index, count, this.#integer(), this.#integer());
    this.#figures(this.available, count);
    this.#figures(this.reserved, count);
    this.#figures(this.#users, count);
    this.#figures(this.denials, count);
    this.#column(this.#levels, count, this.#integer(), this.#integer());
    let total = 0;
    for (let i = 0; i < count; i += 1) {
      this.firstLevel[i] = total;
      const levels = this.#levels[i] ?? 0;
      if (levels < 0 || levels > MAX_LEVELS) damaged('has an impossible length');
      total += levels;
    }
    if (total > MAX_LEVELS) damaged('has an impossible length');
    this.firstLevel[count] = total;
    if (total > this.inUse.length) this.#grow(total);
    this.#figures(this.inUse, total);
    this.#column(this.seconds, total, this.#integer(), this.#integer());
  }

  #grow(total: number): void {
    const length = 2 ** Math.ceil(Math.log2(total));
    this.inUse = new Float64Array(length);
    this.seconds = new Float64Array(length);
    this.#known = new Float64Array(length);
    this.#flags = new Float64Array(length);
  }

  #integer(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return damaged('ends early');
      this.#at += 1;
      value += (byte % 0x80) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  }

  #column(values: Float64Array, length: number, first: number, kind: number): void {
    let value = first;
    if (kind === STEADY) {
      const step = this.#integer();
      for (let i = 0; i < length; i += 1) {
        values[i] = value;
        value += step;
      }
      return;
    }
    if (kind !== VARYING) damaged('has a column of no known kind');
    if (length === 0) return;
    values[0] = value;
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 1; i < length; i += 1) {
      const byte = bytes[at] ?? 0x80;
      if (byte < 0x80) {
        // nearly all differences are one byte
        value += (byte >>> 1) ^ -(byte & 1);
        at += 1;
      } else {
        this.#at = at;
        value += this.#integer();
        at = this.#at;
      }
      values[i] = value;
    }
    this.#at = at;
  }

  #figures(values: Float64Array, length: number): void {
    const first = this.#integer();
    const kind = this.#integer();
    if (kind === UNKNOWN) {
      values.fill(Number.NaN, 0, length);
      return;
    }
    if (kind !== PARTLY_KNOWN) {
      this.#column(values, length, first, kind);
      return;
    }
    const flags = this.#flags;
    this.#column(flags, length, this.#integer(), this.#integer());
    let known = 0;
    for (let i = 0; i < length; i += 1) if (flags[i] !== 0) known += 1;
    this.#column(this.#known, known, this.#integer(), this.#integer());
    let next = 0;
    for (let i = 0; i < length; i += 1) {
      values[i] = flags[i] === 0 ? Number.NaN : (this.#known[next] as number);
      if (flags[i] !== 0) next += 1;
    }
  }
}
