import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DamagedRecord, decodeHours, decodeSamples, encodeHours, encodeSamples } from './day-codec.ts';
import { type DayRecord, type DayTotals, type HourSummary, summariseDay, totalsOf } from './hours.ts';
import type { LocalTime } from './local-time.ts';
import { combine, type DayOfSamples, type Figures, type Sample, type Series } from './sample.ts';
import type { Collected, VendorLicenseObservation } from './source.ts';

/** Why history cannot be kept or read, in words for the operator. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

export interface StoreOptions {
  /** The file; in memory without one. */
  readonly path: string | undefined;
  readonly localTime: LocalTime;
  /** Where the samples come from: history of two origins is never mixed. */
  readonly origin: string;
  /** The file does not grow beyond this, bytes. */
  readonly maxSize: number;
}

/** A series with its key in the store. */
export interface StoredSeries extends Series {
  readonly id: number;
}

/** What is recorded of a collection. */
export interface Recording {
  readonly figures: readonly (readonly [Series, Figures])[];
  /**
   * Observations that replace the last ones, names of users included: of each vendor license one is kept, so a name goes
   * with its checkout.
   */
  readonly observations: readonly Collected[];
  /** The vendor licenses there are; of others nothing is known any more. */
  readonly vendorLicenses: ReadonlySet<string>;
}

/** A recorded day of a series, as its totals. */
export interface StoredTotals extends DayTotals {
  readonly day: number;
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
  /** Records one collection as a whole. `at` is the beginning of its slot, `seconds` its length. */
  record(at: number, seconds: number, recording: Recording): Generator<void, void>;
  /** The last observation of each vendor license, for a new process. */
  known(): readonly Collected[];
  /** Adds samples of whole local days where there are none yet, and a note with them. */
  add(days: readonly DayOfSamples[], note: readonly [key: string, value: string]): Generator<void, void>;
  /** Seals every day before this one. */
  seal(day: number): Generator<void, void>;
  /** Forgets samples of days before one day, and everything of days before another. */
  prune(samplesBefore: number, before: number): Generator<void, void>;
  /** What there is of a day: samples where they are still kept. */
  read(series: StoredSeries, day: number): DayRecord | undefined;
  /** The hours of sealed days from one to before another, in order. */
  sealedHours(series: StoredSeries, from: number, to: number): readonly DayOfHours[];
  /** The totals of all sealed days, in order. */
  sealedTotals(series: StoredSeries): readonly StoredTotals[];
  /** Something to remember beside the samples. */
  note(key: string): string | undefined;
  setNote(key: string, value: string): void;
  close(): void;
}

export interface DayOfHours {
  readonly day: number;
  readonly hours: readonly HourSummary[];
}

const SCHEMA_VERSION = 1;
const PAGE_SIZE = 4096;
/** Rows written between two chances for others to run. */
const SLICE = 500;
/** Series whose days are written between two chances for others to run. */
const BATCH = 50;

/**
 * Open samples stand in order of time: a collection then is written to a few pages, not to a page for each series. Those
 * of one series are found by the times of the collections.
 */
const SCHEMA = `
  CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE observation (
    vendor_license TEXT PRIMARY KEY, collected_at INTEGER NOT NULL, observation BLOB NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE series (
    id INTEGER PRIMARY KEY, vendor_license TEXT NOT NULL, feature TEXT NOT NULL, package TEXT NOT NULL,
    feature_type TEXT NOT NULL, UNIQUE (vendor_license, feature, package, feature_type)
  );
  CREATE TABLE open_sample (
    series INTEGER NOT NULL, at INTEGER NOT NULL, seconds INTEGER NOT NULL, available INTEGER NOT NULL,
    in_use INTEGER NOT NULL, reserved INTEGER NOT NULL, users INTEGER NOT NULL, denials INTEGER NOT NULL,
    PRIMARY KEY (at, series)
  ) WITHOUT ROWID;
  CREATE TABLE open_collection (at INTEGER PRIMARY KEY);
  CREATE TABLE day_samples (
    series INTEGER NOT NULL, day INTEGER NOT NULL, samples BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID;
  CREATE TABLE day (
    series INTEGER NOT NULL, day INTEGER NOT NULL, available INTEGER NOT NULL, in_use INTEGER NOT NULL,
    reserved INTEGER NOT NULL, users INTEGER NOT NULL, denials INTEGER NOT NULL, license_seconds INTEGER NOT NULL,
    hours BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID;
`;

/** Everything that can be wrong with the store, as the log says it; words in capitals are filled in. */
export const storeProblems = {
  denied: 'no permission to use the file; give it to the user that runs license-exporter',
  busy: 'another process uses it; give each its own storage.path',
  readonly: 'the file or its directory cannot be written to; make both writable',
  ioError: 'reading or writing it failed; look at the disk',
  damaged: 'it is damaged; move the file away to begin anew',
  full: 'the disk, or embedded_analyzer.store_max_size, is full; make room, or raise the limit',
  cannotOpen: 'it cannot be opened; the directory must exist and be writable',
  noStore: 'it is no history store; move the file away',
  noDirectory: 'its directory cannot be made (CODE); make it, or set another storage.path',
  newer: 'it was made by a newer version of license-exporter; run that one, or move the file away',
  timeZone:
    'its days are those of the time zone FOUND, not WANTED; set embedded_analyzer.time_zone back, or move the file away',
  origin: 'it holds history of FOUND, not of WANTED; move the file away',
} as const;

/** SQLite's primary result codes. */
const byResultCode: Readonly<Record<number, string>> = {
  3: storeProblems.denied,
  5: storeProblems.busy,
  6: storeProblems.busy,
  8: storeProblems.readonly,
  10: storeProblems.ioError,
  11: storeProblems.damaged,
  13: storeProblems.full,
  14: storeProblems.cannotOpen,
  26: storeProblems.noStore,
};

function readObservation(bytes: Uint8Array): VendorLicenseObservation {
  try {
    return deserialize(zstdDecompressSync(bytes)) as VendorLicenseObservation;
  } catch (error) {
    throw new DamagedRecord('a stored observation cannot be read', { cause: error });
  }
}

/** Why SQLite or the file system refused, `undefined` for a mistake of ours. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof DamagedRecord) return storeProblems.damaged;
  const { errcode, syscall, code, message } = error as NodeJS.ErrnoException & { errcode?: number };
  if (errcode !== undefined) return byResultCode[errcode & 0xff] ?? message;
  return syscall === undefined ? undefined : storeProblems.noDirectory.replace('CODE', String(code));
}

type Row = Record<string, SQLOutputValue>;
const integer = (row: Row, column: string): number => Number(row[column]);
const text = (row: Row, column: string): string => String(row[column]);
const blob = (row: Row, column: string): Uint8Array => row[column] as Uint8Array;

const keyOf = ({ vendorLicense, feature, package: packageName, featureType }: Series): string =>
  JSON.stringify([vendorLicense, feature, packageName, featureType]);

/** Opens the store, or makes a new one. @throws StoreError that says what is wrong and what to do */
export function openStore({ path, localTime, origin, maxSize }: StoreOptions): Store {
  const where = path ?? 'in memory';

  const problem = (why: string, cause?: unknown): StoreError =>
    new StoreError(`the history store (${where}): ${why}`, { cause });

  const fail = (error: unknown): never => {
    if (error instanceof StoreError) throw error;
    const why = reasonOf(error);
    throw why === undefined ? error : problem(why, error);
  };
  const guard = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      return fail(error);
    }
  };

  const database = guard(() => {
    // not with its parents: mkdir with `recursive` never returns where a parent cannot be made, in /proc for one
    if (path !== undefined && !existsSync(dirname(path))) mkdirSync(dirname(path), { mode: 0o750 });
    return new DatabaseSync(path ?? ':memory:', { timeout: 0 });
  });

  const transact = <T>(action: () => T): T => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = action();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // a full disk has rolled back already
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };

  const prepareFile = (): void => {
    // one process only: SQLite then needs no shared memory, and a second process is refused
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;');
    database.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;`);
    database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxSize / PAGE_SIZE))};`);
    const version = integer(database.prepare('PRAGMA user_version').get() ?? {}, 'user_version');
    if (version > SCHEMA_VERSION) throw problem(storeProblems.newer);
    transact(() => {
      if (version === SCHEMA_VERSION) return;
      database.exec(SCHEMA);
      database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
      const insert = database.prepare('INSERT INTO note VALUES (?, ?)');
      insert.run('time zone', localTime.timeZone);
      insert.run('origin', origin);
    });
    checkNote('time zone', localTime.timeZone, storeProblems.timeZone);
    checkNote('origin', origin, storeProblems.origin);
  };

  const checkNote = (key: string, wanted: string, problemText: string): void => {
    const found = text(database.prepare('SELECT value FROM note WHERE key = ?').get(key) ?? {}, 'value');
    if (found !== wanted) throw problem(problemText.replace('FOUND', found).replace('WANTED', wanted));
  };

  try {
    guard(prepareFile);
  } catch (error) {
    database.close();
    throw error;
  }

  const statements = new Map<string, StatementSync>();
  const sql = (source: string): StatementSync => {
    const known = statements.get(source) ?? database.prepare(source);
    statements.set(source, known);
    return known;
  };

  const seriesByKey = new Map<string, StoredSeries>();
  for (const row of database.prepare('SELECT * FROM series ORDER BY id').all()) {
    const series = {
      id: integer(row, 'id'),
      vendorLicense: text(row, 'vendor_license'),
      feature: text(row, 'feature'),
      package: text(row, 'package'),
      featureType: text(row, 'feature_type'),
    };
    seriesByKey.set(keyOf(series), series);
  }

  /** Only within a transaction; `added` collects what must be forgotten again when that fails. */
  const identify = (series: Series, added: string[]): StoredSeries => {
    const key = keyOf(series);
    const found = seriesByKey.get(key);
    if (found !== undefined) return found;
    const { vendorLicense, feature, package: packageName, featureType } = series;
    const { lastInsertRowid } = sql(
      'INSERT INTO series (vendor_license, feature, package, feature_type) VALUES (?, ?, ?, ?)',
    ).run(vendorLicense, feature, packageName, featureType);
    const stored = { id: Number(lastInsertRowid), vendorLicense, feature, package: packageName, featureType };
    seriesByKey.set(key, stored);
    added.push(key);
    return stored;
  };

  const note = (key: string): string | undefined => {
    const row = sql('SELECT value FROM note WHERE key = ?').get(key);
    return row === undefined ? undefined : text(row, 'value');
  };
  const setNote = (key: string, value: string): void => {
    sql('INSERT INTO note VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(key, value);
  };
  let sealed = Number(note('sealed until') ?? Number.NEGATIVE_INFINITY);

  const toSample = (row: Row): Sample => ({
    at: integer(row, 'at'),
    seconds: integer(row, 'seconds'),
    available: integer(row, 'available'),
    inUse: integer(row, 'in_use'),
    reserved: integer(row, 'reserved'),
    users: integer(row, 'users'),
    denials: integer(row, 'denials'),
  });

  /** Open samples of a day of the series with these keys, by key and in order of time. */
  const openSamples = (first: number, last: number, day: number): Map<number, Sample[]> => {
    const rows = sql(`SELECT open_sample.* FROM open_collection CROSS JOIN open_sample USING (at)
      WHERE at >= ? AND at < ? AND series BETWEEN ? AND ? ORDER BY at`).all(
      localTime.startOf(day),
      localTime.startOf(day + 1),
      first,
      last,
    );
    const bySeries = new Map<number, Sample[]>();
    for (const row of rows) {
      const id = integer(row, 'series');
      const samples = bySeries.get(id);
      if (samples === undefined) bySeries.set(id, [toSample(row)]);
      else samples.push(toSample(row));
    }
    return bySeries;
  };

  const keptSamples = (id: number, day: number): Sample[] | undefined => {
    const row = sql('SELECT samples FROM day_samples WHERE series = ? AND day = ?').get(id, day);
    return row === undefined ? undefined : decodeSamples(blob(row, 'samples'), localTime.startOf(day));
  };

  /** In order of time; of two of one moment one is made. */
  const merge = (...parts: readonly (readonly Sample[])[]): Sample[] => {
    const all = parts.filter((part) => part.length > 0);
    if (all.length < 2) return [...(all[0] ?? [])];
    const byTime = new Map<number, Sample>();
    for (const sample of all.flat()) {
      const same = byTime.get(sample.at);
      byTime.set(sample.at, same === undefined ? sample : combine(same, sample));
    }
    return [...byTime.values()].sort((a, b) => a.at - b.at);
  };

  /** In order of time; what was there already stays. */
  const fill = (kept: readonly Sample[], more: readonly Sample[]): readonly Sample[] => {
    if (kept.length === 0) return more;
    const known = new Set(kept.map(({ at }) => at));
    return merge(
      kept,
      more.filter(({ at }) => !known.has(at)),
    );
  };

  /** Only within a transaction. The day's hours and totals are kept too once it is over. */
  const writeDay = (id: number, day: number, samples: readonly Sample[], isOver: boolean): void => {
    const start = localTime.startOf(day);
    sql('INSERT INTO day_samples VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET samples = excluded.samples').run(
      id,
      day,
      encodeSamples(samples, start),
    );
    if (!isOver) return;
    const hours = summariseDay([{ samples }], { hours: localTime.hoursOf(day), end: localTime.startOf(day + 1) });
    const { available, inUse, reserved, users, denials, licenseSeconds } = totalsOf(hours);
    sql('INSERT OR REPLACE INTO day VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
      id,
      day,
      available,
      inUse,
      reserved,
      users,
      denials,
      licenseSeconds,
      encodeHours(hours),
    );
  };

  /** Only within a transaction. The series are neighbours in order of their keys. */
  const sealDay = (series: readonly StoredSeries[], day: number): void => {
    const [first = 0, last = first] = [series[0]?.id, series.at(-1)?.id];
    const open = openSamples(first, last, day);
    for (const { id } of series) {
      const samples = merge(keptSamples(id, day) ?? [], open.get(id) ?? []);
      if (samples.length > 0) writeDay(id, day, samples, true);
    }
    sql(`DELETE FROM open_sample WHERE series BETWEEN ? AND ? AND at IN
      (SELECT at FROM open_collection WHERE at >= ? AND at < ?)`).run(
      first,
      last,
      localTime.startOf(day),
      localTime.startOf(day + 1),
    );
  };

  const setSealed = (day: number): void => {
    setNote('sealed until', String(day));
    sealed = day;
  };

  /** One transaction with breaks: undone as a whole when it fails or is given up. */
  const transactInSteps = function* (steps: (added: string[]) => Generator<void, void>): Generator<void, void> {
    const added: string[] = [];
    const before = sealed;
    let isDone = false;
    try {
      database.exec('BEGIN IMMEDIATE');
      yield* steps(added);
      database.exec('COMMIT');
      isDone = true;
    } catch (error) {
      fail(error);
    } finally {
      if (!isDone) {
        for (const key of added) seriesByKey.delete(key);
        sealed = before;
        // a full disk has rolled back already
        if (database.isTransaction) database.exec('ROLLBACK');
      }
    }
  };

  const record: Store['record'] = (at, seconds, { figures, observations, vendorLicenses }) =>
    transactInSteps(function* (added) {
      const insert = sql(`INSERT INTO open_sample VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
        seconds = max(seconds, excluded.seconds), available = max(available, excluded.available),
        in_use = max(in_use, excluded.in_use), reserved = max(reserved, excluded.reserved),
        users = max(users, excluded.users), denials = denials + excluded.denials`);
      sql('INSERT OR IGNORE INTO open_collection VALUES (?)').run(at);
      const day = localTime.dayOf(at);
      // the clock was set back: that day is open again
      if (day < sealed) setSealed(day);
      for (const [i, [series, { available, inUse, reserved, users, denials }]] of figures.entries()) {
        insert.run(identify(series, added).id, at, seconds, available, inUse, reserved, users, denials);
        if (i % SLICE === SLICE - 1) yield;
      }
      // what is kept for a new process only, a memory need not keep
      if (path === undefined) return;
      for (const { name, collectedAt, observation } of observations) {
        sql('INSERT OR REPLACE INTO observation VALUES (?, ?, ?)').run(
          name,
          collectedAt,
          zstdCompressSync(serialize(observation)),
        );
        yield;
      }
      for (const row of sql('SELECT vendor_license FROM observation').all()) {
        const name = text(row, 'vendor_license');
        if (!vendorLicenses.has(name)) sql('DELETE FROM observation WHERE vendor_license = ?').run(name);
      }
    });

  const lastObservations = (): Collected[] =>
    sql('SELECT * FROM observation')
      .all()
      .map((row) => ({
        name: text(row, 'vendor_license'),
        collectedAt: integer(row, 'collected_at'),
        observation: readObservation(blob(row, 'observation')),
      }));

  const add: Store['add'] = (days, [key, value]) =>
    transactInSteps(function* (added) {
      for (const [i, { series, day, samples }] of days.entries()) {
        const { id } = identify(series, added);
        writeDay(id, day, fill(keptSamples(id, day) ?? [], samples), day < sealed);
        if (i % BATCH === BATCH - 1) yield;
      }
      setNote(key, value);
    });

  /** Does something for all series, in order of their keys, in transactions of a few series each. */
  const eachBatch = function* (action: (batch: readonly StoredSeries[]) => void): Generator<void, void> {
    try {
      const all = [...seriesByKey.values()].sort((a, b) => a.id - b.id);
      for (let from = 0; from < all.length; from += BATCH) {
        transact(() => action(all.slice(from, from + BATCH)));
        yield;
      }
    } catch (error) {
      fail(error);
    }
  };

  const seal = function* (before: number): Generator<void, void> {
    if (before <= sealed) return;
    const collected = collectedDays();
    yield* eachBatch((batch) => {
      const days = new Set(batch.flatMap(({ id }) => openDays(id, collected)));
      for (const day of days) if (day < before) sealDay(batch, day);
    });
    guard(() =>
      transact(() => {
        sql('DELETE FROM open_collection WHERE at < ?').run(localTime.startOf(before));
        setSealed(before);
      }),
    );
  };

  /** Days with collections that are not sealed yet. */
  const collectedDays = (): number[] => {
    const days: number[] = [];
    const next = sql('SELECT min(at) AS at FROM open_collection WHERE at >= ?');
    for (let from = Number.MIN_SAFE_INTEGER; ; ) {
      const at = next.get(from)?.at;
      if (at === undefined || at === null) return days;
      const day = localTime.dayOf(Number(at));
      days.push(day);
      from = localTime.startOf(day + 1);
    }
  };

  /** Days of a series that are not sealed yet, or may not be. */
  const openDays = (id: number, collected: readonly number[]): number[] => {
    const days = new Set(collected);
    const from = Number.isFinite(sealed) ? sealed : Number.MIN_SAFE_INTEGER;
    for (const row of sql('SELECT day FROM day_samples WHERE series = ? AND day >= ?').all(id, from)) {
      days.add(integer(row, 'day'));
    }
    return [...days].sort((a, b) => a - b);
  };

  const prune = function* (samplesBefore: number, before: number): Generator<void, void> {
    yield* eachBatch((batch) => {
      for (const series of batch) pruneSeries(series, samplesBefore, before);
    });
  };

  const pruneSeries = (series: StoredSeries, samplesBefore: number, before: number): void => {
    const { id } = series;
    sql('DELETE FROM day_samples WHERE series = ? AND day < ?').run(id, samplesBefore);
    sql('DELETE FROM day WHERE series = ? AND day < ?').run(id, before);
    const { changes } = sql(`DELETE FROM series WHERE id = ?1
      AND NOT EXISTS (SELECT 1 FROM day WHERE series = ?1)
      AND NOT EXISTS (SELECT 1 FROM day_samples WHERE series = ?1)
      AND NOT EXISTS (SELECT 1 FROM open_collection CROSS JOIN open_sample USING (at) WHERE series = ?1)`).run(id);
    if (changes > 0) seriesByKey.delete(keyOf(series));
  };

  const read = ({ id }: StoredSeries, day: number): DayRecord | undefined => {
    const kept = keptSamples(id, day);
    if (day >= sealed) {
      const samples = merge(kept ?? [], openSamples(id, id, day).get(id) ?? []);
      return samples.length === 0 ? undefined : { samples };
    }
    if (kept !== undefined) return { samples: kept };
    const row = sql('SELECT hours FROM day WHERE series = ? AND day = ?').get(id, day);
    return row === undefined ? undefined : { hours: decodeHours(blob(row, 'hours')) };
  };

  const extent = (ids: readonly number[]): { first: number; last: number } | undefined => {
    const collected = collectedDays();
    const bounds = ids.flatMap((id) => {
      const row = sql(
        'SELECT (SELECT min(day) FROM day WHERE series = ?1) AS first, (SELECT max(day) FROM day WHERE series = ?1) AS last',
      ).get(id);
      const sealedDays = row === undefined || row.first === null ? [] : [integer(row, 'first'), integer(row, 'last')];
      return [...sealedDays, ...openDays(id, collected)];
    });
    if (bounds.length === 0) return undefined;
    const first = bounds.reduce((a, b) => Math.min(a, b));
    return { first, last: bounds.reduce((a, b) => Math.max(a, b)) };
  };

  return {
    series: () => [...seriesByKey.values()],
    days: (series = [...seriesByKey.values()]) => guard(() => extent(series.map(({ id }) => id))),
    sealedUntil: () => sealed,
    record,
    known: () => guard(lastObservations),
    add,
    seal,
    prune,
    read: (series, day) => guard(() => read(series, day)),
    sealedHours: ({ id }, from, to) =>
      guard(() =>
        sql('SELECT day, hours FROM day WHERE series = ? AND day >= ? AND day < ? ORDER BY day')
          .all(id, from, Math.min(to, sealed))
          .map((row) => ({ day: integer(row, 'day'), hours: decodeHours(blob(row, 'hours')) })),
      ),
    sealedTotals: ({ id }) =>
      guard(() =>
        sql('SELECT * FROM day WHERE series = ? AND day < ? ORDER BY day')
          .all(id, Number.isFinite(sealed) ? sealed : Number.MIN_SAFE_INTEGER)
          .map((row) => ({
            day: integer(row, 'day'),
            available: integer(row, 'available'),
            inUse: integer(row, 'in_use'),
            reserved: integer(row, 'reserved'),
            users: integer(row, 'users'),
            denials: integer(row, 'denials'),
            licenseSeconds: integer(row, 'license_seconds'),
          })),
      ),
    note: (key) => guard(() => note(key)),
    setNote: (key, value) => guard(() => transact(() => setNote(key, value))),
    close: () => guard(() => database.close()),
  };
}
