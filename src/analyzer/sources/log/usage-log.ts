import type { LocalTime } from '../../../base/model/local-time.ts';
import type { DenialCause } from '../../../base/model/observation/observation.ts';
import type { Diagnostics } from '../../../base/model/observation/source.ts';

/** A checkout or a checkin. */
export interface LicenseEvent {
  readonly feature: string;
  /** Distinguishes those who hold licenses; undefined if the line does not name anybody. */
  readonly client: string | undefined;
  /** Undefined if the line does not name anybody. */
  readonly user: string | undefined;
  /** Another feature that was asked for, if the line says so: tokens are checked out for it. */
  readonly askedFor?: string | undefined;
  readonly licenses: number;
  /** Licenses of the feature in use after the event, if the line says so. */
  readonly inUse: number | undefined;
  /** Licenses of the feature that were bought, if the line says so. */
  readonly available: number | undefined;
}

/** A request that was refused. */
export interface LicenseRefusal {
  readonly feature: string;
  /** Who asks again; undefined if each line counts. */
  readonly client: string | undefined;
  /** Who was refused, as the line names it, where that is not the client. */
  readonly who?: string;
  /** Undefined if the line does not say it. */
  readonly cause: DenialCause | undefined;
}

/** Gets what a log says of the use of licenses, in its order. Times are epoch seconds, daemons as the log names them. */
export interface UsageEvents {
  /** The log is written on this host. */
  isOn(host: string, at: number): void;
  /** Of a group of redundant servers, this one serves from now on. */
  serving(host: string, at: number): void;
  /** The daemon, which writes what happens into this log, runs at this time. */
  runs(daemon: string, at: number): void;
  /** The daemon begins to run: nobody holds a license. */
  starts(daemon: string, at: number): void;
  /** The daemon ends: nobody holds a license any more. */
  stops(daemon: string, at: number): void;
  /** The daemon has ended some time before. */
  hasEnded(daemon: string, at: number): void;
  out(daemon: string, at: number, event: LicenseEvent): void;
  in(daemon: string, at: number, event: LicenseEvent): void;
  /** The daemon has licenses of a feature, whether or not anybody asks for them. */
  serves(daemon: string, at: number, feature: string): void;
  /** A request for licenses of a feature. */
  asks(daemon: string, at: number, feature: string): void;
  /** A request was refused, perhaps not for the last time. */
  denied(daemon: string, at: number, refusal: LicenseRefusal): void;
  /** The number of licenses of a feature that were bought, from now on. */
  bought(daemon: string, at: number, feature: string, licenses: number): void;
}

/** Reads one file of a log. */
export interface UsageFileReader {
  push(lines: Iterable<string>): void;
  /** After the last line. */
  end(): void;
  /** The moment of the newest line with a time, epoch seconds. */
  readonly lastAt: number;
  /** Lines that are not understood although they are about the use of licenses. */
  readonly diagnostics: Diagnostics;
}

/** When a file of a log begins. */
export interface LogBeginning {
  /** Epoch seconds. */
  readonly at: number;
  /** Whether no line says the date: it is that of the file itself. */
  readonly isGuessed: boolean;
}

/** Finds out when a file of a log begins. */
export interface BeginningReader {
  /** The next lines. @returns whether no more are needed */
  push(lines: Iterable<string>): boolean;
  /** @param writtenAt when the file was written to last, epoch seconds; undefined for a file without a time */
  beginning(writtenAt: number | undefined): LogBeginning | undefined;
}

/** A log that tells when licenses were checked out and in. */
export interface UsageLog {
  /** `FlexNet debug log`. */
  readonly form: string;
  /** @param head the first lines of a file */
  isForm(head: string): boolean;
  /** Why a log of the same license manager cannot be imported, after the name of the file, with the remedy. @param head as above */
  refusalOf(head: string): string | undefined;
  /** A line without what another program has put before it: the same line can be in several files. */
  ownLine(line: string): string;
  /** The name of the user in a refusal; empty if it has none. */
  userOf(who: string): string;
  /** @param localTime of the times in the log */
  findBeginning(localTime: LocalTime): BeginningReader;
  /**
   * @param beginning of this file
   * @param onUnparsed gets the number of each line that is not understood, from 1
   */
  readFile(
    localTime: LocalTime,
    beginning: LogBeginning,
    events: UsageEvents,
    onUnparsed?: (line: number) => void,
  ): UsageFileReader;
}
