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
}
