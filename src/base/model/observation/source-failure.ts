import { openFilesProblem } from '../operator-error.ts';
import type { Member } from './observation.ts';

/** Why a source could not be read, or not wholly. */
export const sourceFailureKinds = {
  missing_tool: 'the tool or file does not exist',
  not_executable: 'the tool cannot be executed, or other users may replace it',
  loader: 'the tool exists, but the program that loads it does not',
  timeout: 'the tool or server did not answer in time',
  stuck: 'the tool cannot be stopped',
  exit: 'the tool failed without saying why',
  too_large: 'the output is too large',
  unreachable: 'the license server cannot be reached',
  daemon_down: 'the license server runs, but a vendor daemon does not',
  no_quorum: 'fewer than two of three redundant servers run',
  refused: 'the license server refuses to answer',
  protocol: 'the server speaks another protocol',
  unparsed: 'the output is not that of the license manager, or of a version that is not understood',
  empty: 'the server runs, but lists no feature',
  clock: 'the time in the output is not the time of this host',
  too_old: 'the file is too old',
  no_analyzer: 'another analyzer cannot be asked',
  open_files: 'this process or this host has too many open files',
} as const;

/** The kinds of failed collections, by the label `reason`. */
export type SourceFailureKind = keyof typeof sourceFailureKinds;

/**
 * Whether a kind of failure says that a license server or a vendor daemon is down, so that users may not get licenses. The
 * others say only that the source cannot be read, or not wholly: whether users get licenses is not known then.
 */
export const saysServerIsDown: Readonly<Record<SourceFailureKind, boolean>> = {
  missing_tool: false,
  not_executable: false,
  loader: false,
  timeout: false,
  stuck: false,
  exit: false,
  too_large: false,
  unreachable: true,
  daemon_down: true,
  no_quorum: true,
  refused: false,
  protocol: false,
  unparsed: false,
  empty: false,
  clock: false,
  too_old: false,
  no_analyzer: false,
  open_files: false,
};

/** Whether the operator must correct a kind of failure: a tool or a file is not what the configuration says. */
export const isMistake: Readonly<Record<SourceFailureKind, boolean>> = {
  missing_tool: true,
  not_executable: true,
  loader: true,
  timeout: false,
  stuck: false,
  exit: false,
  too_large: true,
  unreachable: false,
  daemon_down: false,
  no_quorum: false,
  refused: true,
  protocol: false,
  unparsed: true,
  empty: true,
  clock: false,
  too_old: false,
  no_analyzer: false,
  open_files: false,
};

/** One sentence for the operator. It names the thing and the remedy, never a user or the host of a user. */
export interface SourceProblem {
  readonly kind: SourceFailureKind;
  readonly message: string;
  /** The figures are good all the same: the source is not down. */
  readonly isMinor?: true;
  /** A file that the configuration names beside the output cannot be used now: a license file, an options file or a log. */
  readonly isFile?: true;
}

/** A source could not be read. Its last good data is kept. */
export class SourceFailure extends Error implements SourceProblem {
  override readonly name = 'SourceFailure';
  readonly kind: SourceFailureKind;
  /** What is known of the servers all the same. Undefined if nothing is. */
  readonly members: readonly Member[] | undefined;

  constructor(
    kind: SourceFailureKind,
    message: string,
    options: ErrorOptions & { readonly members?: readonly Member[] } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.members = options.members;
  }
}

/** The failure of a file or connection that cannot be opened because too many are open; `undefined` for any other error. */
export function openFilesFailure(name: string, error: unknown): SourceFailure | undefined {
  const problem = openFilesProblem(error);
  return problem === undefined ? undefined : new SourceFailure('open_files', `${name} ${problem}`, { cause: error });
}
