import { isCutInLabels } from '../../../base/model/label-value.ts';
import { type Discarded, noDiscards } from '../../../base/model/records.ts';
import { parseDate } from '../../../base/query-api/dates.ts';

/** Reads single values of an answer, and counts the discarded ones. One per answer. */
export interface WireValues {
  readonly discarded: { -readonly [R in keyof Discarded]: number };
  /** A count: a non-negative integer, as a number or in digits. Nothing else counts licenses. */
  count(value: unknown): number | undefined;
  /** A non-negative number or numeric text. */
  quantity(value: unknown): number | undefined;
  /** Any number or decimal text. */
  number(value: unknown): number | undefined;
  /** Epoch seconds; values over 1e11 are milliseconds. 0 means never. */
  seconds(value: unknown): number | undefined;
  /**
   * Epoch seconds of an expiry, `Infinity` for a permanent license. Null, 0 and negative values are permanent too, unless
   * the `/Date(ms)/` text of the same record is a date.
   */
  expiration(value: unknown, date?: unknown): number | undefined;
  boolean(value: unknown): boolean | undefined;
  text(value: unknown): string;
  /** The same. A text that is too long for a label is counted, and stays whole. */
  name(value: unknown): string;
}

/** The last time of 32 bits, 2038-01-19, and 9999-01-01. Epoch seconds. */
const MOST_32 = 2 ** 31 - 1;
const YEAR_9999 = 253_370_764_800;

/** A larger time is in milliseconds. */
const MILLISECONDS_FROM = 1e11;

/** 1990-01-01, epoch seconds. An earlier date means that none is set. */
export const EARLIEST = 631_152_000;

/** JavaScript also reads hexadecimal numbers and signs, which no analyzer writes on purpose. */
const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const DIGITS = /^\d+$/;

/**
 * Implements the rules of "From API data to values". `""` (also the result of the bare literal NaN) and any other unusable
 * value become `undefined` and are counted. A missing field becomes `undefined` and is not counted.
 *
 * @param permanentAfter a license that expires at this time or later is permanent, epoch seconds
 */
export function createWireValues(permanentAfter: number): WireValues {
  const discarded: WireValues['discarded'] = noDiscards();

  const discard = (reason: keyof Discarded): undefined => {
    discarded[reason] += 1;
    return undefined;
  };

  const number = (value: unknown): number | undefined => {
    if (typeof value === 'number') return Number.isFinite(value) ? value : discard('nan');
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return discard('not_a_number');
    const text = value.trim();
    if (text === '' || text === 'NaN') return discard('nan');
    const parsed = DECIMAL.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(parsed) ? parsed : discard('not_a_number');
  };

  const quantity = (value: unknown): number | undefined => {
    const parsed = number(value);
    return parsed !== undefined && parsed < 0 ? discard('negative') : parsed;
  };

  const count = (value: unknown): number | undefined => {
    const parsed = quantity(value);
    if (parsed === undefined) return undefined;
    const isWritten = typeof value === 'number' || DIGITS.test(value as string);
    return isWritten && Number.isSafeInteger(parsed) ? parsed : discard('not_an_integer');
  };

  const toSeconds = (value: number): number => (value > MILLISECONDS_FROM ? value / 1000 : value);

  const instant = (seconds: number): number | undefined => (seconds <= EARLIEST ? discard('not_a_number') : seconds);

  /** The largest time of 32 bits stands for permanent. A later time is a date, up to the year 9999. */
  const isDate = (seconds: number): boolean => permanentAfter <= MOST_32 && seconds > MOST_32 && seconds < YEAR_9999;

  const expiry = (seconds: number): number | undefined =>
    seconds >= permanentAfter && !isDate(seconds) ? Number.POSITIVE_INFINITY : instant(seconds);

  /** The date in a `/Date(ms)/` text. A date before 1990 is not counted as discarded: it usually means that none is set. */
  const dated = (value: unknown): number | undefined => {
    if (value === undefined || value === null || value === '') return undefined;
    const ms = typeof value === 'string' ? parseDate(value) : undefined;
    if (ms === undefined) return discard('not_a_number');
    return ms / 1000 > EARLIEST ? expiry(ms / 1000) : undefined;
  };

  const textOf = (value: unknown): string => {
    // half of a surrogate pair is in no text that is sent
    if (typeof value === 'string') return value.toWellFormed();
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  };

  return {
    discarded,
    number,
    count,
    quantity,
    seconds: (value) => {
      const parsed = quantity(value);
      return parsed === undefined || parsed === 0 ? undefined : instant(toSeconds(parsed));
    },
    expiration: (value, date) => {
      const parsed = value === null ? 0 : number(value);
      const end = parsed !== undefined && parsed > 0 ? expiry(toSeconds(parsed)) : undefined;
      const isPermanent = parsed !== undefined && parsed <= 0;
      return end ?? dated(date) ?? (isPermanent ? Number.POSITIVE_INFINITY : undefined);
    },
    boolean: (value) => {
      const text = typeof value === 'string' ? value.toLowerCase() : value;
      if (text === true || text === 1 || text === 'true' || text === '1') return true;
      if (text === false || text === 0 || text === 'false' || text === '0') return false;
      return value === undefined ? undefined : discard(value === '' ? 'nan' : 'not_a_number');
    },
    text: textOf,
    name: (value) => {
      const name = textOf(value);
      if (isCutInLabels(name)) discard('long_name');
      return name;
    },
  };
}
