import { type HistoryFile, integer } from './history-file.ts';

/** A day of a series that an archive does not have yet, or not as it is here. */
export interface ArchiveMark {
  readonly series: number;
  readonly day: number;
  /** Changes with each change of the day. */
  readonly version: number;
}

/** What is noted about the exchange with the archive. */
export const ARCHIVE_NOTE = 'archive';

/** The days of series that must be exchanged with an archive. Writes must be within a transaction. */
export class ArchiveMarks {
  readonly #file: HistoryFile;

  constructor(file: HistoryFile) {
    this.#file = file;
  }

  /** Makes the table. @throws StoreError */
  static open(file: HistoryFile): ArchiveMarks {
    const definition = `CREATE TABLE IF NOT EXISTS archive_mark (
      day INTEGER NOT NULL, series INTEGER NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (day, series)
    ) WITHOUT ROWID`;
    file.guard(() => file.transact(() => void file.sql(definition).run()));
    return new ArchiveMarks(file);
  }

  /** Forgets what was marked for an archive that is not used any more. @throws StoreError */
  static discard(file: HistoryFile): void {
    file.guard(() =>
      file.transact(() => {
        file.sql('DROP TABLE IF EXISTS archive_mark').run();
        file.sql('DELETE FROM note WHERE key = ?').run(ARCHIVE_NOTE);
      }),
    );
  }

  add(series: number, day: number): void {
    this.#file
      .sql('INSERT INTO archive_mark VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET version = version + 1')
      .run(day, series);
  }

  /** All days of series in the history, of those with these keys. */
  addAll(ids: readonly number[]): void {
    const mark = this.#file.sql('INSERT OR IGNORE INTO archive_mark SELECT day, series, 0 FROM day WHERE series = ?');
    for (const id of ids) mark.run(id);
  }

  isMarked(series: number, day: number): boolean {
    return this.#file.sql('SELECT 1 FROM archive_mark WHERE day = ? AND series = ?').get(day, series) !== undefined;
  }

  isUnchanged({ series, day, version }: ArchiveMark): boolean {
    const row = this.#file.sql('SELECT version FROM archive_mark WHERE day = ? AND series = ?').get(day, series);
    return row !== undefined && integer(row, 'version') === version;
  }

  remove({ series, day }: ArchiveMark): void {
    this.#file.sql('DELETE FROM archive_mark WHERE day = ? AND series = ?').run(day, series);
  }

  /** Some of the days before one, the newest first. */
  newest(before: number, most: number): readonly ArchiveMark[] {
    return this.#file
      .sql('SELECT day, series, version FROM archive_mark WHERE day < ? ORDER BY day DESC, series DESC LIMIT ?')
      .all(before, most)
      .map((row) => ({ series: integer(row, 'series'), day: integer(row, 'day'), version: integer(row, 'version') }));
  }

  /** The number of marked days before one. */
  count(before: number): number {
    return integer(this.#file.sql('SELECT count(*) AS days FROM archive_mark WHERE day < ?').get(before) ?? {}, 'days');
  }

  /** The keys of series with a marked day. */
  series(): ReadonlySet<number> {
    const rows = this.#file.sql('SELECT DISTINCT series FROM archive_mark').all();
    return new Set(rows.map((row) => integer(row, 'series')));
  }

  /** Days before one are forgotten. */
  prune(before: number): void {
    this.#file.sql('DELETE FROM archive_mark WHERE day < ?').run(before);
  }
}
