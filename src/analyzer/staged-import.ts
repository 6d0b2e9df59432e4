import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LocalTime } from '../model/local-time.ts';
import type { ImportedHistory } from '../model/observation/recording.ts';
import { runAtOnce } from '../scheduling/slices.ts';
import { StoreError } from './history-file.ts';
import type { ImportOrigin } from './imported-table.ts';
import type { DayOfSamples, Sample } from './sample.ts';
import { type NowBought, openStore, type Store } from './store.ts';

/**
 * An import on its way into the history: a file of its own in the storage directory, which is whole when it is there. A
 * command writes it, and the process that has the history takes it up.
 */

/** The folder in the storage directory. */
export const IMPORT_FOLDER = 'import';
const COMPLETE = '.db';
const REFUSED = '.refused';

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
const DAYS = 64;

const openFile = (path: string, localTime: LocalTime): Store =>
  openStore({ path, localTime, origin: ORIGIN, maxSize: MAX_SIZE, isTemporary: true });

/** Removes a file and the log of SQLite beside it. */
export function removeStaged(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

/** An import that is being written. Its methods throw `StoreError`. */
export class StagingFile {
  readonly #path: string;
  readonly #whole: string;
  readonly #store: Store;
  readonly #import: ImportOrigin;

  constructor({ work, folder, localTime }: StagingOptions, staged: ImportOrigin) {
    this.#import = staged;
    this.#path = join(work, `${staged.key}${COMPLETE}`);
    this.#whole = join(folder, `${staged.key}${COMPLETE}`);
    this.#store = openFile(this.#path, localTime);
    this.#store.setNote(NOTE, JSON.stringify(staged));
  }

  write(days: readonly DayOfSamples[]): void {
    if (days.length > 0) runAtOnce(this.#store.import(days, { ...this.#import, asOfNow: false }));
  }

  /** Gives it up. */
  discard(): void {
    this.#store.close();
    removeStaged(this.#path);
  }

  /** It is whole. @returns the path of the file */
  complete(): string {
    this.#store.close();
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
  readonly staged: ImportOrigin;
  readonly series: number;
  /** Days of series, some at once. Yields nothing between steps of the work. */
  pieces(): Generator<readonly DayOfSamples[] | undefined, void>;
  close(): void;
}

/** @throws StoreError if the file is no import, or of another calendar */
export function openImport(path: string, localTime: LocalTime): OpenImport {
  const store = openFile(path, localTime);
  try {
    const note = store.note(NOTE);
    if (note === undefined) throw new StoreError(`${basename(path)} is no import of license-exporter; delete it`);
    const all = store.series();
    return {
      staged: JSON.parse(note) as ImportOrigin,
      series: all.length,
      pieces: function* () {
        for (const series of all) {
          const { first, last } = store.days([series]) ?? { first: 0, last: -1 };
          for (let from = first; from <= last; from += DAYS) {
            const piece: DayOfSamples[] = [];
            for (let day = from; day <= Math.min(last, from + DAYS - 1); day += 1) {
              const record = store.read(series, day);
              if (record !== undefined && 'samples' in record) piece.push({ series, day, samples: record.samples });
              yield undefined;
            }
            if (piece.length > 0) yield piece;
          }
        }
      },
      close: () => store.close(),
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

const HALF_HOUR = 1800;
const HISTORY_NOTE = 'imports';
const MOST_REMEMBERED = 100;

/** The days with a number of licenses only. */
export function daysWith({ series, days, available }: NowBought, localTime: LocalTime): readonly DayOfSamples[] {
  const unknown = { inUse: undefined, reserved: undefined, users: undefined, denials: undefined };
  return days.map((day) => {
    const end = localTime.startOf(day + 1);
    const samples: Sample[] = [];
    for (let at = localTime.startOf(day); at < end; at += HALF_HOUR)
      samples.push({ ...unknown, available, at, seconds: Math.min(HALF_HOUR, end - at) });
    return { series, day, samples };
  });
}

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
  remember(store: Store, { staged: { form, name, at }, series }: OpenImport): void {
    const imported = { form, name, at, first: this.#first, last: this.#last, series };
    store.setNote(HISTORY_NOTE, JSON.stringify([...importsOf(store), imported].slice(-MOST_REMEMBERED)));
  }
}

/** An import that cannot be taken up is kept under another name. */
export function refuseStaged(path: string): string {
  const refused = path.slice(0, -COMPLETE.length) + REFUSED;
  renameSync(path, refused);
  return refused;
}
