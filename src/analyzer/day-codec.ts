import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { HourSummary, Level } from './hour-summary.ts';
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

type Figure = number | undefined;

interface Writer {
  /** An integer, small ones of either sign short. */
  integer(value: number): void;
  column(values: readonly number[], base?: number): void;
  /** A column of which values may be unknown. */
  figures(values: readonly Figure[]): void;
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

  const figures = (values: readonly Figure[]): void => {
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

interface Reader {
  integer(): number;
  column(length: number, base?: number): number[];
  figures(length: number): Figure[];
}

/** Its methods throw DamagedRecord. */
function createReader(bytes: Uint8Array): Reader {
  let at = 0;

  const longInteger = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[at];
      if (byte === undefined) throw new DamagedRecord('a stored day ends early');
      at += 1;
      value += (byte % 0x80) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  };

  const integer = (): number => {
    const byte = bytes[at];
    if (byte === undefined || byte >= 0x80) return longInteger();
    // nearly all differences are one byte
    at += 1;
    return (byte & 1) === 0 ? byte >> 1 : -((byte + 1) >> 1);
  };

  const column = (length: number, base = 0): number[] => columnFrom(base + integer(), integer(), length);

  const columnFrom = (first: number, kind: number, length: number): number[] => {
    let value = first;
    const isSteady = kind === STEADY;
    if (!isSteady && kind !== VARYING) throw new DamagedRecord('a stored day has a column of no known kind');
    // every value takes at least one byte, except in a steady column
    if (!isSteady && length > bytes.length) throw new DamagedRecord('a stored day is too short for its length');
    const values = new Array<number>(length);
    const step = isSteady ? integer() : 0;
    for (let i = 0; i < length; i += 1) {
      values[i] = value;
      if (i + 1 < length) value += isSteady ? step : integer();
    }
    return values;
  };

  const figures = (length: number): Figure[] => {
    const first = integer();
    const kind = integer();
    if (kind === UNKNOWN) return new Array<Figure>(length).fill(undefined);
    if (kind !== PARTLY_KNOWN) return columnFrom(first, kind, length);
    const isKnown = column(length);
    const known = column(isKnown.filter((flag) => flag !== 0).length);
    let next = 0;
    return isKnown.map((flag) => {
      if (flag === 0) return undefined;
      next += 1;
      return known[next - 1];
    });
  };

  return { integer, column, figures };
}

/** No local day has more seconds. */
const MAX_SAMPLES = 2 * 86_400;

function readLength(reader: Reader, max: number): number {
  const length = reader.integer();
  if (length < 0 || length > max) throw new DamagedRecord('a stored day has an impossible length');
  return length;
}

/** @param start first second of the day */
export function encodeSamples(samples: readonly Sample[], start: number): Buffer {
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
  const plain = writer.result();
  if (plain.length < WORTH_COMPRESSING) return Buffer.concat([Buffer.of(PLAIN), plain]);
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

/** @throws DamagedRecord */
export function decodeSamples(bytes: Uint8Array, start: number): Sample[] {
  const reader = createReader(decompress(bytes));
  const length = readLength(reader, MAX_SAMPLES);
  const ats = reader.column(length, start);
  const seconds = reader.column(length);
  const available = reader.figures(length);
  const inUse = reader.figures(length);
  const reserved = reader.figures(length);
  const users = reader.figures(length);
  const denials = reader.figures(length);
  return ats.map((at, i) => ({
    at,
    seconds: seconds[i] ?? 0,
    available: available[i],
    inUse: inUse[i],
    reserved: reserved[i],
    users: users[i],
    denials: denials[i],
  }));
}

export function encodeHours(hours: readonly HourSummary[]): Buffer {
  const writer = createWriter();
  writer.integer(hours.length);
  writer.column(hours.map(({ index }) => index));
  writer.figures(hours.map(({ available }) => available));
  writer.figures(hours.map(({ reserved }) => reserved));
  writer.figures(hours.map(({ users }) => users));
  writer.figures(hours.map(({ denials }) => denials));
  writer.column(hours.map(({ levels }) => levels.length));
  const levels = hours.flatMap((hour) => hour.levels);
  writer.figures(levels.map(([inUse]) => inUse));
  writer.column(levels.map(([, seconds]) => seconds));
  return Buffer.from(writer.result());
}

/** @throws DamagedRecord */
export function decodeHours(bytes: Uint8Array): HourSummary[] {
  const reader = createReader(bytes);
  const length = readLength(reader, 48);
  const indexes = reader.column(length);
  const available = reader.figures(length);
  const reserved = reader.figures(length);
  const users = reader.figures(length);
  const denials = reader.figures(length);
  const counts = reader.column(length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > MAX_SAMPLES) throw new DamagedRecord('a stored day has an impossible length');
  const inUse = reader.figures(total);
  const seconds = reader.column(total);
  let next = 0;
  return indexes.map((index, i) => {
    const levels: Level[] = [];
    for (const end = next + (counts[i] ?? 0); next < end; next += 1) levels.push([inUse[next], seconds[next] ?? 0]);
    return {
      index,
      available: available[i],
      reserved: reserved[i],
      users: users[i],
      denials: denials[i],
      levels,
    };
  });
}
