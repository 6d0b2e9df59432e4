import type { LocalTime } from '../../base/model/local-time.ts';
import type { ArchiveMarks } from './archive-marks.ts';
import { type ArchivedDay, knownSeconds } from './archived-day.ts';
import { type BlockedDay, BlockedTable } from './blocked-table.ts';
import { decodeSamples, encodeHours, encodeSamples } from './day-codec.ts';
import { createDaySummary, type DayRecord, type DayTotals, totalsOf, totalsOfDay } from './day-summary.ts';
import { fillHours } from './fill-hours.ts';
import { fillSamples } from './fill-samples.ts';
import { blob, figure, type HistoryFile, integer, type Row } from './history-file.ts';
import { decodeHours } from './hour-columns.ts';
import type { HourSummary } from './hour-summary.ts';
import { higherSamples, licenseSecondsWithin } from './imported-samples.ts';
import { ImportedTable, type OwnHours } from './imported-table.ts';
import { type EncodedDay, type Figures, isSum, mergeSamples, type Sample } from './sample.ts';
import type { StoredSeries } from './series-table.ts';

const nullable = (value: number | undefined): number | null => value ?? null;

/** Of two samples of one moment the higher figure, or the one that is known. */
const keepHighest = (column: string): string =>
  `${column} = coalesce(max(${column}, excluded.${column}), ${column}, excluded.${column})`;

const INSERT_SAMPLE = `INSERT INTO open_sample VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
  seconds = max(seconds, excluded.seconds), ${['available', 'in_use', 'reserved', 'users'].map(keepHighest).join()},
  denials = coalesce(denials + excluded.denials, denials, excluded.denials)`;

const figuresOf = (row: Row): Figures => ({
  available: figure(row, 'available'),
  inUse: figure(row, 'in_use'),
  reserved: figure(row, 'reserved'),
  users: figure(row, 'users'),
  denials: figure(row, 'denials'),
});

const toSample = (row: Row): Sample => ({
  at: integer(row, 'at'),
  seconds: integer(row, 'seconds'),
  ...figuresOf(row),
});

/**
 * The samples of series, by their keys, and what is left of them: open samples, a row each, until the day is over; then a
 * blob of the day's samples, and its hours and totals. Writes must be within a transaction.
 */
export class DayTables {
  readonly #file: HistoryFile;
  readonly #localTime: LocalTime;
  readonly #summariseDay = createDaySummary();
  readonly imported: ImportedTable;
  readonly blocked: BlockedTable;
  /** The days that an archive does not have yet; `undefined` without an archive. */
  readonly #marks: ArchiveMarks | undefined;
  /** How often what is kept of a day was written, and of all days. */
  readonly #written = new Map<number, number>();
  #rewritten = 0;

  /** @throws StoreError */
  constructor(file: HistoryFile, localTime: LocalTime, marks: ArchiveMarks | undefined) {
    this.#marks = marks;
    this.#file = file;
    this.#localTime = localTime;
    this.imported = new ImportedTable(file, localTime);
    this.blocked = new BlockedTable(file);
  }

  /** Must come before the samples of that time. */
  insertCollection(at: number): void {
    this.#file.sql('INSERT OR IGNORE INTO open_collection VALUES (?)').run(at);
  }

  insertSample(id: number, at: number, seconds: number, figures: Figures): void {
    const { available, inUse, reserved, users, denials } = figures;
    const row = [available, inUse, reserved, users, denials].map(nullable);
    this.#file.sql(INSERT_SAMPLE).run(id, at, seconds, ...row);
  }

  /** Another number once something else may be kept of a day. */
  revisionOf(day: number): number {
    return this.#rewritten + (this.#written.get(day) ?? 0);
  }

  /** Something else may be kept of any day. */
  invalidate(): void {
    this.#rewritten += 1;
  }

  #wrote(day: number): void {
    this.#written.set(day, (this.#written.get(day) ?? 0) + 1);
  }

  /** The samples in the blob. There may be open ones too. */
  keptSamples(id: number, day: number): readonly Sample[] | undefined {
    const row = this.#file.sql('SELECT samples FROM day_samples WHERE series = ? AND day = ?').get(id, day);
    return row === undefined ? undefined : decodeSamples(blob(row, 'samples'), this.#localTime.startOf(day));
  }

  /** Of a day of the series with these keys, by key and in order of time. */
  #openSamples(first: number, last: number, day: number): Map<number, Sample[]> {
    const rows = this.#file
      .sql(`SELECT open_sample.* FROM open_collection CROSS JOIN open_sample USING (at)
        WHERE at >= ? AND at < ? AND series BETWEEN ? AND ? ORDER BY at`)
      .all(this.#localTime.startOf(day), this.#localTime.startOf(day + 1), first, last);
    const bySeries = new Map<number, Sample[]>();
    for (const row of rows) {
      const id = integer(row, 'series');
      const samples = bySeries.get(id);
      if (samples === undefined) bySeries.set(id, [toSample(row)]);
      else samples.push(toSample(row));
    }
    return bySeries;
  }

  /** @param isSealed whether the day is known to have no open samples */
  read(id: number, day: number, isSealed: boolean): DayRecord | undefined {
    const kept = this.keptSamples(id, day);
    const open = isSealed ? undefined : this.#openSamples(id, id, day).get(id);
    const hasOwnHours = this.imported.ownHours(id, day) !== undefined;
    const imported = hasOwnHours ? undefined : this.imported.samples(id, day);
    if (kept !== undefined || open !== undefined || imported !== undefined)
      return { samples: fillSamples(mergeSamples(kept ?? [], open ?? []), imported ?? []) };
    const hours = this.#keptHours(id, day);
    return hours === undefined ? undefined : { hours };
  }

  /** The day's hours and totals are kept too once it is over. */
  writeDay(id: number, day: number, samples: readonly Sample[], isOver: boolean): void {
    this.#wrote(day);
    if (samples.length > 0) {
      this.#file
        .sql('INSERT INTO day_samples VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET samples = excluded.samples')
        .run(id, day, encodeSamples(samples, this.#localTime.startOf(day)));
    }
    if (isOver) this.#writeTotals(id, day, fillSamples(samples, this.imported.samples(id, day) ?? []));
  }

  #writeTotals(id: number, day: number, samples: readonly Sample[]): void {
    if (samples.length === 0) return;
    const hours = this.#hoursOf(day, samples);
    this.#writeHours(id, day, hours, totalsOfDay(samples, hours, this.#localTime.startOf(day + 1)));
  }

  #hoursOf(day: number, samples: readonly Sample[]): readonly HourSummary[] {
    const frame = { hours: this.#localTime.hoursOf(day), end: this.#localTime.startOf(day + 1) };
    return this.#summariseDay([{ samples }], frame);
  }

  #writeHours(id: number, day: number, hours: readonly HourSummary[], known: DayTotals): void {
    this.#writeRow(id, day, known, encodeHours(hours));
    this.#marks?.add(id, day);
  }

  #writeRow(id: number, day: number, known: DayTotals, hours: Uint8Array): void {
    const { available, inUse, reserved, users, denials, licenseSeconds } = known;
    const totals = [available, inUse, reserved, users, denials, licenseSeconds].map(nullable);
    this.#file.sql('INSERT OR REPLACE INTO day VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(id, day, ...totals, hours);
  }

  /** What an archive needs of a day that is over. */
  archived(series: StoredSeries, day: number): ArchivedDay | undefined {
    const row = this.#file.sql('SELECT * FROM day WHERE series = ? AND day = ?').get(series.id, day);
    if (row === undefined) return undefined;
    const totals = { ...figuresOf(row), licenseSeconds: figure(row, 'license_seconds') };
    return {
      series,
      day,
      totals,
      hours: blob(row, 'hours'),
      origin: this.imported.originOf(series.id, day),
      waits: this.blocked.of(series.id, day),
    };
  }

  /** Writes what an archive has of a day that is over. Samples that say less or something else are deleted. @param at epoch seconds */
  writeArchived(id: number, { day, totals, hours, origin, waits }: ArchivedDay, at: number): void {
    this.#wrote(day);
    this.#writeRow(id, day, totals, hours);
    this.#file.sql('DELETE FROM day_samples WHERE series = ? AND day = ?').run(id, day);
    this.imported.replaceByArchive(id, day, origin, at);
    this.blocked.replace(id, day, waits);
  }

  /**
   * Adds imported samples of a day to those of other imports: the higher figures count, in any order and however often. Our own
   * figures stand before all of them.
   */
  importDay(
    id: number,
    { day, samples, encoded }: Omit<EncodedDay, 'series'>,
    { imported, isOver }: { readonly imported: number; readonly isOver: boolean },
  ): void {
    this.#wrote(day);
    const own = this.keptSamples(id, day);
    const before = this.imported.known(id, day);
    const ownHours = isOver && own === undefined ? this.#ownHours(id, day, before) : undefined;
    // sums of a day are of use only where nothing else is known of it
    if (samples.some(isSum) && (own !== undefined || ownHours !== undefined)) return;
    const isBesideOwn = own !== undefined || !isOver || (ownHours !== undefined && this.imported.hasOwn(id, day));
    const all = higherSamples(before ?? [], samples);
    if (encoded !== undefined && all === samples) this.imported.writeEncoded(id, day, encoded);
    else this.imported.writeSamples(id, day, all);
    this.imported.addOrigin(id, day, imported, isBesideOwn);
    const known = this.imported.withNowBought(id, day, all);
    if (ownHours !== undefined) this.#writeBesideHours(id, day, ownHours, known);
    else if (isOver) this.#writeTotals(id, day, fillSamples(own ?? [], known));
  }

  /** Adds the people who waited on a day, as an import knows them. */
  importBlocked(id: number, blocked: BlockedDay, isOver: boolean): void {
    if (!this.blocked.merge(id, blocked)) return;
    this.#wrote(blocked.day);
    if (isOver) this.#marks?.add(id, blocked.day);
  }

  /** The totals of a day that is over and has imported samples: the number of licenses as of now is another one. */
  writeTotalsAgain(id: number, day: number): void {
    this.#wrote(day);
    const known = this.imported.samples(id, day) ?? [];
    const ownHours = this.imported.ownHours(id, day);
    if (ownHours !== undefined) this.#writeBesideHours(id, day, ownHours, known);
    else this.#writeTotals(id, day, fillSamples(this.keptSamples(id, day) ?? [], known));
  }

  /** Our own part of a day that is over, of which no samples are left. @param imported the samples of imports before */
  #ownHours(id: number, day: number, imported: readonly Sample[] | undefined): OwnHours | undefined {
    const known = this.imported.ownHours(id, day);
    if (known !== undefined || imported !== undefined) return known;
    // an earlier version, or an archive, has only the union: it stands first
    const row = this.#file.sql('SELECT license_seconds, hours FROM day WHERE series = ? AND day = ?').get(id, day);
    if (row === undefined) return undefined;
    const own = { licenseSeconds: figure(row, 'license_seconds'), hours: decodeHours(blob(row, 'hours')) };
    this.imported.writeOwnHours(id, day, own);
    return own;
  }

  /** Our own hours, filled with what imports know of the others. */
  #writeBesideHours(id: number, day: number, own: OwnHours, imported: readonly Sample[]): void {
    const filled = fillHours(own.hours, this.#hoursOf(day, imported));
    const known = new Set(own.hours.filter((hour) => knownSeconds(hour) > 0).map(({ index }) => index));
    const hours = this.#localTime.hoursOf(day);
    const licenseSeconds = filled.reduce<number | undefined>((sum, hour) => {
      if (known.has(hour.index) || knownSeconds(hour) === 0) return sum;
      const from = hours[hour.index]?.start ?? 0;
      const to = hours[hour.index + 1]?.start ?? this.#localTime.startOf(day + 1);
      return (sum ?? 0) + licenseSecondsWithin(imported, from, to);
    }, own.licenseSeconds);
    this.#writeHours(id, day, filled, { ...totalsOf(filled), licenseSeconds });
  }

  #keptHours(id: number, day: number): readonly HourSummary[] | undefined {
    const row = this.#file.sql('SELECT hours FROM day WHERE series = ? AND day = ?').get(id, day);
    return row === undefined ? undefined : decodeHours(blob(row, 'hours'));
  }

  /** The newest number of licenses that is known of a series. */
  newestAvailable(id: number): number | undefined {
    const row =
      this.#file
        .sql(`SELECT available FROM open_collection CROSS JOIN open_sample USING (at)
          WHERE series = ? AND available IS NOT NULL ORDER BY at DESC LIMIT 1`)
        .get(id) ??
      this.#file
        .sql('SELECT available FROM day WHERE series = ? AND available IS NOT NULL ORDER BY day DESC LIMIT 1')
        .get(id);
    return row === undefined ? undefined : figure(row, 'available');
  }

  /** Makes blobs of open samples. The series are neighbours in order of their keys. */
  sealDay(ids: readonly number[], day: number): void {
    const [first = 0, last = first] = [ids[0], ids.at(-1)];
    const open = this.#openSamples(first, last, day);
    for (const id of ids) {
      this.writeDay(id, day, mergeSamples(this.keptSamples(id, day) ?? [], open.get(id) ?? []), true);
    }
    this.#file
      .sql(`DELETE FROM open_sample WHERE series BETWEEN ? AND ? AND at IN
        (SELECT at FROM open_collection WHERE at >= ? AND at < ?)`)
      .run(first, last, this.#localTime.startOf(day), this.#localTime.startOf(day + 1));
  }

  /** After the days before this one are sealed for all series. */
  deleteCollections(before: number): void {
    this.#file.sql('DELETE FROM open_collection WHERE at < ?').run(this.#localTime.startOf(before));
  }

  /** Days with collections that are not sealed yet. */
  collectedDays(): readonly number[] {
    const days: number[] = [];
    const next = this.#file.sql('SELECT min(at) AS at FROM open_collection WHERE at >= ?');
    for (let from = Number.MIN_SAFE_INTEGER; ; ) {
      const at = next.get(from)?.at;
      if (at === undefined || at === null) return days;
      const day = this.#localTime.dayOf(Number(at));
      days.push(day);
      from = this.#localTime.startOf(day + 1);
    }
  }

  /** Days from the given one on that have samples of a series in a blob. */
  keptDays(id: number, from: number): readonly number[] {
    const rows = this.#file.sql('SELECT day FROM day_samples WHERE series = ? AND day >= ?').all(id, from);
    return [...rows.map((row) => integer(row, 'day')), ...this.imported.days(id, from)];
  }

  /** Deletes our own samples of days before one, and everything of days before another. */
  prune(id: number, samplesBefore: number, before: number): void {
    this.invalidate();
    for (const day of this.imported.daysBefore(id, samplesBefore)) {
      const own = this.keptSamples(id, day);
      if (own === undefined) continue;
      const hours = this.#hoursOf(day, own);
      const { licenseSeconds } = totalsOfDay(own, hours, this.#localTime.startOf(day + 1));
      this.imported.writeOwnHours(id, day, { licenseSeconds, hours });
    }
    this.#file.sql('DELETE FROM day_samples WHERE series = ? AND day < ?').run(id, samplesBefore);
    this.#file.sql('DELETE FROM day WHERE series = ? AND day < ?').run(id, before);
    this.imported.prune(id, before);
    this.blocked.prune(id, before);
  }

  /** Deletes a series of which nothing is left. */
  deleteIfEmpty(id: number): void {
    const { changes } = this.#file
      .sql(`DELETE FROM series WHERE id = ?1
        AND NOT EXISTS (SELECT 1 FROM day WHERE series = ?1)
        AND NOT EXISTS (SELECT 1 FROM day_samples WHERE series = ?1)
        AND NOT EXISTS (SELECT 1 FROM imported_samples WHERE series = ?1)
        AND NOT EXISTS (SELECT 1 FROM open_collection CROSS JOIN open_sample USING (at) WHERE series = ?1)`)
      .run(id);
    if (changes === 0) return;
    this.imported.forget(id);
    this.blocked.prune(id, Number.MAX_SAFE_INTEGER);
  }
}
