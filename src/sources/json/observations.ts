import {
  type PoolObservation,
  type VendorLicenseObservation,
  vendorLicenseName,
} from '../../model/observation/observation.ts';
import { SourceFailure, type SourceProblem } from '../../model/observation/source-failure.ts';
import { DiagnosticsCount } from '../lines.ts';
import type { Parsed } from '../parsed.ts';
import type { SourceTime } from '../times.ts';
import type { FeatureEntry, ObservationDocument, VendorLicenseEntry } from './document.ts';
import { checkDocument, featureKey, namesOf } from './document-check.ts';
import { DocumentProblems } from './document-problems.ts';
import { plainText, readJson } from './document-text.ts';
import { timeOf } from './document-times.ts';
import { type PoolContext, reportsOf, toPool } from './pools.ts';

/** The manager `json`: observations that a script writes. */

/** Seconds that two clocks may differ. */
const CLOCK_DIFFERENCE = 300;
/** No document is too old that is younger than this, seconds. */
const MIN_MAX_AGE = 600;

/** What is kept of a document until the next one. */
export interface ObservationMemory {
  /** When it was written. */
  readonly writtenAt: number | undefined;
  /** Denials that a license manager counts since its start, by vendor license, then by feature. */
  readonly denialTotals: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

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

/** Turns the vendor licenses of a checked document into observations, one after the other. */
class DocumentReading {
  readonly vendorLicenses: VendorLicenseObservation[] = [];
  readonly diagnostics = new DiagnosticsCount();
  readonly denialTotals = new Map<string, ReadonlyMap<string, number>>();
  readonly unreachable: string[] = [];
  readonly empty: string[] = [];
  readonly #context: ObservationContext;
  readonly #latest: number | undefined;
  /** Denials of a document that was read before are counted already. */
  readonly #isNew: boolean;

  constructor(context: ObservationContext, latest: number | undefined, writtenAt: number | undefined) {
    this.#context = context;
    this.#latest = latest;
    const previous = context.memory?.writtenAt;
    this.#isNew = writtenAt === undefined || previous === undefined || writtenAt > previous;
  }

  add(entry: VendorLicenseEntry): void {
    const names = namesOf(entry, this.#context.part);
    const name = vendorLicenseName(names);
    const isUnreachable = entry.reachable === false;
    const isEmpty = !isUnreachable && entry.features?.length === 0;
    if (isUnreachable) this.unreachable.push(name);
    if (isEmpty) this.empty.push(name);
    const pools = this.#poolsOf(entry, name, vendorLicenseName({ ...names, part: '' }));
    const before = this.#context.memory?.denialTotals.get(name);
    // without an answer the counters are not known; they count on
    if ((isUnreachable || isEmpty) && before !== undefined) this.denialTotals.set(name, before);
    this.vendorLicenses.push({ ...names, reachable: !isUnreachable && !isEmpty, pools });
  }

  #poolsOf(entry: VendorLicenseEntry, name: string, tokenSource: string): PoolObservation[] {
    const context: PoolContext = {
      localTime: this.#context.localTime,
      latest: this.#latest,
      vendorLicense: tokenSource,
      reports: reportsOf(entry),
      onContradiction: () => this.diagnostics.addContradiction(),
    };
    const before = this.#context.memory?.denialTotals.get(name);
    const totals = new Map<string, number>();
    const pools: PoolObservation[] = [];
    for (const feature of entry.features ?? []) {
      const denials = this.#denialsOf(feature, before, totals);
      pools.push(toPool(feature, denials, context));
    }
    if (totals.size > 0) this.denialTotals.set(name, totals);
    return pools;
  }

  #denialsOf(
    feature: FeatureEntry,
    before: ReadonlyMap<string, number> | undefined,
    totals: Map<string, number>,
  ): number | undefined {
    const { denials, denials_total: total } = feature;
    const isCounter = total !== undefined && total !== null;
    const key = isCounter ? featureKey(feature) : '';
    if (isCounter) totals.set(key, total);
    if (!this.#isNew) return undefined;
    return isCounter ? denialsSince(before?.get(key), total) : (denials ?? undefined);
  }

  /** What is wrong with vendor licenses. */
  *problems(): Generator<SourceProblem, void> {
    if (this.unreachable.length > 0) {
      const message = `the observation document says that ${namesIn(this.unreachable)} cannot be reached: check the license server`;
      yield { kind: 'unreachable', message };
    }
    if (this.empty.length > 0) {
      const message = `the observation document lists no feature of ${namesIn(this.empty)}: check its script, or write reachable false while the server does not answer`;
      yield { kind: 'empty', message };
    }
  }
}

/**
 * Requests denied between two readings of a counter. A counter that has fallen was started again and has counted its value
 * since. Undefined at first sight: how much of it is new is not known.
 */
function denialsSince(previous: number | undefined, current: number): number | undefined {
  if (previous === undefined) return undefined;
  return current >= previous ? current - previous : current;
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
  const reading = new DocumentReading(context, latest, writtenAt);
  for (const entry of document.vendor_licenses) {
    reading.add(entry);
  }
  const said = (document.problems ?? []).map(({ kind, message }) => ({ kind, message: plainText(message) }));
  return {
    vendorLicenses: reading.vendorLicenses,
    problems: [...said, ...(problem === undefined ? [] : [problem]), ...reading.problems()],
    members: (document.members ?? []).map(({ server, up, master }) => ({
      server: plainText(server),
      up,
      isMaster: master === true,
    })),
    referenceTime: time,
    diagnostics: reading.diagnostics,
    memory: { writtenAt, denialTotals: reading.denialTotals },
  };
}
