import type { LocalTime } from '../../base/model/local-time.ts';
import type { ArchiveHealth } from '../../base/model/observation/recording.ts';
import { ARCHIVE_NOTE, type ArchiveMark, type ArchiveMarks } from './archive-marks.ts';
import { type ArchivedDay, isSameDay } from './archived-day.ts';
import type { DayTables } from './day-tables.ts';
import type { Series } from './sample.ts';
import type { SeriesTable, StoredSeries } from './series-table.ts';

/** The history as its archive sees it. */
export interface ArchivableHistory {
  /** What the figures are of: an archive does not mix history of two origins. */
  readonly origin: string;
  readonly localTime: LocalTime;
  /** The days to exchange; `undefined` while history cannot be recorded. */
  days(): StoreArchive | undefined;
  /** Days before this one are forgotten here. */
  firstDay(): number;
  /** Writes between collections. @returns whether it was written; not if recording stops or has a problem */
  write(work: (days: StoreArchive) => Iterable<void>): Promise<boolean>;
  /** Called when days of the archive are here now. */
  onTaken(): void;
}

/** What exchanges the history with an archive, in the background. */
export interface Archiving {
  start(): void;
  /** Ends a running exchange. What it has not written yet is exchanged again. */
  stop(): Promise<void>;
  health(): ArchiveHealth;
}

/** A sealed day that an archive does not have yet, or not as it is here. */
export interface MarkedDay {
  readonly mark: ArchiveMark;
  readonly series: StoredSeries;
  /** What is known of it here; `undefined` if only the archive knows the day. */
  readonly known: ArchivedDay | undefined;
}

/** A marked day that the archive has now. */
export interface ExchangedDay {
  readonly mark: ArchiveMark;
  /** What replaces the day here; `undefined` if it stays as it is. */
  readonly replacement: ArchivedDay | undefined;
}

/** What the history does in a transaction: `added` collects series that are new. */
type Write = (steps: (added: Series[]) => Generator<void, void>) => Generator<void, void>;

/** The parts of the history that an archive reads and writes. */
interface Parts {
  readonly days: DayTables;
  readonly marks: ArchiveMarks;
  readonly seriesTable: SeriesTable;
  readonly write: Write;
  readonly setNote: (key: string, value: string) => void;
  readonly note: (key: string) => string | undefined;
  /** Days before this one are sealed. */
  readonly sealedDay: () => number;
}

/** Days that are written between two chances for others to run. */
const BATCH = 16;

/** The sealed days of the history that are exchanged with an archive. Every method throws `StoreError`. */
export class StoreArchive {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What was said last with `markAll`, `take` or `settle`. */
  progress(): string | undefined {
    return this.#parts.note(ARCHIVE_NOTE);
  }

  /** The number of days of series that must be exchanged. */
  waiting(): number {
    return this.#parts.marks.count(this.#parts.sealedDay());
  }

  /** Marks all days. */
  *markAll(progress: string): Generator<void, void> {
    const { seriesTable, marks, write, setNote } = this.#parts;
    yield* write(function* () {
      for (const { id } of seriesTable.all()) {
        marks.addAll([id]);
        yield;
      }
      setNote(ARCHIVE_NOTE, progress);
    });
  }

  /** Some of the days to exchange, the newest first. */
  marked(most: number): readonly MarkedDay[] {
    const { marks, days, seriesTable, sealedDay } = this.#parts;
    const byId = seriesTable.byId();
    return marks.newest(sealedDay(), most).flatMap((mark) => {
      const series = byId.get(mark.series);
      return series === undefined ? [] : [{ mark, series, known: days.archived(series, mark.day) }];
    });
  }

  /**
   * Takes days of the archive: what is not marked here is in them already. A day that is marked, or is not over, is exchanged
   * later.
   *
   * @param at epoch seconds
   */
  *take(archived: readonly ArchivedDay[], progress: string, at: number): Generator<void, void> {
    const { days, marks, seriesTable, write, setNote, sealedDay } = this.#parts;
    yield* write(function* (added) {
      for (const [i, day] of archived.entries()) {
        const series = seriesTable.identify(day.series, added);
        const { id } = series;
        const known = days.archived(series, day.day);
        if (day.day >= sealedDay() || marks.isMarked(id, day.day)) marks.add(id, day.day);
        else if (known === undefined || !isSameDay(day, known)) days.writeArchived(id, day, at);
        if (i % BATCH === BATCH - 1) yield;
      }
      setNote(ARCHIVE_NOTE, progress);
    });
  }

  /** Days that the archive has now. One that has changed since it was read stays marked. @param at epoch seconds */
  *settle(exchanged: readonly ExchangedDay[], progress: string, at: number): Generator<void, void> {
    const { days, marks, write, setNote } = this.#parts;
    yield* write(function* () {
      for (const [i, { mark, replacement }] of exchanged.entries()) {
        if (!marks.isUnchanged(mark)) continue;
        if (replacement !== undefined) days.writeArchived(mark.series, replacement, at);
        marks.remove(mark);
        if (i % BATCH === BATCH - 1) yield;
      }
      setNote(ARCHIVE_NOTE, progress);
    });
  }
}
