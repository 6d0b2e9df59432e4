import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { LocalTime } from '../model/local-time.ts';
import { DamagedRecord, decodeHours, decodeSamples, encodeHours, encodeSamples } from './day-codec.ts';
import { createDaySummary, type DayRecord, type DayTotals, totalsOf } from './day-summary.ts';
import { blob, figure, type HistoryFileOptions, integer, openHistoryFile, type Row, text } from './history-file.ts';
import type { HourSummary } from './hour-summary.ts';
import { type DayOfSamples, type Figures, fillSamples, mergeSamples, type Sample, type Series } from './sample.ts';
import type { Collected, VendorLicenseObservation } from './source.ts';

export interface StoreOptions extends Omit<HistoryFileOptions, 'timeZone'> {
  readonly localTime: LocalTime;
}

/** A series with its key in the store. */
export interface StoredSeries extends Series {
  readonly id: number;
}

/** What is recorded of a collection. */
export interface Recording {
  /** Gone through once, with breaks. */
  readonly figures: Iterable<readonly [Series, Figures]>;
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
  /** What there is of a day: samples where there are any, else the hours. */
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

/** Rows written between two chances for others to run. */
const SLICE = 500;
/** Series whose days are written between two chances for others to run. */
const BATCH = 16;

const nullable = (value: number | undefined): number | null => value ?? null;

/** Of two samples of one moment the higher figure, or the one that is known. */
const keepHighest = (column: string): string =>
  `${column} = coalesce(max(${column}, excluded.${column}), ${column}, excluded.${column})`;

function readObservation(bytes: Uint8Array): VendorLicenseObservation {
  try {
    return deserialize(zstdDecompressSync(bytes)) as VendorLicenseObservation;
  } catch (error) {
    throw new DamagedRecord('a stored observation cannot be read', { cause: error });
  }
}

const keyOf = ({ vendorLicense, feature, package: packageName, featureType }: Series): string =>
  JSON.stringify([vendorLicense, feature, packageName, featureType]);

/** Opens the store, or makes a new one. @throws StoreError that says what is wrong and what to do */
export function openStore({ localTime, ...options }: StoreOptions): Store {
  const file = openHistoryFile({ ...options, timeZone: localTime.timeZone });
  const { sql, guard, transact } = file;
  const summariseDay = createDaySummary();

  const seriesByKey = new Map<string, StoredSeries>();
  for (const row of guard(() => sql('SELECT * FROM series').all())) {
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
    available: figure(row, 'available'),
    inUse: figure(row, 'in_use'),
    reserved: figure(row, 'reserved'),
    users: figure(row, 'users'),
    denials: figure(row, 'denials'),
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
      ...[available, inUse, reserved, users, denials, licenseSeconds].map(nullable),
      encodeHours(hours),
    );
  };

  /** Only within a transaction. The series are neighbours in order of their keys. */
  const sealDay = (series: readonly StoredSeries[], day: number): void => {
    const [first = 0, last = first] = [series[0]?.id, series.at(-1)?.id];
    const open = openSamples(first, last, day);
    for (const { id } of series) {
      const samples = mergeSamples(keptSamples(id, day) ?? [], open.get(id) ?? []);
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

  /** One transaction with breaks, which is told of each series that it adds. */
  const write = (steps: (added: string[]) => Generator<void, void>): Generator<void, void> => {
    const added: string[] = [];
    const before = sealed;
    return file.transactInSteps(
      () => steps(added),
      () => {
        for (const key of added) seriesByKey.delete(key);
        sealed = before;
      },
    );
  };

  const record: Store['record'] = (at, seconds, { figures, observations, vendorLicenses }) =>
    write(function* (added) {
      const insert = sql(`INSERT INTO open_sample VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
        seconds = max(seconds, excluded.seconds), ${['available', 'in_use', 'reserved', 'users'].map(keepHighest).join()},
        denials = coalesce(denials + excluded.denials, denials, excluded.denials)`);
      sql('INSERT OR IGNORE INTO open_collection VALUES (?)').run(at);
      const day = localTime.dayOf(at);
      // the clock was set back: that day is open again
      if (day < sealed) setSealed(day);
      let count = 0;
      for (const [series, { available, inUse, reserved, users, denials }] of figures) {
        const row = [available, inUse, reserved, users, denials].map(nullable);
        insert.run(identify(series, added).id, at, seconds, ...row);
        count += 1;
        if (count % SLICE === 0) yield;
      }
      // what is kept for a new process only, a memory need not keep
      if (options.path === undefined) return;
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
    write(function* (added) {
      for (const [i, { series, day, samples }] of days.entries()) {
        const { id } = identify(series, added);
        writeDay(id, day, fillSamples(keptSamples(id, day) ?? [], samples), day < sealed);
        if (i % BATCH === BATCH - 1) yield;
      }
      setNote(key, value);
    });

  /** Does something for all series, in order of their keys, in transactions of a few series each. */
  const eachBatch = function* (action: (batch: readonly StoredSeries[]) => void): Generator<void, void> {
    const all = [...seriesByKey.values()].sort((a, b) => a.id - b.id);
    for (let from = 0; from < all.length; from += BATCH) {
      guard(() => transact(() => action(all.slice(from, from + BATCH))));
      yield;
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
    const left = guard(
      () =>
        new Set(
          sql('SELECT id FROM series')
            .all()
            .map((row) => integer(row, 'id')),
        ),
    );
    for (const [key, { id }] of seriesByKey) if (!left.has(id)) seriesByKey.delete(key);
  };

  const pruneSeries = ({ id }: StoredSeries, samplesBefore: number, before: number): void => {
    sql('DELETE FROM day_samples WHERE series = ? AND day < ?').run(id, samplesBefore);
    sql('DELETE FROM day WHERE series = ? AND day < ?').run(id, before);
    sql(`DELETE FROM series WHERE id = ?1
      AND NOT EXISTS (SELECT 1 FROM day WHERE series = ?1)
      AND NOT EXISTS (SELECT 1 FROM day_samples WHERE series = ?1)
      AND NOT EXISTS (SELECT 1 FROM open_collection CROSS JOIN open_sample USING (at) WHERE series = ?1)`).run(id);
  };

  const read = ({ id }: StoredSeries, day: number): DayRecord | undefined => {
    const kept = keptSamples(id, day);
    const open = day < sealed ? undefined : openSamples(id, id, day).get(id);
    if (kept !== undefined || open !== undefined) return { samples: mergeSamples(kept ?? [], open ?? []) };
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
            available: figure(row, 'available'),
            inUse: figure(row, 'in_use'),
            reserved: figure(row, 'reserved'),
            users: figure(row, 'users'),
            denials: figure(row, 'denials'),
            licenseSeconds: figure(row, 'license_seconds'),
          })),
      ),
    note: (key) => guard(() => note(key)),
    setNote: (key, value) => guard(() => transact(() => setNote(key, value))),
    close: () => file.close(),
  };
}
