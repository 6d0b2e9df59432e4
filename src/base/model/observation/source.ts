import type { Collected, Member, VendorLicenseObservation } from './observation.ts';
import type { SourceFailureKind, SourceProblem } from './source-failure.ts';

/** Where the analyzer learns usage from: the simulated site, or a license manager. */
export interface Source {
  /** Unique. */
  readonly name: string;
  /** Seconds between collections. */
  readonly interval: number;
  /** It is collected this many seconds after the beginning of a slot. */
  readonly offset: number;
  /** @throws SourceFailure if nothing could be read */
  read(signal: AbortSignal): Promise<readonly VendorLicenseObservation[]>;
  /** Gets the last observations of an earlier process, before the first `read`. */
  restore?(known: readonly Collected[]): void;
  /** The clock was set: its times are later by some seconds, so that they are as old as before. */
  move?(by: number): void;
  /** A collection was due before the previous one was over. */
  skip?(): void;
}

/** How reading a source went. Times are epoch seconds. */
export interface SourceHealth {
  readonly name: string;
  /** The value of `manager` in the configuration. */
  readonly manager: string;
  /** Undefined before the first reading is over. False if anything of it is down or could not be read. */
  readonly up: boolean | undefined;
  /** Whether a license server or a vendor daemon is down. Undefined if that is not known, because the source cannot be read. */
  readonly isServerDown: boolean | undefined;
  /** Readings in succession after which `up` was false; 0 after a good one, undefined before the first reading is over. */
  readonly failedReadings: number | undefined;
  /** What is wrong now: of the whole source, or of a part of it. */
  readonly problems: readonly SourceProblem[];
  /** Undefined before the first reading is over. */
  readonly lastReadAt: number | undefined;
  /** When the next reading is due, epoch seconds. Absent where it is read only once. */
  readonly nextReadAt?: number;
  /** Undefined before the first one that gave data. */
  readonly lastSuccessAt: number | undefined;
  /** Seconds the last reading took, without waiting for others. */
  readonly duration: number | undefined;
  /** Undefined before the first output was parsed. */
  readonly lastDiagnostics: Diagnostics | undefined;
  /** Since the start. */
  readonly contradictions: number;
  /** Readings since the start, by result; `skipped` are those that were due while the previous one was not over. */
  readonly runs: ReadonlyMap<SourceFailureKind | 'ok' | 'skipped', number>;
  /** Empty before they are known. */
  readonly members: readonly Member[];
  readonly vendorLicenses: readonly string[];
}

/** What a parser did not understand. */
export interface Diagnostics {
  /** Lines that are neither understood nor known to be noise. */
  readonly unparsed: number;
  /** The shapes of at most three of them, see `maskOf`. */
  readonly masks: readonly string[];
  /** Statements of the output that contradict each other. */
  readonly contradictions: number;
}

/** Whether all of a source was read and understood. */
export const isComplete = ({ up, problems, lastDiagnostics }: SourceHealth): boolean =>
  up === true && problems.length === 0 && (lastDiagnostics?.unparsed ?? 0) === 0;

/** The health of a source as JSON, in `/sources/status.json` and in the output of `doctor --json`. */
export const healthJson = ({ runs, ...health }: SourceHealth): object => ({
  ...health,
  runs: Object.fromEntries(runs),
});
