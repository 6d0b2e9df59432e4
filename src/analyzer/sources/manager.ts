import type { z } from 'zod';
import type { Collected, VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import type { SourceProblem } from '../../base/model/observation/source-failure.ts';
import type { BlockedPeople } from '../blocked/blocked-people.ts';
import type { OnUnread } from './lines.ts';
import type { DenialLog } from './log/denials.ts';
import type { Parsed } from './parsed.ts';
import type { LogSettings, SourceSettings } from './source-settings.ts';
import type { Output, Transport } from './transport/transport.ts';
import type { FileHost, TransportHost } from './transport/transport-host.ts';

/** What the program has to know of a license manager. Each member is required: what there is not is said. */

/** What can be asked of a license manager, in the order of the documentation. */
export const questions = {
  down: 'whether a server or a daemon is down',
  redundancy: 'which of several servers answers',
  usage: 'licenses, in use, available',
  users: 'users and hosts',
  since: 'times of checkouts',
  unusedReserve: 'unused reservations',
  usedReserve: 'reservations in use',
  queue: 'queued requests',
  borrowed: 'borrowed licenses',
  denials: 'denials',
  denialCauses: 'why a request was denied',
  people: 'people who wait',
  versions: 'versions',
  expiry: 'expiry',
  tokens: 'token costs',
  applications: 'applications that are active or idle',
} as const;

/** What a manager can be asked about. */
export type Question = keyof typeof questions;

/** Where the answer comes from, in words of the documentation, or `none`: then it is `undefined`, never 0. */
export type Answers = Readonly<Record<Question, string>>;

/** Keys of its own in the configuration. `Entry` is what is written, in camelCase; `Own` is complete. */
export interface OwnSettings<Entry extends object, Own extends object> {
  /** By their names in the file. Descriptions are documentation. */
  readonly keys: Readonly<Record<string, z.ZodType>>;
  /** The entry with absolute paths. */
  inFolder(entry: Entry, absolute: (path: string) => string): Entry;
  /** @param timeZone of the analyzer */
  complete(entry: Entry, timeZone: string): Own;
  /** Files that it reads, by setting. */
  files(own: Own): readonly (readonly [setting: string, file: string])[];
}

/** For a manager without keys of its own. */
export const noOwnSettings: OwnSettings<object, object> = {
  keys: {},
  inFolder: (entry) => entry,
  complete: () => ({}),
  files: () => [],
};

/** What is read at once, as plain data without secrets: it may be read in another thread. */
export interface ReadInput<Own extends object = object, More = unknown> {
  readonly settings: Omit<SourceSettings, 'via'> & Own;
  readonly via: 'command' | 'file' | 'http' | 'analyzer';
  /** Epoch seconds. */
  readonly now: number;
  readonly output: Output;
  /** What a reading needs beside it: memory, files. */
  readonly more: More;
}

/** Reads a license manager once for each collection. */
export interface ManagerReader {
  /** @throws SourceFailure if nothing could be read */
  read(signal: AbortSignal): Promise<Parsed>;
  /** What it knew in an earlier process. */
  restore?(known: readonly Collected[]): void;
  /** What is known of vendor licenses although the server cannot be reached, for instance from license files. */
  withoutServer?(): readonly VendorLicenseObservation[];
  close(): Promise<void>;
}

export interface ReaderDeps<Own extends object = object, More = unknown, Result extends Parsed = Parsed> {
  /** Undefined without `via`. */
  readonly transport: Transport | undefined;
  readonly host: TransportHost;
  /** The people whom logs name; undefined if nobody wants to know of them. */
  readonly people?: BlockedPeople | undefined;
  /** Runs `read` of the manager, a large output in another thread. */
  readonly read: (input: ReadInput<Own, More>) => Promise<Result>;
}

/** Where a text of a source comes from: a run of its tool, a file, or the end of a log. */
export type TextPlace = { readonly of?: string } & (
  | { readonly args: readonly string[] }
  | { readonly file: string }
  | { readonly log: LogSettings; readonly kind: DenialLog }
);

/** What a text says of itself. */
export interface Recognized {
  readonly servers: readonly string[];
  /** When it was made, epoch seconds. */
  readonly at: number | undefined;
  /** False if a text of another manager could look like it. */
  readonly isSure: boolean;
}

export interface TextKind<Own extends object> {
  /** What `capture` and `try-source` call it. */
  readonly title: string;
  places(settings: SourceSettings & Own): readonly TextPlace[];
  /**
   * Undefined for a text of another kind. `inCaptures` for one that could be of many programs: only a capture says what it is.
   * @param now epoch seconds
   */
  readonly recognize: 'inCaptures' | ((text: string, now: number, timeZone: string) => Recognized | undefined);
  /** Patterns of what stays in a capture of it, with its numbers: what the parser needs. */
  readonly shapes: readonly string[];
  /** The text in the form that a capture has. */
  normalized(text: string): string;
}

export interface CapturedText {
  readonly output: Output;
  /** The daemon of an options file, or the server that was asked. */
  readonly of: string | undefined;
  readonly onUnread: OnUnread;
}

/** A capture that is read again. */
export interface Captured<Own extends object = object> {
  readonly settings: SourceSettings & Own;
  readonly via: ReadInput['via'];
  /** When it was made, epoch seconds. */
  readonly now: number;
  /** One for each run or file. */
  texts(kind: string): readonly CapturedText[];
}

/** What a manager makes of a capture. */
export interface Replay {
  /** Each can throw a SourceFailure. */
  readonly readings: readonly (() => Parsed | undefined)[];
  /** Sentences about texts that are no observation. */
  readonly remarks: readonly string[];
}

/** What of its texts names nobody. All other words are replaced in a capture, except for shapes of its kinds of text. */
export interface Vocabulary {
  /** Words of its tools and files, separated by blanks. One that a user, host or feature has as its name does not count. */
  readonly words: string;
  /** Patterns whose first group is a name that no observation has. They are applied to each line. */
  readonly names: readonly RegExp[];
}

/** The code of a license manager, which is loaded where its texts are read. The configuration and the documentation do without. */
export interface ManagerCode<Own extends object = object, More = unknown, Result extends Parsed = Parsed> {
  readonly texts: Readonly<Record<string, TextKind<Own>>>;
  /** Pure: what an output says. @throws SourceFailure if it says nothing */
  read(input: ReadInput<Own, More>, onUnread?: OnUnread): Result;
  createReader(settings: SourceSettings & Own, deps: ReaderDeps<Own, More, Result>): ManagerReader;
  replay(captured: Captured<Own>): Replay;
  /** What is wrong with the files beside the output, as a reading finds it. Absent without such files. */
  checkFiles?(settings: SourceSettings & Own, host: FileHost): Promise<readonly SourceProblem[]>;
  readonly vocabulary: Vocabulary;
}

/** A license manager. Its row in `managers` is all that other code knows of it. */
export interface ManagerDefinition<
  Own extends object = object,
  More = unknown,
  Result extends Parsed = Parsed,
  Entry extends object = object,
> {
  /** How it is read, for the documentation. */
  readonly how: string;
  /** What its readers were tried on, for the documentation: a real server, public texts, or only our own. */
  readonly triedOn: string;
  /** Other names that people write for it, in lower case, letters and digits only. */
  readonly alsoCalled: RegExp | 'none';
  readonly answers: Answers;
  readonly settings: OwnSettings<Entry, Own>;
  /** Whether a source of it needs `via`. */
  needsVia(entry: Entry): boolean;
  /** What is wrong with the number of servers, and whether that is a mistake in the list. */
  serversProblem(servers: readonly string[]): { readonly message: string; readonly isOfList: boolean } | undefined;
  /** Whether its vendor licenses are known before the first reading. */
  namesDaemons(settings: Omit<SourceSettings, 'via'> & Own): boolean;
  /** Loads its code. */
  code(): Promise<ManagerCode<Own, More, Result>>;
}

/** Most managers need a server. @param example of one */
export const serversRequired =
  (example: string): ManagerDefinition['serversProblem'] =>
  ({ length }) =>
    length > 0 ? undefined : { message: `servers is required, for example "servers: [${example}]"`, isOfList: false };

/** A definition for the table: what it is given later is what it has made itself, so that its own types are not needed. */
export const defineManager = <Own extends object, More, Result extends Parsed, Entry extends object>(
  definition: ManagerDefinition<Own, More, Result, Entry>,
): ManagerDefinition => definition as never;
