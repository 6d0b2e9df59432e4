import type { LocalTime } from '../../base/model/local-time.ts';
import type { ImportedDays } from '../../base/model/observation/recording.ts';
import type { DayOrigin } from './archived-day.ts';
import { compressed, decodeSamples, encodeHours, encodeSamples } from './day-codec.ts';
import { blob, figure, type HistoryFile, integer, text } from './history-file.ts';
import { decodeHours } from './hour-columns.ts';
import type { HourSummary } from './hour-summary.ts';
import type { Sample } from './sample.ts';

/** Where figures come from that this program did not record. */
export interface ImportOrigin {
  /** The same for an import that is taken up again after an interruption. */
  readonly key: string;
  /** `FlexNet debug log`. */
  readonly form: string;
  /** Of what was read, such as the name of a file without its path. */
  readonly name: string;
  /** When it was imported, epoch seconds. */
  readonly at: number;
  /** Seconds between two moments of which it knows the figures; 0 if it knows each change. */
  readonly seconds: number;
  /** Whether the newest known number of licenses counts where the import does not know it. */
  readonly asOfNow: boolean;
}

/** Days of an import whose number of licenses as of now is not final. */
export interface WaitingDays {
  /** The key of the import in the store. */
  readonly imported: number;
  /** The number that counts meanwhile. */
  readonly available: number | undefined;
  /** Those that have totals. */
  readonly days: readonly number[];
}

/** What is left of a day that this program recorded itself. */
export interface OwnHours {
  /** Licenses in use times seconds, exact where a log has told them. */
  readonly licenseSeconds: number | undefined;
  readonly hours: readonly HourSummary[];
}

/** The key of what this program recorded itself, beside an import of the same day. */
const OWN = 0;
/** The name of what an archive knows: it keeps only the form of an import. */
const ARCHIVE = 'archive';

/** Imported samples, apart from our own, and the origins of days. Writes must be within a transaction. */
export class ImportedTable {
  readonly #file: HistoryFile;
  readonly #localTime: LocalTime;
  readonly #isCompressed: boolean;
  #isEmpty: boolean;
  /** Whether numbers of licenses as of now count for some days. */
  #hasNowBought: boolean;

  /** @throws StoreError */
  constructor(file: HistoryFile, localTime: LocalTime, isCompressed = true) {
    this.#file = file;
    this.#localTime = localTime;
    this.#isCompressed = isCompressed;
    const has = (table: string): boolean =>
      file.guard(() => file.sql(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined);
    this.#isEmpty = !has('imported');
    this.#hasNowBought = has('now_bought');
  }

  /** The key of an origin in the store. */
  identify({ key, form, name, at, seconds, asOfNow }: ImportOrigin): number {
    this.#isEmpty = false;
    this.#file
      .sql('INSERT OR IGNORE INTO imported (key, form, name, at, seconds, as_of_now) VALUES (?, ?, ?, ?, ?, ?)')
      .run(key, form, name, Math.floor(at), seconds, Number(asOfNow));
    return integer(this.#file.sql('SELECT id FROM imported WHERE key = ?').get(key) ?? {}, 'id');
  }

  /** What imports know of a day. */
  known(series: number, day: number): readonly Sample[] | undefined {
    if (this.#isEmpty) return undefined;
    const row = this.#file.sql('SELECT samples FROM imported_samples WHERE series = ? AND day = ?').get(series, day);
    return row === undefined ? undefined : decodeSamples(blob(row, 'samples'), this.#localTime.startOf(day));
  }

  /** The same with the number of licenses as of now, where it counts. */
  samples(series: number, day: number): readonly Sample[] | undefined {
    const known = this.known(series, day);
    return known && this.withNowBought(series, day, known);
  }

  withNowBought(series: number, day: number, samples: readonly Sample[]): readonly Sample[] {
    if (!this.#hasNowBought) return samples;
    const row = this.#file
      .sql(`SELECT max(available) AS available FROM origin JOIN now_bought USING (series, imported)
        WHERE series = ? AND day = ?`)
      .get(series, day);
    const now = row === undefined ? undefined : figure(row, 'available');
    return now === undefined ? samples : samples.map((one) => ({ ...one, available: one.available ?? now }));
  }

  /** A number of licenses counts for the days of an import, where no import knows it. */
  setNowBought(series: number, imported: number, available: number, isFinal: boolean): void {
    this.#hasNowBought = true;
    this.#file
      .sql('INSERT OR REPLACE INTO now_bought VALUES (?, ?, ?, ?)')
      .run(series, imported, available, Number(isFinal));
  }

  /** Whether an import has days of a series here. */
  has(series: number, imported: number): boolean {
    return (
      this.#file.sql('SELECT 1 FROM origin WHERE series = ? AND imported = ? LIMIT 1').get(series, imported) !==
      undefined
    );
  }

  /** All samples as `decodeSamples` reads them, by the keys of series. */
  *all(): Generator<{ readonly id: number; readonly day: number; readonly encoded: Uint8Array }, void> {
    const { guard, sql } = this.#file;
    const rows = guard(() => sql('SELECT series, day, samples FROM imported_samples ORDER BY series, day').iterate());
    const next = () => {
      const { value: row, done } = rows.next();
      if (done === true) return undefined;
      return { id: integer(row, 'series'), day: integer(row, 'day'), encoded: blob(row, 'samples') };
    };
    for (let one = guard(next); one !== undefined; one = guard(next)) yield one;
  }

  writeSamples(series: number, day: number, samples: readonly Sample[]): void {
    this.writeEncoded(series, day, encodeSamples(samples, this.#localTime.startOf(day), false));
  }

  /** The same for samples that are encoded. */
  writeEncoded(series: number, day: number, encoded: Uint8Array): void {
    this.#isEmpty = false;
    this.#file
      .sql('INSERT OR REPLACE INTO imported_samples VALUES (?, ?, ?)')
      .run(series, day, this.#isCompressed ? compressed(encoded) : encoded);
  }

  /** Whether a day has figures of our own, or may have. */
  hasOwn(series: number, day: number): boolean {
    const origins = this.#origins(series, day);
    return origins.length === 0 || origins.includes(OWN);
  }

  /** Our own part of a day of which samples are not kept any more. */
  ownHours(series: number, day: number): OwnHours | undefined {
    if (this.#isEmpty) return undefined;
    const row = this.#file.sql('SELECT * FROM own_hours WHERE series = ? AND day = ?').get(series, day);
    return row && { licenseSeconds: figure(row, 'license_seconds'), hours: decodeHours(blob(row, 'hours')) };
  }

  writeOwnHours(series: number, day: number, { licenseSeconds, hours }: OwnHours): void {
    this.#file
      .sql('INSERT OR REPLACE INTO own_hours VALUES (?, ?, ?, ?)')
      .run(series, day, licenseSeconds ?? null, encodeHours(hours));
  }

  addOrigin(series: number, day: number, imported: number, isBesideOwn: boolean): void {
    const insert = this.#file.sql('INSERT OR IGNORE INTO origin VALUES (?, ?, ?)');
    insert.run(series, day, imported);
    if (isBesideOwn) insert.run(series, day, OWN);
  }

  /** Where the figures of a day come from. */
  originOf(series: number, day: number): DayOrigin {
    const origins = this.#origins(series, day);
    if (origins.length === 0) return { isLive: true, forms: [], seconds: undefined };
    const rows = this.#file
      .sql('SELECT form, seconds FROM origin JOIN imported ON id = imported WHERE series = ? AND day = ?')
      .all(series, day);
    return {
      isLive: origins.includes(OWN),
      forms: [...new Set(rows.map((row) => text(row, 'form')))].sort(),
      seconds: Math.min(...rows.map((row) => integer(row, 'seconds'))),
    };
  }

  /** What an archive knows of a day replaces its samples, and is where its figures come from. @param at epoch seconds */
  replaceByArchive(series: number, day: number, { isLive, forms, seconds = 0 }: DayOrigin, at: number): void {
    if (this.#isEmpty && forms.length === 0) return;
    this.#file.sql('DELETE FROM imported_samples WHERE series = ? AND day = ?').run(series, day);
    this.#file.sql('DELETE FROM own_hours WHERE series = ? AND day = ?').run(series, day);
    this.#file.sql('DELETE FROM origin WHERE series = ? AND day = ?').run(series, day);
    for (const form of forms) {
      const key = JSON.stringify([ARCHIVE, form, seconds]);
      this.addOrigin(series, day, this.identify({ key, form, name: ARCHIVE, at, seconds, asOfNow: false }), isLive);
    }
  }

  #origins(series: number, day: number): readonly number[] {
    if (this.#isEmpty) return [];
    const rows = this.#file.sql('SELECT imported FROM origin WHERE series = ? AND day = ?').all(series, day);
    return rows.map((row) => integer(row, 'imported'));
  }

  /** Days from the given one on that have imported samples. */
  days(series: number, from: number): readonly number[] {
    if (this.#isEmpty) return [];
    const rows = this.#file.sql('SELECT day FROM imported_samples WHERE series = ? AND day >= ?').all(series, from);
    return rows.map((row) => integer(row, 'day'));
  }

  /** Imports of a series for which the number of licenses as of now counts and is not final. */
  waiting(series: number): readonly WaitingDays[] {
    if (this.#isEmpty) return [];
    const rows = this.#file
      .sql(`SELECT id, now.available AS available, coalesce(group_concat(day.day), '') AS days
        FROM origin JOIN imported ON id = origin.imported
        LEFT JOIN day ON day.series = origin.series AND day.day = origin.day
        LEFT JOIN (SELECT imported, available, is_final FROM now_bought WHERE series = ?1) AS now ON now.imported = id
        WHERE origin.series = ?1 AND as_of_now = 1 AND coalesce(is_final, 0) = 0 GROUP BY id`)
      .all(series);
    return rows.map((row) => ({
      imported: integer(row, 'id'),
      available: figure(row, 'available'),
      days: text(row, 'days')
        .split(',')
        .filter((written) => written !== '')
        .map(Number),
    }));
  }

  /** What of a series was imported, the oldest first. */
  spans(series: number): readonly ImportedDays[] {
    if (this.#isEmpty) return [];
    return this.#file
      .sql(`SELECT form, name, at, min(day) AS first, max(day) AS last, count(*) AS days
        FROM origin JOIN imported ON id = imported WHERE series = ? GROUP BY id ORDER BY first, id`)
      .all(series)
      .map((row) => ({
        form: text(row, 'form'),
        name: text(row, 'name'),
        at: integer(row, 'at'),
        first: integer(row, 'first'),
        last: integer(row, 'last'),
        days: integer(row, 'days'),
      }));
  }

  /** Days before one that have imported samples. */
  daysBefore(series: number, day: number): readonly number[] {
    if (this.#isEmpty) return [];
    const rows = this.#file.sql('SELECT day FROM imported_samples WHERE series = ? AND day < ?').all(series, day);
    return rows.map((row) => integer(row, 'day'));
  }

  /** A series has been deleted: its key may be given to another one. */
  forget(series: number): void {
    this.#file.sql('DELETE FROM now_bought WHERE series = ?').run(series);
  }

  /** Deletes days before one. */
  prune(series: number, before: number): void {
    if (this.#isEmpty) return;
    for (const table of ['imported_samples', 'own_hours', 'origin'])
      this.#file.sql(`DELETE FROM ${table} WHERE series = ? AND day < ?`).run(series, before);
  }
}
