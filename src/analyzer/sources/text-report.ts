import {
  SourceFailure,
  type SourceFailureKind,
  type SourceProblem,
} from '../../base/model/observation/source-failure.ts';
import { countText } from '../../base/texts.ts';
import type { VendorLicenseEntry } from './json/document.ts';
import { DiagnosticsCount, linesOf, MAX_LINE, type OnUnread } from './lines.ts';
import type { ReadInput } from './manager.ts';
import type { SourceTime } from './times.ts';

/** What a tool prints about a license server, read line by line. */

/** What reading a text depends on beside itself. Times are epoch seconds. */
export interface TextContext {
  /** The server that was asked, as `port@host`. */
  readonly server: string;
  /** When the text was made. */
  readonly now: number;
  /** The zone of its times. */
  readonly localTime: SourceTime;
  readonly onUnread?: OnUnread | undefined;
}

/** What a text says, faithfully. Entries have epoch seconds for times, and dates as `2027-06-30`. */
export interface TextReport {
  /** Of each daemon, with its features. */
  readonly vendorLicenses: readonly Omit<VendorLicenseEntry, 'server'>[];
  /** License servers that it names, as `port@host`. */
  readonly servers: readonly string[];
  /** Whether any line is one that only this tool prints. */
  readonly isOwn: boolean;
  readonly problems: readonly SourceProblem[];
  /** The tool says that nobody uses a license, and lists only those that are used. */
  readonly isIdle?: boolean;
  /** Why there is no data, if the tool says it. */
  readonly refusal: Refusal | undefined;
  readonly hasText: boolean;
  /** Whether it ends within a line, or within an element. */
  readonly isCut: boolean;
  readonly diagnostics: DiagnosticsCount;
}

/** A message of a tool that says why there is no data. */
export interface Refusal {
  readonly pattern: RegExp;
  readonly kind: SourceFailureKind;
  /** What is wrong, and the remedy. `server` is `port@host`. */
  readonly says: (server: string) => string;
}

/** The messages of tools that cannot reach their server. @param name of the license manager, for example `LM-X` */
export const unreachable = (name: string, pattern: RegExp): Refusal => ({
  pattern,
  kind: 'unreachable',
  says: (server) =>
    `Cannot connect to ${name} at ${server}: check that it runs there, that port and host are right, and that a firewall allows the port.`,
});

/** The messages of tools for which the name of the server has no address. @param name of the license manager */
export const unknownHost = (name: string, pattern: RegExp): Refusal => ({
  pattern,
  kind: 'unreachable',
  says: (server) =>
    `Cannot connect to ${name} at ${server}: its name has no address here. Correct the name, or add it to DNS.`,
});

/** What the lines of a text say beside its licenses. */
export type LinesRead = Pick<TextReport, 'refusal' | 'hasText' | 'isCut' | 'diagnostics'>;

/**
 * Reads a text line by line. A line that `read` does not understand may still be a refusal.
 *
 * @param read gets a line without the blanks at its end, and returns whether it is understood
 */
export function readLines(
  text: string,
  refusals: readonly Refusal[],
  { onUnread }: TextContext,
  read: (line: string) => boolean,
): LinesRead {
  const diagnostics = new DiagnosticsCount(onUnread);
  let refusal: Refusal | undefined;
  let hasText = false;
  let isLastRead = true;
  for (const line of linesOf(text)) {
    diagnostics.startLine();
    if (line.trim() === '') continue;
    hasText = true;
    const isShort = line.length <= MAX_LINE;
    isLastRead = isShort && read(line);
    if (isLastRead) continue;
    const said = isShort ? refusals.find(({ pattern }) => pattern.test(line)) : undefined;
    refusal ??= said;
    isLastRead = said !== undefined;
    if (!isLastRead) diagnostics.addUnparsed(line);
  }
  return { refusal, hasText, isCut: !isLastRead && !text.endsWith('\n'), diagnostics };
}

/** What a tool is called in messages. */
export interface ToolNames {
  /** Of the license manager: `LM-X`. */
  readonly name: string;
  /** The tool with its question: `lmxendutil -licstatxml`. */
  readonly title: string;
}

/** `1 line is not understood`. */
export const notUnderstood = (lines: number): string => `${countText(lines, 'line is', 'lines are')} not understood`;

/** The tool is known, and what it prints is not. */
export const NEWER =
  'The tool may be a newer one: compare its output with `license-exporter try-source`, and report it with a capture.';

/** Why a text has no data, undefined if it has. @param via a file may end anywhere, a command ends its last line */
export function failureOf(
  { vendorLicenses, refusal, isOwn, isIdle, isCut, hasText, diagnostics }: TextReport,
  { name, title }: ToolNames,
  server: string,
  via: ReadInput['via'],
): SourceFailure | undefined {
  const output = `The output for ${name} at ${server}`;
  const byHand = 'Run the configured command by hand';
  // a part of the output would look like fewer licenses and users
  if (isCut && via === 'command')
    return new SourceFailure('unparsed', `${output} ends within a line, so it is incomplete. ${byHand}.`);
  if (vendorLicenses.some(({ features, reachable }) => reachable === false || (features?.length ?? 0) > 0))
    return undefined;
  if (refusal !== undefined) return new SourceFailure(refusal.kind, refusal.says(server));
  if (!hasText) return new SourceFailure('unparsed', `${output} is empty. ${byHand} to see why.`);
  if (isIdle) return undefined;
  const { unparsed, masks } = diagnostics;
  if (isOwn && unparsed === 0)
    return new SourceFailure(
      'empty',
      `${name} at ${server} answers, but lists no license: check that the server has valid licenses.`,
    );
  const looks = masks[0] === undefined ? '' : `; its first unknown line looks like "${masks[0]}"`;
  if (isOwn)
    return new SourceFailure(
      'unparsed',
      `${output} has no license that is understood, and ${notUnderstood(unparsed)}${looks}. ${NEWER}`,
    );
  return new SourceFailure('unparsed', `${output} is not that of "${title}"${looks}. ${byHand} to see why.`);
}
