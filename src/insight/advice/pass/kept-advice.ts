import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { inTurn } from '../../../base/scheduling/slices.ts';
import { type Advice, METHOD } from '../method/advice.ts';
import { type CutsOf, type EarlierCut, monthOf, type OriginResult } from '../method/back-test.ts';
import type { SeriesName } from '../method/demand.ts';
import { noStreak, type Streak } from '../method/run-out-streak.ts';
import { HIGH_DAYS } from '../method/window.ts';
import { damagedKept, explainKept, openKeptFile } from './kept-file.ts';
import { type Memory, noMemory } from './memory.ts';
import type { KeptAdvice, PastAdvice } from './rightsizing.ts';

/** The result of a pass for one series, with what was remembered before it: a second pass on a day replaces the first one. */
export interface PassRow {
  readonly advice: Advice;
  readonly before: Memory;
  readonly after: Memory;
}

/** A pass, without its rows. */
export interface PassSummary {
  /** Epoch seconds. */
  readonly computedAt: number;
  readonly day: number;
  /** See `METHOD`. */
  readonly method: number;
  readonly tolerance: number;
  readonly leftOut: number;
  readonly durationSeconds: number;
  /** The settings that it depends on. */
  readonly settings: string;
  /** What would have come of the advice of earlier months, the oldest first. */
  readonly backTest: readonly OriginResult[];
}

/** A finished pass as it is kept: its summary, and a row for each feature. */
export interface KeptPass {
  readonly summary: PassSummary;
  readonly rows: readonly PassRow[];
}

/**
 * The result of the last pass of each analyzer, and the advice of earlier months. The methods throw `KeptFileError`, except
 * `withPast`.
 */
export interface KeptAdviceFile {
  /** What is kept of this analyzer; `undefined` without a pass. */
  load(analyzer: string): Promise<KeptPass | undefined>;
  /** Replaces what is kept of this analyzer, as a whole, unless the signal is aborted before. */
  save(analyzer: string, pass: KeptPass, signal?: AbortSignal): Promise<void>;
  /** Those of these months of which no advice of this version of the method is kept. */
  missing(analyzer: string, origins: readonly number[]): number[];
  /** Keeps the advice of a month, as a whole, unless the signal is aborted before. */
  keepMonth(analyzer: string, advice: readonly Advice[], signal?: AbortSignal): Promise<void>;
  /** The licenses that could go by the kept advice of this version of the method, from a day on, the oldest first. */
  cutsOf(analyzer: string, since: number): CutsOf;
  /** A row for readers. Its past is read when it is needed: it is many times larger than the rest. */
  toKept(analyzer: string, row: PassRow): KeptAdvice;
  close(): void;
}

type Row = Record<string, SQLOutputValue>;

/** Rows of a transaction: it takes about a millisecond, and others can run after it. */
const BATCH = 20;
/** Months that past advice is kept. */
const KEPT_MONTHS = 60;

const monthText = (month: number): string => `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;

const namesOf = ({ vendorLicense, feature, package: packageName, featureType }: SeriesName): readonly string[] => [
  vendorLicense,
  feature,
  packageName,
  featureType,
];

type PastFigures = readonly [
  state: Advice['state'],
  bought: number | null,
  count: number | null,
  needed: number | null,
  days: number,
];

function toPast(series: SeriesName, row: Row): PastAdvice {
  const [state, bought, count, needed] = JSON.parse(String(row.advice)) as PastFigures;
  const { vendorLicense, feature, package: packageName, featureType } = series;
  return {
    ...{ vendorLicense, feature, package: packageName, featureType },
    month: monthText(Number(row.month)),
    state,
    bought: bought ?? undefined,
    count: count ?? undefined,
    needed: needed ?? undefined,
  };
}

/** In files of 0.2.0, only the streak is remembered. */
type StoredMemory = Partial<Memory> | Streak;

const memoryOf = (stored: StoredMemory): Memory =>
  'dated' in stored ? { ...noMemory, streak: { ...noStreak, ...stored } } : { ...noMemory, ...stored };

function toRow(row: Row): PassRow {
  const hours = row.hours as Uint8Array;
  // a copy: the bytes of the row need not begin where numbers can
  const hoursAtLeast = new Float64Array(Uint8Array.from(hours).buffer);
  const { before, after } = JSON.parse(String(row.streak)) as Readonly<Record<'before' | 'after', StoredMemory>>;
  const advice = {
    ...(JSON.parse(String(row.advice)) as Advice),
    vendorLicense: String(row.vendor_license),
    feature: String(row.feature),
    package: String(row.package),
    featureType: String(row.feature_type),
    hoursAtLeast,
  };
  return {
    advice,
    before: memoryOf(before),
    after: memoryOf(after),
  };
}

const SERIES = 'analyzer = ? AND vendor_license = ? AND feature = ? AND package = ? AND feature_type = ?';

const sources = {
  pass: 'SELECT generation, summary FROM pass WHERE analyzer = ?',
  rows: `SELECT series.*, advice, hours, streak FROM advice JOIN series ON id = series
    WHERE generation = ? AND series > ? ORDER BY series LIMIT ${BATCH}`,
  newest: `SELECT max(generation) AS generation FROM
    (SELECT max(generation) AS generation FROM advice UNION ALL SELECT max(generation) FROM pass)`,
  find: `SELECT id FROM series WHERE ${SERIES}`,
  addSeries: `INSERT INTO series (analyzer, vendor_license, feature, package, feature_type) VALUES (?, ?, ?, ?, ?)`,
  addAdvice: 'INSERT INTO advice VALUES (?, ?, ?, ?, ?)',
  past: 'SELECT month, advice FROM past WHERE series = ? AND month < ? ORDER BY month DESC',
  addPast: 'INSERT OR REPLACE INTO past (series, month, advice, day, method) VALUES (?, ?, ?, ?, ?)',
  addMonth: 'INSERT OR REPLACE INTO month VALUES (?, ?, ?)',
  hasMonth: 'SELECT 1 FROM month WHERE analyzer = ? AND month = ? AND method = ?',
  cuts: 'SELECT day, advice FROM past WHERE series = ? AND day >= ? AND method = ? ORDER BY day',
  savePass: 'INSERT OR REPLACE INTO pass VALUES (?, ?, ?)',
  prunePast: 'DELETE FROM past WHERE series = ? AND month < ?',
  next: 'SELECT min(generation) AS generation FROM advice WHERE generation > ?',
  isUsed: 'SELECT 1 FROM pass WHERE generation = ?',
  forget: `DELETE FROM advice WHERE generation = ?1 AND series IN
    (SELECT series FROM advice WHERE generation = ?1 ORDER BY series LIMIT ${BATCH})`,
} as const;

/** Opens the file; in memory without a path. @throws KeptFileError */
export function openKeptAdvice(path: string | undefined): KeptAdviceFile {
  const database: DatabaseSync = openKeptFile(path);
  const prepared = new Map<string, StatementSync>();
  const sql = (name: keyof typeof sources): StatementSync => {
    const statement = prepared.get(name) ?? database.prepare(sources[name]);
    prepared.set(name, statement);
    return statement;
  };

  const transact = (action: () => void): void => {
    database.exec('BEGIN IMMEDIATE');
    try {
      action();
      database.exec('COMMIT');
    } catch (error) {
      // a full disk has rolled back already
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };

  const idOf = (analyzer: string, series: SeriesName): number => {
    const found = sql('find').get(analyzer, ...namesOf(series));
    return Number(found?.id ?? sql('addSeries').run(analyzer, ...namesOf(series)).lastInsertRowid);
  };

  const saveRow = (analyzer: string, generation: number, { advice, before, after }: PassRow): void => {
    // in memory, the process has the rows themselves
    if (path === undefined) return;
    const id = idOf(analyzer, advice);
    const { vendorLicense: _, feature: __, package: ___, featureType: ____, hoursAtLeast, ...figures } = advice;
    const { buffer, byteOffset, byteLength } = hoursAtLeast;
    const hours = new Uint8Array(buffer, byteOffset, byteLength);
    sql('addAdvice').run(generation, id, JSON.stringify(figures), hours, JSON.stringify({ before, after }));
  };

  const keepPast = (analyzer: string, advice: Advice): void => {
    const id = idOf(analyzer, advice);
    const past: PastFigures = [
      advice.state,
      advice.bought ?? null,
      advice.count ?? null,
      advice.needed ?? null,
      advice.days,
    ];
    const month = monthOf(advice.computed);
    sql('addPast').run(id, month, JSON.stringify(past), advice.computed, METHOD);
    sql('prunePast').run(id, month - KEPT_MONTHS);
  };

  const decode = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw damagedKept(path, error);
    }
  };

  /** Runs a batch in a turn of the event loop. @throws KeptFileError */
  const batch = async <T>(work: () => T): Promise<T> => {
    try {
      return await inTurn(work);
    } catch (error) {
      throw explainKept(path, error);
    }
  };

  const load = async (analyzer: string): Promise<KeptPass | undefined> => {
    const pass = await batch(() => sql('pass').get(analyzer));
    if (pass === undefined) return undefined;
    const rows: PassRow[] = [];
    for (let last: number | undefined = 0; last !== undefined; ) {
      const after: number = last;
      const found = await batch(() => sql('rows').all(Number(pass.generation), after));
      rows.push(...(await batch(() => decode(() => found.map(toRow)))));
      last = found.length < BATCH ? undefined : Number(found.at(-1)?.id);
    }
    return { summary: await batch(() => decode(() => JSON.parse(String(pass.summary)) as PassSummary)), rows };
  };

  /** Deletes the rows that belong to no pass: of earlier passes, and of one that was interrupted. */
  const forget = async (): Promise<void> => {
    for (let last = -1; ; ) {
      const generation = await batch(() => sql('next').get(last)?.generation);
      if (generation === null || generation === undefined) return;
      last = Number(generation);
      if ((await batch(() => sql('isUsed').get(last))) !== undefined) continue;
      while ((await batch(() => Number(sql('forget').run(last).changes))) > 0);
    }
  };

  const save = async (analyzer: string, { summary, rows }: KeptPass, signal?: AbortSignal): Promise<void> => {
    await forget();
    const generation = Number((await batch(() => sql('newest').get()))?.generation ?? 0) + 1;
    for (let from = 0; from < rows.length; from += BATCH) {
      signal?.throwIfAborted();
      await batch(() =>
        transact(() => {
          for (const row of rows.slice(from, from + BATCH)) saveRow(analyzer, generation, row);
        }),
      );
    }
    signal?.throwIfAborted();
    await batch(() => sql('savePass').run(analyzer, generation, JSON.stringify(summary)));
    await forget();
  };

  const keepMonth = async (analyzer: string, advice: readonly Advice[], signal?: AbortSignal): Promise<void> => {
    for (let from = 0; from < advice.length; from += BATCH) {
      signal?.throwIfAborted();
      await batch(() =>
        transact(() => {
          for (const one of advice.slice(from, from + BATCH)) keepPast(analyzer, one);
        }),
      );
    }
    signal?.throwIfAborted();
    const [first] = advice;
    if (first !== undefined) await batch(() => sql('addMonth').run(analyzer, monthOf(first.computed), METHOD));
  };

  const cutsOf =
    (analyzer: string, since: number): CutsOf =>
    (series) => {
      const id = database.isOpen ? sql('find').get(analyzer, ...namesOf(series))?.id : undefined;
      if (id === undefined) return [];
      return sql('cuts')
        .all(Number(id), since, METHOD)
        .flatMap(({ day, advice }): EarlierCut[] => {
          const [state, bought, count, , days] = JSON.parse(String(advice)) as PastFigures;
          if (state !== 'could go' || bought === null || count === null || days < HIGH_DAYS) return [];
          return [{ origin: Number(day), count, kept: bought - count }];
        });
    };

  const pastOf = (analyzer: string, { advice }: PassRow): readonly PastAdvice[] => {
    // readers can be later than the end of the daemon, and advice is worth more than its past
    if (!database.isOpen) return [];
    try {
      const id = sql('find').get(analyzer, ...namesOf(advice))?.id;
      if (id === undefined) return [];
      const rows = sql('past').all(Number(id), monthOf(advice.computed));
      return rows.map((row) => toPast(advice, row));
    } catch {
      return [];
    }
  };

  return {
    load,
    save,
    missing: (analyzer, origins) =>
      origins.filter((origin) => sql('hasMonth').get(analyzer, monthOf(origin), METHOD) === undefined),
    keepMonth,
    cutsOf,
    toKept: (analyzer, row) => ({
      ...row.advice,
      confirmedRunsOut: row.after.streak.confirmed,
      change: row.after.change,
      get past() {
        return pastOf(analyzer, row);
      },
    }),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
