import type { DiscardReason, Expiration } from '../model/records.ts';

/** Reads single wire values and counts what it could not take over. One per answer. */
export interface WireValues {
  readonly discarded: Record<DiscardReason, number>;
  /** A count: a number or numeric text, not negative. */
  count(value: unknown): number | undefined;
  /** Any number or numeric text. */
  number(value: unknown): number | undefined;
  /** Epoch seconds; values over 1e11 are milliseconds. */
  seconds(value: unknown): number | undefined;
  /** Epoch seconds of an expiry, `Infinity` for a permanent license. */
  expiration(value: unknown): Expiration | undefined;
  boolean(value: unknown): boolean | undefined;
  text(value: unknown): string;
}

/** No epoch second of this era is this large, so it must be milliseconds. */
const MILLISECONDS_FROM = 1e11;

/**
 * The rules of "From API data to values": `""` (which also stands for the bare literal NaN) and everything else that is
 * not usable gives `undefined` and is counted; a field that is missing gives `undefined` uncounted.
 *
 * @param permanentAfter epoch seconds from which on an expiry means "permanent"
 */
export function createWireValues(permanentAfter: number): WireValues {
  const discarded: Record<DiscardReason, number> = { nan: 0, not_a_number: 0, negative: 0, bad_record: 0 };

  const discard = (reason: DiscardReason): undefined => {
    discarded[reason] += 1;
    return undefined;
  };

  const number = (value: unknown): number | undefined => {
    if (typeof value === 'number') return Number.isFinite(value) ? value : discard('nan');
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return discard('not_a_number');
    const text = value.trim();
    if (text === '' || text === 'NaN') return discard('nan');
    const parsed = Number(text);
    return Number.isFinite(parsed) ? parsed : discard('not_a_number');
  };

  const count = (value: unknown): number | undefined => {
    const parsed = number(value);
    return parsed !== undefined && parsed < 0 ? discard('negative') : parsed;
  };

  const toSeconds = (value: number): number => (value > MILLISECONDS_FROM ? value / 1000 : value);

  return {
    discarded,
    number,
    count,
    seconds: (value) => {
      const parsed = count(value);
      return parsed === undefined ? undefined : toSeconds(parsed);
    },
    expiration: (value) => {
      if (value === null) return Number.POSITIVE_INFINITY;
      const parsed = number(value);
      if (parsed === undefined) return undefined;
      const seconds = toSeconds(parsed);
      return seconds <= 0 || seconds >= permanentAfter ? Number.POSITIVE_INFINITY : seconds;
    },
    boolean: (value) => {
      if (value === true || value === 1 || value === 'true' || value === '1') return true;
      if (value === false || value === 0 || value === 'false' || value === '0') return false;
      return value === undefined ? undefined : discard(value === '' ? 'nan' : 'not_a_number');
    },
    text: (value) => {
      if (typeof value === 'string') return value;
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
    },
  };
}
