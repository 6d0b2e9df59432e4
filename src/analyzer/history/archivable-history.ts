import type { LocalTime } from '../../base/model/local-time.ts';
import type { ArchiveHealth } from '../../base/model/observation/recording.ts';
import type { StoreArchive } from './store-archive.ts';

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
