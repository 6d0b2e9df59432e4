import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { HourSummary } from './hour-summary.ts';
import type { Sample, WholeSlot } from './sample.ts';

/**
 * A day of samples or hours as bytes: columns of differences, as integers of variable length. Samples are compressed if that
 * saves space. A column whose differences are all the same stores one of them. A column with unknown figures first stores
 * which figures are known.
 */

/** Stored bytes that cannot be decoded. */
export class DamagedRecord extends Error {
  override readonly name = 'DamagedRecord';
}

const PLAIN = 0;
const ZSTD = 1;
/** Below this many bytes compression gains nothing. */
const WORTH_COMPRESSING = 200;

/** Kinds of a column. */
const STEADY = 0;
const VARYING = 1;
const UNKNOWN = 2;
const PARTLY_KNOWN = 3;

interface Writer {
  /** Forgets what was written. */
  begin(): void;
  /** An integer, small ones of either sign short. */
  integer(value: number): void;
  column(values: ArrayLike<number>, length: number, base?: number): void;
  /** A column of which values may be unknown: NaN. */
  figures(values: ArrayLike<number>, length: number): void;
  result(): Buffer;
}

function createWriter(): Writer {
  let bytes = Buffer.allocUnsafe(1024);
  let length = 0;

  const integer = (value: number): void => {
    if (length + 10 > bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
    let rest = value < 0 ? -value * 2 - 1 : value * 2;
    while (rest >= 0x80) {
      bytes[length] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
      length += 1;
    }
    bytes[length] = rest;
    length += 1;
  };

  const at = (values: ArrayLike<number>, i: number): number => values[i] as number;

  const column = (values: ArrayLike<number>, count: number, base = 0): void => {
    integer(count === 0 ? 0 : at(values, 0) - base);
    const step = count < 2 ? 0 : at(values, 1) - at(values, 0);
    let steady = 2;
    while (steady < count && at(values, steady) - at(values, steady - 1) === step) steady += 1;
    integer(steady >= count ? STEADY : VARYING);
    if (steady >= count) integer(step);
    else for (let i = 1; i < count; i += 1) integer(at(values, i) - at(values, i - 1));
  };

  let known = new Float64Array(512);
  let flags = new Uint8Array(512);

  const figures = (values: ArrayLike<number>, count: number): void => {
    if (count > known.length) {
      known = new Float64Array(2 * count);
      flags = new Uint8Array(2 * count);
    }
    let knownCount = 0;
    for (let i = 0; i < count; i += 1) {
      const value = at(values, i);
      flags[i] = Number.isNaN(value) ? 0 : 1;
      if (flags[i] === 0) continue;
      known[knownCount] = value;
      knownCount += 1;
    }
    if (knownCount < count) {
      integer(0);
      integer(knownCount > 0 ? PARTLY_KNOWN : UNKNOWN);
    }
    if (knownCount > 0 && knownCount < count) column(flags, count);
    if (knownCount > 0 || count === 0) column(known, knownCount);
  };

  return {
    begin: () => {
      length = 0;
    },
    integer,
    column,
    figures,
    result: () => Buffer.from(bytes.subarray(0, length)),
  };
}

const damaged = (why: string): never => {
  throw new DamagedRecord(`a stored day ${why}`);
};

/** Reads columns into arrays of numbers, which can be used again. NaN is unknown. Its methods throw DamagedRecord. */
export class ColumnReader {
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #known = new Float64Array();
  #flags = new Float64Array();

  /** Begins to read other bytes. */
  open(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#at = 0;
  }

  integer(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return damaged('ends early');
      this.#at += 1;
      value += (byte % 0x80) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  }

  /** Whether nothing follows. */
  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The number of items that follow. */
  length(max: number): number {
    const length = this.integer();
    return length < 0 || length > max ? damaged('has an impossible length') : length;
  }

  column(values: Float64Array, length: number, base = 0): void {
    this.#columnFrom(values, length, base + this.integer(), this.integer());
  }

  #columnFrom(values: Float64Array, length: number, first: number, kind: number): void {
    let value = first;
    if (kind === STEADY) {
      const step = this.integer();
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
        value += this.integer();
        at = this.#at;
      }
      values[i] = value;
    }
    this.#at = at;
  }

  /** A column of which values may be unknown. */
  figures(values: Float64Array, length: number): void {
    const first = this.integer();
    const kind = this.integer();
    if (kind === UNKNOWN) {
      values.fill(Number.NaN, 0, length);
      return;
    }
    if (kind !== PARTLY_KNOWN) {
      this.#columnFrom(values, length, first, kind);
      return;
    }
    if (length > this.#flags.length) {
      this.#flags = new Float64Array(2 * length);
      this.#known = new Float64Array(2 * length);
    }
    const flags = this.#flags;
    this.column(flags, length);
    let known = 0;
    for (let i = 0; i < length; i += 1) if (flags[i] !== 0) known += 1;
    this.column(this.#known, known);
    let next = 0;
    for (let i = 0; i < length; i += 1) {
      values[i] = flags[i] === 0 ? Number.NaN : (this.#known[next] as number);
      if (flags[i] !== 0) next += 1;
    }
  }
}

/** No local day has more seconds. */
const MAX_SAMPLES = 2 * 86_400;

/** Columns of the samples of a day. They are used again for the next one. */
class SampleColumns {
  at = new Float64Array();
  seconds = new Float64Array();
  available = new Float64Array();
  inUse = new Float64Array();
  reserved = new Float64Array();
  users = new Float64Array();
  denials = new Float64Array();
  peak = new Float64Array();
  licenseSeconds = new Float64Array();
  hasWhole = false;

  fill(samples: readonly Sample[]): void {
    if (samples.length > this.at.length) this.#grow(2 * samples.length);
    this.hasWhole = false;
    for (const [i, { at, seconds, available, inUse, reserved, users, denials, whole }] of samples.entries()) {
      this.at[i] = at;
      this.seconds[i] = seconds;
      this.available[i] = available ?? Number.NaN;
      this.inUse[i] = inUse ?? Number.NaN;
      this.reserved[i] = reserved ?? Number.NaN;
      this.users[i] = users ?? Number.NaN;
      this.denials[i] = denials ?? Number.NaN;
      // as differences from what the moment says: nearly all are 0
      this.peak[i] = (whole?.peak ?? Number.NaN) - (inUse ?? 0);
      this.licenseSeconds[i] = (whole?.licenseSeconds ?? Number.NaN) - (inUse ?? 0) * seconds;
      if (whole !== undefined) this.hasWhole = true;
    }
  }

  #grow(length: number): void {
    for (const name of [
      'at',
      'seconds',
      'available',
      'inUse',
      'reserved',
      'users',
      'denials',
      'peak',
      'licenseSeconds',
    ] as const)
      this[name] = new Float64Array(length);
  }
}

const writer = createWriter();
const columns = new SampleColumns();

/** @param start first second of the day @param isCompressed whether it is compressed if that saves space */
export function encodeSamples(samples: readonly Sample[], start: number, isCompressed = true): Uint8Array {
  const { length } = samples;
  columns.fill(samples);
  writer.begin();
  writer.integer(length);
  writer.column(columns.at, length, start);
  writer.column(columns.seconds, length);
  writer.figures(columns.available, length);
  writer.figures(columns.inUse, length);
  writer.figures(columns.reserved, length);
  writer.figures(columns.users, length);
  writer.figures(columns.denials, length);
  if (columns.hasWhole) {
    writer.figures(columns.peak, length);
    writer.figures(columns.licenseSeconds, length);
  }
  const plain = Buffer.concat([Buffer.of(PLAIN), writer.result()]);
  return isCompressed ? compressed(plain) : plain;
}

/** Encoded samples, compressed if that saves space. */
export function compressed(encoded: Uint8Array): Uint8Array {
  if (encoded[0] !== PLAIN || encoded.length <= WORTH_COMPRESSING) return encoded;
  return Buffer.concat([Buffer.of(ZSTD), zstdCompressSync(encoded.subarray(1))]);
}

function decompress(bytes: Uint8Array): Uint8Array {
  const rest = bytes.subarray(1);
  if (bytes[0] === PLAIN) return rest;
  try {
    return zstdDecompressSync(rest);
  } catch (error) {
    throw new DamagedRecord('a stored day cannot be decompressed', { cause: error });
  }
}

/** What a column has for an item. */
export const figureAt = (column: Float64Array, i: number): number | undefined => {
  const figure = column[i];
  return Number.isNaN(figure) ? undefined : figure;
};

/** @throws DamagedRecord */
export function decodeSamples(bytes: Uint8Array, start: number): Sample[] {
  const reader = new ColumnReader();
  reader.open(decompress(bytes));
  const length = reader.length(MAX_SAMPLES);
  const [at, seconds, ...figures] = Array.from({ length: 7 }, () => new Float64Array(length)) as Columns;
  reader.column(at, length, start);
  reader.column(seconds, length);
  for (const figure of figures) reader.figures(figure, length);
  const [available, inUse, reserved, users, denials] = figures;
  const wholeOf = reader.isAtEnd ? undefined : wholeSlots(reader, length);
  const samples: Sample[] = [];
  for (let i = 0; i < length; i += 1) {
    const sample = {
      at: at[i] ?? 0,
      seconds: seconds[i] ?? 0,
      available: figureAt(available, i),
      inUse: figureAt(inUse, i),
      reserved: figureAt(reserved, i),
      users: figureAt(users, i),
      denials: figureAt(denials, i),
    };
    const whole = wholeOf?.(i, sample);
    samples.push(whole === undefined ? sample : { ...sample, whole });
  }
  return samples;
}

/** Only logs know whole slots: their columns are missing otherwise. */
function wholeSlots(reader: ColumnReader, length: number) {
  const [more, moreSeconds] = [new Float64Array(length), new Float64Array(length)];
  reader.figures(more, length);
  reader.figures(moreSeconds, length);
  return (i: number, { inUse = 0, seconds }: Sample): WholeSlot | undefined => {
    const [peak, licenseSeconds] = [figureAt(more, i), figureAt(moreSeconds, i)];
    if (peak === undefined && licenseSeconds === undefined) return undefined;
    return {
      peak: peak === undefined ? undefined : peak + inUse,
      licenseSeconds: licenseSeconds === undefined ? undefined : licenseSeconds + inUse * seconds,
    };
  };
}

type Column = Float64Array<ArrayBuffer>;
type Columns = [Column, Column, Column, Column, Column, Column, Column];

const numbers = (values: readonly (number | undefined)[]): readonly number[] =>
  values.map((value) => value ?? Number.NaN);

/** The hours of a day as bytes, in the form that `decodeHours` reads. */
export function encodeHours(hours: readonly HourSummary[]): Buffer {
  const { length } = hours;
  writer.begin();
  writer.integer(length);
  writer.column(numbers(hours.map(({ index }) => index)), length);
  writer.figures(numbers(hours.map(({ available }) => available)), length);
  writer.figures(numbers(hours.map(({ reserved }) => reserved)), length);
  writer.figures(numbers(hours.map(({ users }) => users)), length);
  writer.figures(numbers(hours.map(({ denials }) => denials)), length);
  writer.column(numbers(hours.map((hour) => hour.levels.length)), length);
  const levels = hours.flatMap((hour) => hour.levels);
  writer.figures(numbers(levels.map(([inUse]) => inUse)), levels.length);
  writer.column(numbers(levels.map(([, seconds]) => seconds)), levels.length);
  return writer.result();
}
