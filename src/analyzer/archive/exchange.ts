import { dateText } from '../../base/model/local-time.ts';
import { type ArchivedDay, isSameDay, mergeDays } from '../history/archived-day.ts';
import { decodeHours } from '../history/hour-columns.ts';
import type { Series } from '../history/sample.ts';
import { seriesKey } from '../history/series-table.ts';
import type { ArchivableHistory, ExchangedDay, MarkedDay, StoreArchive } from '../history/store-archive.ts';
import { type ArchiveConnection, ArchiveError, archiveError, type DatabaseOptions } from './connection.ts';
import { DAY_COLUMNS, type DayToWrite, dayOf, writeDays } from './rows.ts';
import { prepareMonths, prepareSchema } from './schema.ts';

/** One exchange of the history with its archive: what others wrote comes here, then what is new here goes there. */

export interface ExchangeOptions extends DatabaseOptions {
  /** The name of the analyzer, under which the archive keeps the history. */
  readonly name: string;
  /** Of this program. */
  readonly version: string;
}

/** How far the history has followed the archive. */
interface Progress {
  readonly archive: string;
  readonly analyzer: number;
  /** It has all changes before this one, and of this one those up to a place in the order of keys. */
  readonly change: number;
  readonly series: number;
  readonly day: number;
  /** While all days are taken for the first time: the changes up to this one, of which it has those up to that place. */
  readonly until?: number | undefined;
}

/** What an exchange did, in days of series. */
export interface Exchanged {
  /** Those that came here. */
  readonly taken: number;
  /** Those that were new here. */
  readonly given: number;
}

/** Days that are read at once. */
const PAGE = 1000;
/** Days that are written in one transaction. */
const BATCH = 500;

/** PostgreSQL has no texts with this character. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');
const storable = ({ vendorLicense, feature, package: name, featureType }: Series): Series => ({
  vendorLicense: withoutNul(vendorLicense),
  feature: withoutNul(feature),
  package: withoutNul(name),
  featureType: withoutNul(featureType),
});

/** The exchange over one connection. */
export class Exchange {
  readonly #connection: ArchiveConnection;
  readonly #options: ExchangeOptions;
  readonly #history: ArchivableHistory;
  #seriesIds: ReadonlyMap<string, number> = new Map();

  constructor(connection: ArchiveConnection, options: ExchangeOptions, history: ArchivableHistory) {
    this.#connection = connection;
    this.#options = options;
    this.#history = history;
  }

  /** @throws ArchiveError, StoreError */
  async run(): Promise<Exchanged> {
    const archive = await prepareSchema(this.#connection, this.#options);
    const { analyzer, newest } = await this.#register();
    let progress = this.#progress();
    // another archive, or one that was restored from a backup: it may lack what it had
    if (progress?.archive !== archive || progress.analyzer !== analyzer || progress.change > newest + 1) {
      progress = { archive, analyzer, change: 0, series: 0, day: 0, until: newest };
      await this.#write((days) => days.markAll(JSON.stringify(progress)));
    }
    const { taken, progress: followed } = await this.#take(progress, newest);
    if (taken > 0) this.#history.onTaken();
    return { taken, given: await this.#give(followed) };
  }

  #days(): StoreArchive {
    const days = this.#history.days();
    if (days === undefined) throw new ArchiveError('history cannot be recorded now; see /sources');
    return days;
  }

  #progress(): Progress | undefined {
    const text = this.#days().progress();
    return text === undefined ? undefined : (JSON.parse(text) as Progress);
  }

  async #write(work: (days: StoreArchive) => Iterable<void>): Promise<void> {
    if (!(await this.#history.write(work))) throw new ArchiveError('history cannot be recorded now; see /sources');
  }

  /** The analyzer in the archive, and its newest change. */
  async #register(): Promise<{ readonly analyzer: number; readonly newest: number }> {
    const { name, version } = this.#options;
    const { origin, localTime } = this.#history;
    const values = [name, version, localTime.timeZone, origin];
    await this.#connection.query(
      `INSERT INTO schema.analyzer (name, version, time_zone, history_of) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      values,
    );
    const [row] = await this.#connection.query('SELECT * FROM schema.analyzer WHERE name = $1', [name]);
    const [timeZone, historyOf] = [String(row?.time_zone), String(row?.history_of)];
    if (timeZone !== localTime.timeZone) throw archiveError('timeZone', this.#options, timeZone, localTime.timeZone);
    if (historyOf !== origin) throw archiveError('origin', this.#options, historyOf, origin);
    const analyzer = Number(row?.id);
    if (row?.version !== version)
      await this.#connection.query('UPDATE schema.analyzer SET version = $1 WHERE id = $2', [version, analyzer]);
    return { analyzer, newest: Number(row?.change) };
  }

  /**
   * Takes what the archive has, from where the last exchange ended: first all days in the order of the keys, which is that of
   * the disk, then in the order of changes. Each has an index, so that no page takes longer in a large archive.
   */
  async #take(from: Progress, newest: number): Promise<{ readonly taken: number; readonly progress: Progress }> {
    let [progress, taken] = [from, 0];
    while (progress.until !== undefined || progress.change <= newest) {
      const { archive, analyzer, change, series, day, until } = progress;
      const place =
        until === undefined
          ? `(day.change, day.series, day.day) > ($2, $3, $4::date) ORDER BY day.change, day.series, day.day`
          : `day.change <= $2 AND (day.series, day.day) > ($3, $4::date) ORDER BY day.series, day.day`;
      const rows = await this.#connection.query(
        `SELECT ${DAY_COLUMNS} FROM schema.day JOIN schema.series ON series.id = day.series
          WHERE analyzer = $1 AND day.day >= $5::date AND ${place} LIMIT ${PAGE}`,
        [analyzer, until ?? change, series, dateText(day), dateText(this.#history.firstDay())],
      );
      const found = rows.map(dayOf);
      const last = found.at(-1);
      progress =
        last === undefined || found.length < PAGE
          ? { archive, analyzer, change: (until ?? newest) + 1, series: 0, day: 0 }
          : { archive, analyzer, change: last.change, series: last.series, day: last.day.day, until };
      const text = JSON.stringify(progress);
      const taking = found.map((one) => one.day);
      await this.#write((days) => days.take(taking, text, Date.now() / 1000));
      taken += found.length;
    }
    return { taken, progress };
  }

  /** Gives what is new here, a batch in each transaction. */
  async #give(from: Progress): Promise<number> {
    let [progress, given] = [from, 0];
    for (;;) {
      const marked = this.#days().marked(BATCH);
      if (marked.length === 0) return given;
      const months = new Set(marked.map(({ mark }) => `${dateText(mark.day).slice(0, 8)}01`));
      await prepareMonths(this.#connection, [...months]);
      const { exchanged, next } = await this.#connection.transact(progress.analyzer, () =>
        this.#merge(marked, progress),
      );
      progress = next;
      const text = JSON.stringify(progress);
      await this.#write((days) => days.settle(exchanged, text, Date.now() / 1000));
      given += exchanged.length;
    }
  }

  /** Makes one of what is known of days here and there. */
  async #merge(
    marked: readonly MarkedDay[],
    progress: Progress,
  ): Promise<{ readonly exchanged: readonly ExchangedDay[]; readonly next: Progress }> {
    const connection = this.#connection;
    const ids = await this.#identify(progress.analyzer, marked);
    const kept = await this.#kept(marked, ids);
    const toWrite: DayToWrite[] = [];
    const exchanged = marked.map(({ mark, known }, i): ExchangedDay => {
      const series = ids[i] ?? 0;
      const there = kept.get(`${series} ${mark.day}`);
      if (known === undefined) return { mark, replacement: there };
      if (there === undefined) {
        const changed = decodeHours(known.hours).map((hour) => ({ hour, origin: known.origin }));
        toWrite.push({ series, day: known, changed });
        return { mark, replacement: undefined };
      }
      const merged = mergeDays(there, known);
      if (merged.day !== there) toWrite.push({ series, ...merged });
      return { mark, replacement: isSameDay(merged.day, known) ? undefined : merged.day };
    });
    if (toWrite.length === 0) return { exchanged, next: progress };
    const [before] = await connection.query('SELECT change FROM schema.analyzer WHERE id = $1', [progress.analyzer]);
    const [after] = await connection.query("SELECT nextval('schema.change') AS change");
    const change = Number(after?.change);
    await writeDays(connection, toWrite, change, this.#history.localTime);
    await connection.query('UPDATE schema.analyzer SET change = $1 WHERE id = $2', [change, progress.analyzer]);
    // what was written here need not be read again, unless another analyzer has written meanwhile
    const next =
      Number(before?.change) < progress.change ? { ...progress, change: change + 1, series: 0, day: 0 } : progress;
    return { exchanged, next };
  }

  /** The numbers of series in the archive. */
  async #identify(analyzer: number, marked: readonly MarkedDay[]): Promise<readonly number[]> {
    const wanted = marked.map(({ series }) => storable(series));
    if (wanted.some((series) => !this.#seriesIds.has(seriesKey(series)))) {
      const columns = [
        wanted.map(({ vendorLicense }) => vendorLicense),
        wanted.map(({ feature }) => feature),
        wanted.map((series) => series.package),
        wanted.map(({ featureType }) => featureType),
      ];
      await this.#connection.query(
        `INSERT INTO schema.series (analyzer, vendor_license, feature, package, feature_type)
          SELECT DISTINCT $1::integer, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) ON CONFLICT DO NOTHING`,
        [analyzer, ...columns],
      );
      const rows = await this.#connection.query('SELECT * FROM schema.series WHERE analyzer = $1', [analyzer]);
      this.#seriesIds = new Map(
        rows.map((row) => {
          const [vendorLicense, feature] = [String(row.vendor_license), String(row.feature)];
          const [name, featureType] = [String(row.package), String(row.feature_type)];
          return [seriesKey({ vendorLicense, feature, package: name, featureType }), Number(row.id)];
        }),
      );
    }
    return wanted.map((series) => this.#seriesIds.get(seriesKey(series)) ?? 0);
  }

  /** What the archive has of days, by series and day. */
  async #kept(marked: readonly MarkedDay[], ids: readonly number[]): Promise<ReadonlyMap<string, ArchivedDay>> {
    const rows = await this.#connection.query(
      `SELECT ${DAY_COLUMNS} FROM schema.day JOIN schema.series ON series.id = day.series
        WHERE (day.series, day.day) IN (SELECT * FROM unnest($1::bigint[], $2::date[]))`,
      [ids, marked.map(({ mark }) => dateText(mark.day))],
    );
    return new Map(rows.map(dayOf).map(({ series, day }) => [`${series} ${day.day}`, day]));
  }
}
