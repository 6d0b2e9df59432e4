import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { LocalTime } from '../../base/model/local-time.ts';
import type { Collected, VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import type { ImportedDays } from '../../base/model/observation/recording.ts';
import { ArchiveMarks } from './archive-marks.ts';
import type { BlockedChange, BlockedDay } from './blocked-table.ts';
import { DamagedRecord } from './day-codec.ts';
import type { DayRecord } from './day-summary.ts';
import { DayTables } from './day-tables.ts';
import { fillSamples } from './fill-samples.ts';
import {
  blob,
  type HistoryFile,
  type HistoryFileOptions,
  integer,
  openHistoryFile,
  type Row,
  text,
} from './history-file.ts';
import type { ImportOrigin } from './imported-table.ts';
import type { DayOfSamples, EncodedDay, Figures, Series } from './sample.ts';
import { type DayColumns, type DayOfHours, type EncodedHours, SealedDays, type StoredTotals } from './sealed-days.ts';
import { SeriesTable, type StoredSeries } from './series-table.ts';
import { StoreArchive } from './store-archive.ts';

/** It is the fastest, and makes observations no larger than the default. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

function readObservation(bytes: Uint8Array): VendorLicenseObservation {
  try {
    return deserialize(zstdDecompressSync(bytes)) as VendorLicenseObservation;
  } catch (error) {
    throw new DamagedRecord('a stored observation cannot be read', { cause: error });
  }
}

/** The last observation of each vendor license, for a new process. */
class ObservationTable {
  readonly #file: HistoryFile;

  constructor(file: HistoryFile) {
    this.#file = file;
  }

  /** A large one takes some milliseconds for each step. */
  *replace({ source, name, collectedAt, observation }: Collected): Generator<void, void> {
    const bytes = serialize(observation);
    yield;
    const compressed = zstdCompressSync(bytes, COMPRESSION);
    yield;
    this.#file.sql('INSERT OR REPLACE INTO observation VALUES (?, ?, ?, ?)').run(name, collectedAt, compressed, source);
  }

  /** Deletes those of other vendor licenses. */
  keepOnly(vendorLicenses: ReadonlySet<string>): void {
    for (const row of this.#file.sql('SELECT vendor_license FROM observation').all()) {
      const name = text(row, 'vendor_license');
      if (!vendorLicenses.has(name)) this.#file.sql('DELETE FROM observation WHERE vendor_license = ?').run(name);
    }
  }

  /** @throws StoreError */
  *all(): Generator<void, readonly Collected[]> {
    const { guard, sql } = this.#file;
    const all: Collected[] = [];
    for (const row of guard(() => sql('SELECT * FROM observation').all())) {
      all.push(guard(() => readRow(row)));
      yield;
    }
    return all;
  }
}

const readRow = (row: Row): Collected => ({
  source: text(row, 'source'),
  name: text(row, 'vendor_license'),
  collectedAt: integer(row, 'collected_at'),
  observation: readObservation(blob(row, 'observation')),
});

/** Where the history is, and the calendar of its days. */
export interface StoreOptions extends Omit<HistoryFileOptions, 'timeZone'> {
  readonly localTime: LocalTime;
  /** Whether sealed days are exchanged with an archive; `undefined` leaves what is marked for it. */
  readonly isArchived?: boolean | undefined;
}

export interface Recording {
  /** Iterated in slices, and again if the file was replaced meanwhile. */
  readonly figures: Iterable<readonly [Series, Figures]>;
  /**
   * Observations that replace the last ones, names of users included: of each vendor license one is kept, so a name goes
   * with its checkout.
   */
  readonly observations: readonly Collected[];
  /** People who waited, by series; each with the day of their waits. */
  readonly blocked?: Iterable<readonly [Series, BlockedChange]>;
  /** The vendor licenses that exist. Observations of others are deleted. */
  readonly vendorLicenses: ReadonlySet<string>;
}

/**
 * History of every series. The samples of a day are rows until it is over; then they are sealed: one blob of samples,
 * kept for a while, and the hours and totals, kept for years. Everything that writes is one transaction, or a generator
 * that yields between its steps so that others can run.
 *
 * Every method throws `StoreError`.
 */
export interface Store {
  /** All series there are. */
  series(): readonly StoredSeries[];
  /** The first and the last recorded day, of these series or of all. */
  days(series?: readonly StoredSeries[]): { readonly first: number; readonly last: number } | undefined;
  /** Days before this one are sealed. */
  sealedUntil(): number;
  /** Another number once something else may be recorded of a sealed day. */
  revisionOf(day: number): number;
  /** Records one collection as a whole. `at` is the beginning of its slot, `seconds` its length. */
  record(at: number, seconds: number, recording: Recording): Generator<void, void>;
  /** The last observation of each vendor license, for a new process. */
  known(): Generator<void, readonly Collected[]>;
  /** Adds samples of whole local days that has none yet, and a note with them. */
  add(days: readonly DayOfSamples[], note: readonly [key: string, value: string]): Generator<void, void>;
  /**
   * Adds what other programs recorded on whole local days: it fills what is not known here. The same again, in any order, changes
   * nothing.
   */
  import(days: readonly EncodedDay[], origin: ImportOrigin): Generator<void, void>;
  /** Adds the people who waited, as an import knows them. What was recorded stays; of two imports, the one with more episodes counts. */
  importBlocked(days: readonly (BlockedDay & { readonly series: Series })[]): Generator<void, void>;
  /** Adds people whose waits have ended. */
  addBlocked(days: Iterable<readonly [Series, BlockedChange]>): Generator<void, void>;
  /** The days from one to before another of which the people who waited are known, in order. */
  blocked(series: StoredSeries, from: number, to: number): readonly BlockedDay[];
  /** Numbers of licenses that became known count for imports that did not have them. @returns whether there were any */
  addNowBought(): Generator<void, boolean>;
  /** What of a series was imported, the oldest first. */
  imported(series: StoredSeries): readonly ImportedDays[];
  /** Seals every day before this one. */
  seal(day: number): Generator<void, void>;
  /** Forgets our own samples of days before one day, and everything of days before another. */
  prune(samplesBefore: number, before: number): Generator<void, void>;
  /** What there is of a day: samples where there are any, else the hours. */
  read(series: StoredSeries, day: number): DayRecord | undefined;
  /** The hours of sealed days from one to before another, in order. */
  sealedHours(series: StoredSeries, from: number, to: number): readonly DayOfHours[];
  /** The totals of all sealed days, in order. */
  sealedTotals(series: StoredSeries): readonly StoredTotals[];
  /** The totals of sealed days before this one. */
  sealedColumns(series: StoredSeries, before: number): DayColumns;
  /** The hours of sealed days from one to before another, as they are stored. */
  encodedHours(series: StoredSeries, from: number, to: number): readonly EncodedHours[];
  /** Something to remember beside the samples. */
  note(key: string): string | undefined;
  setNote(key: string, value: string): void;
  /** What is exchanged with an archive; `undefined` without one. */
  readonly archive: StoreArchive | undefined;
  close(): void;
}

/** Whether imported days have a number of licenses as of now that is not final. */
const WAITING = 'imports wait for numbers';

/** Rows written between two chances for others to run. */
const SLICE = 500;
/** Series whose days are written between two chances for others to run. */
const BATCH = 16;

/** Opens the store, or creates a new one. @throws StoreError with the problem and the remedy */
export function openStore({ localTime, isArchived, ...options }: StoreOptions): Store {
  const file = openHistoryFile({ ...options, timeZone: localTime.timeZone });
  const { sql, guard, transact } = file;
  const seriesTable = new SeriesTable(file);
  const marks = isArchived === true ? ArchiveMarks.open(file) : undefined;
  if (isArchived === false) ArchiveMarks.discard(file);
  const days = new DayTables(file, localTime, marks);
  const sealedDays = new SealedDays(file);
  const lastObservations = new ObservationTable(file);

  const note = (key: string): string | undefined => {
    const row = sql('SELECT value FROM note WHERE key = ?').get(key);
    return row === undefined ? undefined : text(row, 'value');
  };
  const setNote = (key: string, value: string): void => {
    sql('INSERT INTO note VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(key, value);
  };
  let sealed = Number(note('sealed until') ?? Number.NEGATIVE_INFINITY);
  /** For SQLite, which has no infinity. */
  const sealedDay = (): number => (Number.isFinite(sealed) ? sealed : Number.MIN_SAFE_INTEGER);
  const setSealed = (day: number): void => {
    setNote('sealed until', String(day));
    sealed = day;
  };

  /** One transaction in slices. `steps` adds new series to `added`, so that a rollback can forget them. */
  const write = (steps: (added: Series[]) => Generator<void, void>): Generator<void, void> => {
    const added: Series[] = [];
    const before = sealed;
    return file.transactInSteps(
      () => steps(added),
      () => {
        seriesTable.forget(added);
        sealed = before;
        days.invalidate();
      },
    );
  };

  /** Does something for all series, in order of their keys, in transactions of a few series each. */
  const eachBatch = function* (action: (ids: readonly number[]) => void): Generator<void, void> {
    const ids = seriesTable.all().map(({ id }) => id);
    ids.sort((a, b) => a - b);
    for (let from = 0; from < ids.length; from += BATCH) {
      guard(() => transact(() => action(ids.slice(from, from + BATCH))));
      yield;
    }
  };

  /** Days of a series that are not sealed yet, or may not be. */
  const openDays = (id: number, collected: readonly number[]): number[] =>
    [...new Set([...collected, ...days.keptDays(id, sealedDay())])].sort((a, b) => a - b);

  const record: Store['record'] = (at, seconds, { figures, observations, blocked = [], vendorLicenses }) =>
    write(function* (added) {
      days.insertCollection(at);
      const day = localTime.dayOf(at);
      // the clock was set back: that day is open again
      if (day < sealed) {
        setSealed(day);
        days.invalidate();
      }
      let count = 0;
      for (const [series, known] of figures) {
        days.insertSample(seriesTable.identify(series, added).id, at, seconds, known);
        count += 1;
        if (count % SLICE === 0) yield;
      }
      for (const [series, waits] of blocked) days.blocked.add(seriesTable.identify(series, added).id, waits);
      // only needed after a restart, so not kept in memory
      if (options.path === undefined) return;
      for (const observation of observations) {
        yield* lastObservations.replace(observation);
      }
      lastObservations.keepOnly(vendorLicenses);
    });

  const add: Store['add'] = (samplesOfDays, [key, value]) =>
    write(function* (added) {
      for (const [i, { series, day, samples }] of samplesOfDays.entries()) {
        const { id } = seriesTable.identify(series, added);
        days.writeDay(id, day, fillSamples(days.keptSamples(id, day) ?? [], samples), day < sealed);
        if (i % BATCH === BATCH - 1) yield;
      }
      setNote(key, value);
    });

  /** Before the first day of an import. It is final when the import is here: its own days may have a newer number. */
  const useNewestAvailable = (id: number, imported: number): void => {
    if (days.imported.has(id, imported)) return;
    setNote(WAITING, 'yes');
    const available = days.newestAvailable(id);
    if (available !== undefined) days.imported.setNowBought(id, imported, available, false);
  };

  const importDays: Store['import'] = (samplesOfDays, origin) =>
    write(function* (added) {
      const imported = days.imported.identify(origin);
      let last: number | undefined;
      for (const [i, one] of samplesOfDays.entries()) {
        const { id } = seriesTable.identify(one.series, added);
        if (origin.asOfNow && id !== last) useNewestAvailable(id, imported);
        last = id;
        days.importDay(id, one, { imported, isOver: one.day < sealed });
        if (i % BATCH === BATCH - 1) yield;
      }
    });

  const importBlocked: Store['importBlocked'] = (found) =>
    write(function* (added) {
      for (const [i, { series, ...one }] of found.entries()) {
        days.importBlocked(seriesTable.identify(series, added).id, one, one.day < sealed);
        if (i % SLICE === SLICE - 1) yield;
      }
    });

  const addBlocked: Store['addBlocked'] = (found) =>
    write(function* (added) {
      for (const [series, waits] of found) days.blocked.add(seriesTable.identify(series, added).id, waits);
      yield;
    });

  const addNowBought = function* (): Generator<void, boolean> {
    if (guard(() => note(WAITING)) !== 'yes') return false;
    let [isWaiting, isAdded] = [false, false];
    for (const { id } of seriesTable.all()) {
      const waiting = guard(() => days.imported.waiting(id));
      const available = waiting.length === 0 ? undefined : guard(() => days.newestAvailable(id));
      if (waiting.length > 0 && available === undefined) isWaiting = true;
      if (available === undefined) continue;
      yield* write(function* () {
        for (const { imported, days: own, available: before } of waiting) {
          days.imported.setNowBought(id, imported, available, true);
          if (available === before) continue;
          isAdded = true;
          for (const [i, day] of own.entries()) {
            days.writeTotalsAgain(id, day);
            if (i % BATCH === BATCH - 1) yield;
          }
        }
      });
    }
    if (!isWaiting) guard(() => transact(() => setNote(WAITING, 'no')));
    return isAdded;
  };

  const seal = function* (before: number): Generator<void, void> {
    if (before <= sealed) return;
    const collected = days.collectedDays();
    yield* eachBatch((ids) => {
      const open = new Set(ids.flatMap((id) => openDays(id, collected)));
      for (const day of open) if (day < before) days.sealDay(ids, day);
    });
    guard(() =>
      transact(() => {
        days.deleteCollections(before);
        setSealed(before);
      }),
    );
  };

  const prune = function* (samplesBefore: number, before: number): Generator<void, void> {
    guard(() => transact(() => marks?.prune(before)));
    const expected = guard(() => marks?.series());
    yield* eachBatch((ids) => {
      for (const id of ids) {
        days.prune(id, samplesBefore, before);
        if (expected?.has(id) !== true) days.deleteIfEmpty(id);
      }
    });
    seriesTable.forgetDeleted();
  };

  const extent = (series: readonly StoredSeries[]): { first: number; last: number } | undefined => {
    const collected = days.collectedDays();
    const bounds = series.flatMap(({ id }) => [...sealedDays.extent(id), ...openDays(id, collected)]);
    if (bounds.length === 0) return undefined;
    const first = bounds.reduce((a, b) => Math.min(a, b));
    return { first, last: bounds.reduce((a, b) => Math.max(a, b)) };
  };

  return {
    series: () => seriesTable.all(),
    days: (series = seriesTable.all()) => guard(() => extent(series)),
    sealedUntil: () => sealed,
    revisionOf: (day) => days.revisionOf(day),
    record,
    known: () => lastObservations.all(),
    add,
    import: importDays,
    importBlocked,
    addBlocked,
    blocked: ({ id }, from, to) => guard(() => days.blocked.days(id, from, to)),
    addNowBought,
    imported: ({ id }) => guard(() => days.imported.spans(id)),
    seal,
    prune,
    read: ({ id }, day) => guard(() => days.read(id, day, day < sealed)),
    sealedHours: ({ id }, from, to) => guard(() => sealedDays.hours(id, from, Math.min(to, sealed))),
    sealedTotals: ({ id }) => guard(() => sealedDays.totals(id, sealedDay())),
    sealedColumns: ({ id }, before) => guard(() => sealedDays.columns(id, Math.min(before, sealedDay()))),
    encodedHours: ({ id }, from, to) => guard(() => sealedDays.encodedHours(id, from, Math.min(to, sealed))),
    note: (key) => guard(() => note(key)),
    setNote: (key, value) => guard(() => transact(() => setNote(key, value))),
    archive: marks && new StoreArchive({ days, marks, seriesTable, write, note, setNote, sealedDay }),
    close: () => file.close(),
  };
}
