import { SourceFailure, type SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { DiagnosticsCount } from '../lines.ts';
import type { Parsed } from '../parsed.ts';
import type { SourceTime } from '../times.ts';
import { CLOCK_DIFFERENCE } from '../times.ts';
import type { ObservationDocument } from './document.ts';
import { checkDocument } from './document-check.ts';
import { DocumentProblems } from './document-problems.ts';
import { plainText, readJson } from './document-text.ts';
import { timeOf } from './document-times.ts';
import { EntryReading, type ObservationMemory } from './entry-reading.ts';

/** The manager `json`: observations that a script writes. */

/** No document is too old that is younger than this, seconds. */
const MIN_MAX_AGE = 600;

/** What reading a document depends on beside its text. */
export interface ObservationContext {
  /** Epoch seconds. */
  readonly now: number;
  /** When the output was made, if that is known: the time of a file. The document's own time comes first. */
  readonly writtenAt: number | undefined;
  /** Seconds between collections. */
  readonly interval: number;
  /** Of dates without a time. */
  readonly localTime: SourceTime;
  /** Third part of the names of vendor licenses that have none. */
  readonly part: string;
  /** Of the previous document of this source, undefined before the first one. */
  readonly memory: ObservationMemory | undefined;
}

/** What a document says, and what the next one is compared with. */
export interface ParsedObservations extends Parsed {
  /** For the context of the next document. */
  readonly memory: ObservationMemory;
}

const minutes = (seconds: number): string => `${Math.round(seconds / 60)} minutes`;

/** The time of the document, and whether its clock is the one of this host. */
function clockOf(
  { time }: ObservationDocument,
  { now, interval }: ObservationContext,
): { readonly time: number | undefined; readonly problem?: SourceProblem } {
  if (time === undefined || time === null) return { time: undefined };
  const at = timeOf(time);
  const maxAge = Math.max(2 * interval, MIN_MAX_AGE);
  if (now - at > maxAge) {
    throw new SourceFailure(
      'too_old',
      `the observation document was written ${minutes(now - at)} ago, and ${minutes(maxAge)} are allowed: check that its script still runs, and the clocks of both hosts`,
    );
  }
  if (at - now <= CLOCK_DIFFERENCE) return { time: at };
  const message = `the observation document was written ${minutes(at - now)} in the future, so that its times are not used: correct the clock of its host or of this one`;
  return { time: at, problem: { kind: 'clock', message, isMinor: true } };
}

/** Names in a message. */
const namesIn = (names: readonly string[]): string =>
  names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');

/** What is wrong with vendor licenses. */
function problemsOf({ unreachable, empty }: EntryReading): readonly SourceProblem[] {
  const problems: SourceProblem[] = [];
  if (unreachable.length > 0) {
    const message = `the observation document says that ${namesIn(unreachable)} cannot be reached: check the license server`;
    problems.push({ kind: 'unreachable', message });
  }
  if (empty.length > 0) {
    const message = `the observation document lists no feature of ${namesIn(empty)}: check its script, or write reachable false while the server does not answer`;
    problems.push({ kind: 'empty', message });
  }
  return problems;
}

/** The checked document. */
function read(text: string): ObservationDocument {
  const value = readJson(text);
  const problems = new DocumentProblems();
  const document = checkDocument(value, problems);
  if (document !== undefined) return document;
  throw new SourceFailure(
    'unparsed',
    `the observation document is refused as a whole, see docs/json-source.md: ${problems.text}`,
  );
}

/**
 * Reads an observation document. One that is wrong anywhere is refused as a whole, so that the last good data is kept:
 * a script that writes one wrong figure may have mixed up all of them.
 *
 * @throws SourceFailure `unparsed` or `too_old`
 */
export function parseObservations(text: string, context: ObservationContext): ParsedObservations {
  const document = read(text);
  const { time, problem } = clockOf(document, context);
  const writtenAt = time ?? context.writtenAt;
  const latest = problem === undefined ? (writtenAt ?? context.now) + CLOCK_DIFFERENCE : undefined;
  const reading = new EntryReading({ ...context, latest, writtenAt }, new DiagnosticsCount());
  for (const entry of document.vendor_licenses) {
    reading.add(entry);
  }
  const said = (document.problems ?? []).map(({ kind, message }) => ({ kind, message: plainText(message) }));
  return {
    vendorLicenses: reading.vendorLicenses,
    problems: [...said, ...(problem === undefined ? [] : [problem]), ...problemsOf(reading)],
    members: (document.members ?? []).map(({ server, up, master }) => ({
      server: plainText(server),
      up,
      isMaster: master === true,
    })),
    referenceTime: time,
    diagnostics: reading.diagnostics,
    memory: reading.memory,
  };
}
