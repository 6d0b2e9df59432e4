import type { LocalTime } from '../model/local-time.ts';
import type { ImportedDays } from '../model/observation/recording.ts';
import type { DayOrigin } from './archived-day.ts';
import { decodeSamples, encodeSamples } from './day-codec.ts';
import { blob, type HistoryFile, integer, text } from './history-file.ts';
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

/** Days of an import that wait for a number of licenses. */
export interface WaitingDays {
  readonly origin: ImportOrigin;
  readonly days: readonly number[];
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

  /** @throws StoreError */
  constructor(file: HistoryFile, localTime: LocalTime, isCompressed: boolean) {
    this.#file = file;
    this.#localTime = localTime;
    this.#isCompressed = isCompressed;
    this.#isEmpty = file.guard(() => file.sql('SELECT 1 FROM imported LIMIT 1').get() === undefined);
  }

  /** The key of an origin in the store. */
  identify({ key, form, name, at, seconds, asOfNow }: ImportOrigin): number {
    this.#isEmpty = false;
    this.#file
      .sql('INSERT OR IGNORE INTO imported (key, form, name, at, seconds, as_of_now) VALUES (?, ?, ?, ?, ?, ?)')
      .run(key, form, name, Math.floor(at), seconds, Number(asOfNow));
    return integer(this.#file.sql('SELECT id FROM imported WHERE key = ?').get(key) ?? {}, 'id');
  }

  samples(series: number, day: number): readonly Sample[] | undefined {
    if (this.#isEmpty) return undefined;
    const row = this.#file.sql('SELECT samples FROM imported_samples WHERE series = ? AND day = ?').get(series, day);
    return row === undefined ? undefined : decodeSamples(blob(row, 'samples'), this.#localTime.startOf(day));
  }

  writeSamples(series: number, day: number, samples: readonly Sample[]): void {
    this.#file
      .sql('INSERT OR REPLACE INTO imported_samples VALUES (?, ?, ?)')
      .run(series, day, encodeSamples(samples, this.#localTime.startOf(day), this.#isCompressed));
  }

  /** Whether a day has figures of our own, or may have. */
  hasOwn(series: number, day: number): boolean {
    const origins = this.#origins(series, day);
    return origins.length === 0 || origins.includes(OWN);
  }

  /** Whether an import knows no less of the time within a day than those before: of two, the finer one counts, else the later. */
  isFinest(series: number, day: number, imported: number): boolean {
    const row = this.#file
      .sql(`SELECT min(seconds) AS finest, (SELECT seconds FROM imported WHERE id = ?3) AS seconds
        FROM origin JOIN imported ON id = imported WHERE series = ?1 AND day = ?2 AND id <> ?3`)
      .get(series, day, imported);
    return typeof row?.finest !== 'number' || integer(row, 'seconds') <= row.finest;
  }

  /** Whether all that is known of a day are sums over it. */
  hasOnlySums(series: number, day: number): boolean {
    const row = this.#file
      .sql('SELECT min(seconds) AS finest FROM origin JOIN imported ON id = imported WHERE series = ? AND day = ?')
      .get(series, day);
    return typeof row?.finest === 'number' && row.finest > 3600;
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

  /** Days of a series without a number of licenses, of imports for which that of now counts. */
  waiting(series: number): readonly WaitingDays[] {
    if (this.#isEmpty) return [];
    const rows = this.#file
      .sql(`SELECT imported.*, group_concat(origin.day) AS days FROM origin JOIN imported ON id = imported
        JOIN day ON day.series = origin.series AND day.day = origin.day
        WHERE origin.series = ? AND as_of_now = 1 AND day.available IS NULL GROUP BY id`)
      .all(series);
    return rows.map((row) => ({
      origin: {
        key: text(row, 'key'),
        form: text(row, 'form'),
        name: text(row, 'name'),
        at: integer(row, 'at'),
        seconds: integer(row, 'seconds'),
        asOfNow: true,
      },
      days: text(row, 'days').split(',').map(Number),
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

  /** Deletes samples of days before one, and origins of days before another. */
  prune(series: number, samplesBefore: number, before: number): void {
    if (this.#isEmpty) return;
    this.#file.sql('DELETE FROM imported_samples WHERE series = ? AND day < ?').run(series, samplesBefore);
    this.#file.sql('DELETE FROM origin WHERE series = ? AND day < ?').run(series, before);
  }
}
