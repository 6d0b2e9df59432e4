import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { HourSummary } from './hour-summary.ts';
import type { Sample } from './sample.ts';

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

/** Kinds of a column. Version 0.1.0 knew the first two. */
const STEADY = 0;
const VARYING = 1;
const UNKNOWN = 2;
const PARTLY_KNOWN = 3;

type StoredFigure = number | undefined;

interface Writer {
  /** An integer, small ones of either sign short. */
  integer(value: number): void;
  column(values: readonly number[], base?: number): void;
  /** A column of which values may be unknown. */
  figures(values: readonly StoredFigure[]): void;
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

  const column = (values: readonly number[], base = 0): void => {
    const differences = values.map((value, i) => value - (values[i - 1] ?? base));
    integer(differences[0] ?? 0);
    const isSteady = differences.slice(1).every((difference) => difference === differences[1]);
    integer(isSteady ? STEADY : VARYING);
    if (isSteady) integer(differences[1] ?? 0);
    else for (let i = 1; i < differences.length; i += 1) integer(differences[i] ?? 0);
  };

  const figures = (values: readonly StoredFigure[]): void => {
    const known = values.filter((value) => value !== undefined);
    const isPartlyKnown = known.length > 0 && known.length < values.length;
    if (known.length < values.length) {
      integer(0);
      integer(isPartlyKnown ? PARTLY_KNOWN : UNKNOWN);
    }
    if (isPartlyKnown) column(values.map((value) => Number(value !== undefined)));
    if (known.length > 0 || values.length === 0) column(known);
  };

  return { integer, column, figures, result: () => bytes.subarray(0, length) };
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

const differenceFrom = (value: StoredFigure, from: number): StoredFigure =>
  value === undefined ? undefined : value - from;

/** @param start first second of the day @param isCompressed whether it is compressed if that saves space */
export function encodeSamples(samples: readonly Sample[], start: number, isCompressed = true): Buffer {
  const writer = createWriter();
  writer.integer(samples.length);
  writer.column(
    samples.map(({ at }) => at),
    start,
  );
  writer.column(samples.map(({ seconds }) => seconds));
  writer.figures(samples.map(({ available }) => available));
  writer.figures(samples.map(({ inUse }) => inUse));
  writer.figures(samples.map(({ reserved }) => reserved));
  writer.figures(samples.map(({ users }) => users));
  writer.figures(samples.map(({ denials }) => denials));
  if (samples.some(({ whole }) => whole !== undefined)) {
    // as differences from what the moment says: nearly all are 0
    writer.figures(samples.map(({ inUse = 0, whole }) => differenceFrom(whole?.peak, inUse)));
    writer.figures(
      samples.map(({ inUse = 0, seconds, whole }) => differenceFrom(whole?.licenseSeconds, inUse * seconds)),
    );
  }
  const plain = writer.result();
  if (!isCompressed || plain.length < WORTH_COMPRESSING) return Buffer.concat([Buffer.of(PLAIN), plain]);
  return Buffer.concat([Buffer.of(ZSTD), zstdCompressSync(plain)]);
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
  const samples = Array.from(at, (time, i) => ({
    at: time,
    seconds: seconds[i] ?? 0,
    available: figureAt(available, i),
    inUse: figureAt(inUse, i),
    reserved: figureAt(reserved, i),
    users: figureAt(users, i),
    denials: figureAt(denials, i),
  }));
  return reader.isAtEnd ? samples : withWholeSlots(samples, reader);
}

/** Only logs know whole slots: their columns are missing otherwise. */
function withWholeSlots(samples: readonly Sample[], reader: ColumnReader): Sample[] {
  const [more, moreSeconds] = [new Float64Array(samples.length), new Float64Array(samples.length)];
  reader.figures(more, samples.length);
  reader.figures(moreSeconds, samples.length);
  return samples.map((sample, i) => {
    const [peak, licenseSeconds] = [figureAt(more, i), figureAt(moreSeconds, i)];
    if (peak === undefined && licenseSeconds === undefined) return sample;
    const { inUse = 0, seconds } = sample;
    const whole = {
      peak: peak === undefined ? undefined : peak + inUse,
      licenseSeconds: licenseSeconds === undefined ? undefined : licenseSeconds + inUse * seconds,
    };
    return { ...sample, whole };
  });
}

type Column = Float64Array<ArrayBuffer>;
type Columns = [Column, Column, Column, Column, Column, Column, Column];

/** The hours of a day as bytes, in the form that `decodeHours` reads. */
export function encodeHours(hours: readonly HourSummary[]): Buffer {
  const writer = createWriter();
  writer.integer(hours.length);
  writer.column(hours.map(({ index }) => index));
  writer.figures(hours.map(({ available }) => available));
  writer.figures(hours.map(({ reserved }) => reserved));
  writer.figures(hours.map(({ users }) => users));
  writer.figures(hours.map(({ denials }) => denials));
  writer.column(hours.map((hour) => hour.levels.length));
  const levels = hours.flatMap((hour) => hour.levels);
  writer.figures(levels.map(([inUse]) => inUse));
  writer.column(levels.map(([, seconds]) => seconds));
  return Buffer.from(writer.result());
}
