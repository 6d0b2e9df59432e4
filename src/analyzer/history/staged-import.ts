import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LocalTime } from '../../base/model/local-time.ts';
import type { ImportedHistory } from '../../base/model/observation/recording.ts';
import { removeAbandoned } from '../../base/storage/leftovers.ts';
import { type BlockedDay, BlockedTable } from './blocked-table.ts';
import { decodeSamples } from './day-codec.ts';
import { type HistoryFile, openHistoryFile, StoreError, text } from './history-file.ts';
import { higherSamples } from './imported-samples.ts';
import { ImportedTable, type ImportOrigin } from './imported-table.ts';
import type { DayOfSamples, EncodedDay, Sample, Series } from './sample.ts';
import { SeriesTable, type StoredSeries } from './series-table.ts';
import type { Store } from './store.ts';

/**
 * An import on its way into the history: a file of its own in the storage directory, which is whole when it is there. A
 * command writes it, and the process that has the history takes it up.
 */

/** The folder in the storage directory. */
export const IMPORT_FOLDER = 'import';
const COMPLETE = '.db';
const REFUSED = '.refused';

/** An import, and the contradictions that its reader has found. */
export interface StagedImport extends ImportOrigin {
  /** Lines that say something else than those before them. */
  readonly contradictions: number;
}

/** Where an import is written, where it waits, and the calendar of its days. */
interface StagingOptions {
  /** Where it is written: on the same file system. It exists. */
  readonly work: string;
  /** Where it waits when it is whole. It exists. */
  readonly folder: string;
  readonly localTime: LocalTime;
}

const ORIGIN = 'import';
const NOTE = 'import';
/** No disk has more: the limit of the history itself holds when it is taken up. */
const MAX_SIZE = 2 ** 43;
/** Days of a series that are taken up at once. */
const DAYS = 256;

const openFile = (path: string, { timeZone }: LocalTime): HistoryFile =>
  openHistoryFile({ path, timeZone, origin: ORIGIN, maxSize: MAX_SIZE, isTemporary: true });

/** Where a command unpacks and writes what is not whole: a directory with the id of its process in the folder of imports. */
export const workFolderOf = (folder: string): string => join(folder, `work-${process.pid}`);
const WORK = /^work-(?<pid>\d+)$/;

/** Removes the directories of commands that were killed. @param untouched for how long they were not changed, seconds */
export const removeWorkFolders = (folder: string, untouched: number): void =>
  removeAbandoned(folder, { name: WORK, holds: () => true, untouched });

/** Removes a file and the log of SQLite beside it. */
export function removeStaged(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

/** An import that is being written. Its methods throw `StoreError`. */
export class StagingFile {
  readonly #path: string;
  readonly #whole: string;
  readonly #file: HistoryFile;
  readonly #series: SeriesTable;
  readonly #samples: ImportedTable;
  readonly #blocked: BlockedTable;
  readonly #import: ImportOrigin;
  /** Series and days that are written. */
  readonly #written = new Set<string>();

  constructor({ work, folder, localTime }: StagingOptions, staged: ImportOrigin) {
    this.#import = staged;
    this.#path = join(work, `${staged.key}${COMPLETE}`);
    this.#whole = join(folder, `${staged.key}${COMPLETE}`);
    this.#file = openFile(this.#path, localTime);
    this.#series = new SeriesTable(this.#file);
    this.#samples = new ImportedTable(this.#file, localTime, false);
    this.#blocked = new BlockedTable(this.#file);
  }

  write(days: readonly DayOfSamples[]): void {
    if (days.length === 0) return;
    this.#file.guard(() =>
      this.#file.transact(() => {
        for (const one of days) this.#writeDay(one);
      }),
    );
  }

  #writeDay({ series, day, samples }: DayOfSamples): void {
    const { id } = this.#series.identify(series, []);
    const key = `${id} ${day}`;
    const before = this.#written.has(key) ? this.#samples.samples(id, day) : undefined;
    this.#written.add(key);
    this.#samples.writeSamples(id, day, before === undefined ? samples : higherSamples(before, samples));
  }

  /** The people who waited. */
  writeBlocked(series: Series, waits: BlockedDay): void {
    this.#file.guard(() => this.#file.transact(() => this.#blocked.add(this.#series.identify(series, []).id, waits)));
  }

  /** Gives it up. */
  discard(): void {
    this.#file.close();
    removeStaged(this.#path);
  }

  /** It is whole. @returns the path of the file */
  complete(contradictions: number): string {
    const staged: StagedImport = { ...this.#import, contradictions };
    this.#file.guard(() => this.#file.sql('INSERT INTO note VALUES (?, ?)').run(NOTE, JSON.stringify(staged)));
    this.#file.close();
    renameSync(this.#path, this.#whole);
    return this.#whole;
  }
}

/** The imports that wait in a folder, the oldest first. */
export function waitingImports(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(COMPLETE));
  return names.sort().map((name) => join(folder, name));
}

/** A file that is taken up. Its methods throw `StoreError`. */
export interface OpenImport {
  readonly staged: StagedImport;
  readonly series: number;
  /** Days of series, some at once. Yields nothing between steps of the work. */
  pieces(): Generator<readonly EncodedDay[] | undefined, void>;
  /** The people who waited. */
  blocked(): Iterable<BlockedDay & { readonly series: Series }>;
  close(): void;
}

/** A day of which only the bytes are in memory until its samples are needed. */
class StagedDay implements EncodedDay {
  readonly series: StoredSeries;
  readonly day: number;
  readonly encoded: Uint8Array;
  readonly #start: number;

  constructor(series: StoredSeries, day: number, encoded: Uint8Array, start: number) {
    this.series = series;
    this.day = day;
    this.encoded = encoded;
    this.#start = start;
  }

  get samples(): readonly Sample[] {
    return decodeSamples(this.encoded, this.#start);
  }
}

/** @throws StoreError if the file is no import, or of another calendar */
export function openImport(path: string, localTime: LocalTime): OpenImport {
  const file = openFile(path, localTime);
  try {
    const note = file.guard(() => file.sql('SELECT value FROM note WHERE key = ?').get(NOTE));
    if (note === undefined) throw new StoreError(`${basename(path)} is no import of license-exporter; delete it`);
    const series = new SeriesTable(file).byId();
    const samples = new ImportedTable(file, localTime, false);
    return {
      staged: JSON.parse(text(note, 'value')) as StagedImport,
      series: series.size,
      pieces: function* () {
        let piece: EncodedDay[] = [];
        for (const { id, day, encoded } of samples.all()) {
          const own = series.get(id) as StoredSeries;
          if (piece.length === DAYS || (piece.length > 0 && piece[0]?.series !== own)) {
            yield piece;
            piece = [];
          }
          piece.push(new StagedDay(own, day, encoded, localTime.startOf(day)));
          yield undefined;
        }
        if (piece.length > 0) yield piece;
      },
      blocked: function* () {
        for (const { id, ...one } of new BlockedTable(file).all())
          yield { ...one, series: series.get(id) as StoredSeries };
      },
      close: () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

const HISTORY_NOTE = 'imports';
const MOST_REMEMBERED = 100;

/** The newest imports of a history. @throws StoreError */
export function importsOf(store: Store): readonly ImportedHistory[] {
  return JSON.parse(store.note(HISTORY_NOTE) ?? '[]') as readonly ImportedHistory[];
}

/** Counts the days of an import while they are taken up, and remembers it. */
export class ImportSummary {
  #days = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  get days(): number {
    return this.#days;
  }

  add(piece: readonly DayOfSamples[]): void {
    this.#days += piece.length;
    for (const { day } of piece) {
      this.#first = Math.min(this.#first, day);
      this.#last = Math.max(this.#last, day);
    }
  }

  /** @throws StoreError */
  remember(store: Store, { staged: { form, name, at, contradictions }, series }: OpenImport): void {
    const imported = { form, name, at, first: this.#first, last: this.#last, series, contradictions };
    store.setNote(HISTORY_NOTE, JSON.stringify([...importsOf(store), imported].slice(-MOST_REMEMBERED)));
  }
}

/** An import that cannot be taken up is kept under another name. */
export function refuseStaged(path: string): string {
  const refused = path.slice(0, -COMPLETE.length) + REFUSED;
  renameSync(path, refused);
  return refused;
}
