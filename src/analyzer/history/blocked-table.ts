import { isDeepStrictEqual } from 'node:util';
import type { BlockedCause, EndedWaits, Ending } from '../../base/model/observation/observation.ts';
import { type HistoryFile, integer, type Row, text } from './history-file.ts';

/** People who waited for a feature on a day, as counts. */
export interface BlockedDay {
  /** Local day. */
  readonly day: number;
  /** Empty if nobody waited, although requests were refused. */
  readonly waits: readonly EndedWaits[];
}

/** What a collection adds to a day. */
export interface BlockedChange {
  readonly day: number;
  /** Undefined if a person was refused whom the log does not name: the people of the whole day are not known then. */
  readonly waits: readonly EndedWaits[] | undefined;
}

/** The cause of the rows that say whether people are known. */
const KNOWN = '';
/** Their endings: who says that they are, and that they are not. */
const OWN = '';
const IMPORTED = 'imported';
const UNNAMED = 'unnamed';
type Recorder = typeof OWN | typeof IMPORTED;

const waitsOf = (row: Row): EndedWaits => ({
  cause: text(row, 'cause') as BlockedCause,
  ended: text(row, 'ended') as Ending,
  episodes: integer(row, 'episodes'),
  seconds: integer(row, 'seconds'),
  people: integer(row, 'people'),
});

const isWait = (row: Row): boolean => text(row, 'cause') !== KNOWN;
const isUnnamed = (row: Row): boolean => !isWait(row) && text(row, 'ended') === UNNAMED;

/** The waits of a day: if no request was refused, nobody waited. Undefined if people are not known. */
export const waitsWith = (
  denials: number | undefined,
  recorded: readonly EndedWaits[] | undefined,
): readonly EndedWaits[] | undefined => recorded ?? (denials === 0 ? [] : undefined);

/** Of two recordings of a day, the one with more episodes. */
export function moreWaits<T extends readonly EndedWaits[] | undefined>(first: T, second: T): T {
  const episodesOf = (waits: T): number => waits?.reduce((sum, { episodes }) => sum + episodes, 0) ?? -1;
  return episodesOf(second) > episodesOf(first) ? second : first;
}

const inOrder = (waits: readonly EndedWaits[] | undefined): readonly EndedWaits[] | undefined =>
  waits?.toSorted((a, b) => `${a.cause} ${a.ended}`.localeCompare(`${b.cause} ${b.ended}`, 'en'));

/** Whether two recordings of a day say the same, in any order. */
export const hasSameWaits = (a: readonly EndedWaits[] | undefined, b: readonly EndedWaits[] | undefined): boolean =>
  isDeepStrictEqual(inOrder(a), inOrder(b));

/** The people who waited, by series, day, cause and ending. Writes must be within a transaction. */
export class BlockedTable {
  readonly #file: HistoryFile;

  constructor(file: HistoryFile) {
    this.#file = file;
  }

  /** Adds waits that have ended. Who waits again in another process on the same day is one person more. */
  add(series: number, { day, waits }: BlockedChange): void {
    if (waits === undefined) this.#mark(series, day, UNNAMED);
    else this.#add(series, { day, waits }, OWN);
  }

  /**
   * An import of a day. What was recorded stays: an import knows one server only. Of two imports, the one with more episodes counts.
   *
   * @returns whether that is another one than before
   */
  merge(series: number, { day, waits }: BlockedDay): boolean {
    const before = this.of(series, day);
    if (this.#isOwn(series, day) || moreWaits(before, waits) === before) return false;
    this.#delete(series, day);
    this.#add(series, { day, waits }, IMPORTED);
    return true;
  }

  /** @param waits undefined if people are not known */
  replace(series: number, day: number, waits: readonly EndedWaits[] | undefined): void {
    this.#delete(series, day);
    if (waits !== undefined) this.add(series, { day, waits });
  }

  /** Undefined if people are not known. */
  of(series: number, day: number): readonly EndedWaits[] | undefined {
    return this.days(series, day, day + 1)[0]?.waits;
  }

  /** Days from one to before another of which people are known, in order. */
  days(series: number, from: number, to: number): readonly BlockedDay[] {
    const rows = this.#file
      .sql('SELECT * FROM blocked_day WHERE series = ? AND day >= ? AND day < ? ORDER BY day')
      .all(series, from, to);
    const byDay = Map.groupBy(rows, (row) => integer(row, 'day'));
    return [...byDay]
      .filter(([, own]) => !own.some(isUnnamed))
      .map(([day, own]) => ({ day, waits: own.filter(isWait).map(waitsOf) }));
  }

  /** All of them, by the keys of series. */
  *all(): Generator<BlockedDay & { readonly id: number }, void> {
    const ids = this.#file.guard(() => this.#file.sql('SELECT DISTINCT series FROM blocked_day').all());
    for (const row of ids) {
      const id = integer(row, 'series');
      const days = this.#file.guard(() => this.days(id, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER));
      for (const one of days) yield { id, ...one };
    }
  }

  /** Deletes days before one. */
  prune(series: number, before: number): void {
    this.#file.sql('DELETE FROM blocked_day WHERE series = ? AND day < ?').run(series, before);
  }

  #add(series: number, { day, waits }: BlockedDay, recorder: Recorder): void {
    this.#mark(series, day, recorder);
    const insert = this.#file.sql(`INSERT INTO blocked_day VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      episodes = episodes + excluded.episodes, people = people + excluded.people,
      seconds = seconds + excluded.seconds`);
    for (const { cause, ended, episodes, people, seconds } of waits)
      insert.run(series, day, cause, ended, episodes, people, seconds);
  }

  #mark(series: number, day: number, ended: string): void {
    this.#file.sql('INSERT OR IGNORE INTO blocked_day VALUES (?, ?, ?, ?, 0, 0, 0)').run(series, day, KNOWN, ended);
  }

  #delete(series: number, day: number): void {
    this.#file.sql('DELETE FROM blocked_day WHERE series = ? AND day = ?').run(series, day);
  }

  #isOwn(series: number, day: number): boolean {
    const rows = this.#file.sql('SELECT 1 FROM blocked_day WHERE series = ? AND day = ? AND cause = ? AND ended = ?');
    return rows.get(series, day, KNOWN, OWN) !== undefined;
  }
}
