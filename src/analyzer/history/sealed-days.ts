import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import type { DayTotals } from './day-summary.ts';
import { blob, figure, type HistoryFile, integer } from './history-file.ts';
import { decodeHours } from './hour-columns.ts';
import type { HourSummary } from './hour-summary.ts';

/** A recorded day of a series, as its totals. */
export interface StoredTotals extends DayTotals {
  readonly day: number;
}

/** A recorded day of a series, as its hours. */
export interface DayOfHours {
  readonly day: number;
  readonly hours: readonly HourSummary[];
}

/** The totals of recorded days, ascending, in columns of the same length. NaN is unknown. */
export interface DayColumns {
  readonly day: Int32Array;
  /** Maximum of the day. */
  readonly available: Float64Array;
  /** Maximum of the day. */
  readonly inUse: Float64Array;
  /** Maximum of the day. */
  readonly reserved: Float64Array;
  /** Refused requests. */
  readonly denials: Float64Array;
}

/** The bytes of the hours of a day, as hexadecimal digits. */
export type EncodedHours = readonly [day: number, digits: string];

/** The rows of a statement as lists, which are made faster than objects. */
function rowsInLists(statement: StatementSync, ...parameters: number[]): readonly (readonly SQLOutputValue[])[] {
  statement.setReturnArrays(true);
  return statement.all(...parameters) as unknown as readonly (readonly SQLOutputValue[])[];
}

/** Reads the hours and totals of days that are over. */
export class SealedDays {
  readonly #file: HistoryFile;

  constructor(file: HistoryFile) {
    this.#file = file;
  }

  /** The first and the last day with hours, or an empty list. */
  extent(id: number): readonly number[] {
    const row = this.#file
      .sql(`SELECT (SELECT min(day) FROM day WHERE series = ?1) AS first,
        (SELECT max(day) FROM day WHERE series = ?1) AS last`)
      .get(id);
    return row === undefined || row.first === null ? [] : [integer(row, 'first'), integer(row, 'last')];
  }

  /** From one day to before another, in order. */
  hours(id: number, from: number, to: number): readonly DayOfHours[] {
    return this.#file
      .sql('SELECT day, hours FROM day WHERE series = ? AND day >= ? AND day < ? ORDER BY day')
      .all(id, from, to)
      .map((row) => ({ day: integer(row, 'day'), hours: decodeHours(blob(row, 'hours')) }));
  }

  /** Of all days before one, in order. The blobs of hours beside them are not read. */
  totals(id: number, before: number): readonly StoredTotals[] {
    return this.#file
      .sql(`SELECT day, available, in_use, reserved, users, denials, license_seconds
        FROM day WHERE series = ? AND day < ? ORDER BY day`)
      .all(id, before)
      .map((row) => ({
        day: integer(row, 'day'),
        available: figure(row, 'available'),
        inUse: figure(row, 'in_use'),
        reserved: figure(row, 'reserved'),
        users: figure(row, 'users'),
        denials: figure(row, 'denials'),
        licenseSeconds: figure(row, 'license_seconds'),
      }));
  }

  /** The same in columns, which takes half as long. */
  columns(id: number, before: number): DayColumns {
    const statement = this.#file.sql(`SELECT day, available, in_use, reserved, denials
      FROM day WHERE series = ? AND day < ? ORDER BY day`);
    const rows = rowsInLists(statement, id, before);
    const column = (at: number): Float64Array => Float64Array.from(rows, (row) => (row[at] ?? Number.NaN) as number);
    return {
      day: Int32Array.from(rows, ([day]) => day as number),
      available: column(1),
      inUse: column(2),
      reserved: column(3),
      denials: column(4),
    };
  }

  /** The hours of days from one to before another, in order, as they are stored. */
  encodedHours(id: number, from: number, to: number): readonly EncodedHours[] {
    // as texts: an array of bytes for each day would keep the garbage collector busy
    const statement = this.#file.sql(`SELECT day, hex(hours)
      FROM day WHERE series = ? AND day >= ? AND day < ? ORDER BY day`);
    return rowsInLists(statement, id, from, to) as unknown as readonly EncodedHours[];
  }
}
