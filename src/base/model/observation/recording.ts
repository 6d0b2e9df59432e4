/** Without a sample for this long, or for this many intervals if that is longer, history is not recorded. */
const SILENCE_SECONDS = 1800;
const SILENT_INTERVALS = 3;

/** What another program had recorded, and is in the history. Days are counted from 1970-01-01. */
interface Imported {
  /** `FlexNet debug log`. */
  readonly form: string;
  /** Of a file without its path, a server or a source; `archive` for what an archive has given back. */
  readonly name: string;
  /** When it was imported, epoch seconds. */
  readonly at: number;
  readonly first: number;
  readonly last: number;
}

export interface ImportedHistory extends Imported {
  /** Series of features. */
  readonly series: number;
  /** Lines that say something else than those before them. Earlier versions did not look. */
  readonly contradictions?: number;
}

/** What of an import is about one feature. */
export interface ImportedDays extends Imported {
  readonly days: number;
}

/** How the exchange of the history with its archive goes. Times are epoch seconds. */
export interface ArchiveHealth {
  /** When this process began to use it. */
  readonly since: number;
  /** When everything was exchanged last; `undefined` before this process has done so. */
  readonly lastSuccessAt: number | undefined;
  /** Why the last attempt failed; `undefined` if it did not, and before the first one. */
  readonly problem: string | undefined;
  /** Days of series that the archive does not have yet, as of the last attempt; `undefined` before it. */
  readonly waiting: number | undefined;
}

/** How recording the history goes. Times are epoch seconds, sizes bytes. */
export interface RecordingHealth {
  /** When this process began to record. */
  readonly since: number;
  /** Seconds between two collections, of the source that is collected most often. */
  readonly interval: number;
  /** The beginning of the slot that was recorded last; `undefined` before this process has recorded one. */
  readonly lastRecordedAt: number | undefined;
  /** Attempts to record that failed, since the start. */
  readonly errors: number;
  /** Why the last collection was not recorded; `undefined` if it was. */
  readonly problem: string | undefined;
  /** Of the file; `undefined` in memory, and while it cannot be read. */
  readonly size: number | undefined;
  readonly maxSize: number;
  /** Free space of its file system for this process; `undefined` in memory. */
  readonly free: number | undefined;
  /** The newest imports, the oldest of them first. */
  readonly imports: readonly ImportedHistory[];
  /** `undefined` without an archive. */
  readonly archive: ArchiveHealth | undefined;
}

/** Why history is not recorded, in sentences; `undefined` if it is. @param now epoch seconds */
export function recordingProblem(health: RecordingHealth, now: number): string | undefined {
  const { problem, lastRecordedAt, since, interval } = health;
  const limit = Math.max(SILENCE_SECONDS, SILENT_INTERVALS * interval);
  if (problem === undefined && !(now - (lastRecordedAt ?? since) > limit)) return undefined;
  const when =
    lastRecordedAt === undefined
      ? 'Nothing was recorded since the start.'
      : `The newest sample is of ${new Date(lastRecordedAt * 1000).toISOString().slice(0, 16)}Z.`;
  return problem === undefined ? when : `${when} The reason: ${problem}.`;
}
