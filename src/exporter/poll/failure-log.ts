import type { Failure } from '../../base/model/failure.ts';
import type { Log } from '../../base/model/log.ts';
import { historyQuestion, type PolledEndpoint, WHOLE } from '../../base/model/snapshot.ts';

/**
 * What fails for one cause is one line of the log, at however many endpoints and however often. A line says that it began,
 * a few that it goes on, and one that it is over.
 */

/** A part whose newest reading failed. */
export interface FailedPart extends Failure {
  readonly part: string;
}

/** Logs failures of polls once while they last, not once for each request. */
export interface FailureLog {
  /** A pass of an endpoint has ended. Without failed parts, the endpoint is well. */
  passEnded(endpoint: PolledEndpoint, failed: readonly FailedPart[], parts: number): void;
  /** The endpoint fails as expected, because the analyzer does not have it. */
  failedAsExpected(endpoint: PolledEndpoint): void;
  /** Writes what waits for endpoints with the same cause. */
  flush(): void;
}

/** The log, its clock, and how long failures are collected before they are logged. */
export interface FailureLogOptions {
  readonly log: Log;
  /** Epoch seconds. */
  readonly now: () => number;
}

/** How long a line waits for other endpoints with the same cause, milliseconds. */
const GATHER_MS = 3000;
/** Seconds until the next line about a cause that lasts. The last one repeats. */
const SUMMARIES = [300, 900, 3600] as const;
/** If a cause is back within this time after its end, only the next summary says so, seconds. */
const QUIET = 600;
/** Vendor licenses that a line names. */
const NAMES = 3;

/** What fails at an endpoint for one cause. */
interface Failing {
  readonly first: Failure;
  /** The vendor licenses, if others of the endpoint are good. */
  readonly some: readonly string[] | undefined;
}

type FailingByCause = ReadonlyMap<string, Failing>;

/** An endpoint that fails. */
interface Trouble {
  /** Epoch seconds. */
  readonly since: number;
  attempts: number;
  failing: FailingByCause;
  /** Its causes so far: whether a line names them, or it is left to the summary. */
  readonly said: Map<string, boolean>;
}

/** The next line about a cause that lasts. */
interface Summary {
  /** Epoch seconds. */
  readonly at: number;
  readonly step: number;
}

/** An endpoint that is well again. */
interface Ended {
  readonly endpoint: PolledEndpoint;
  /** How long it failed. */
  readonly seconds: number;
  readonly attempts: number;
}

type Entry = readonly [PolledEndpoint, Failing];

const nameOf = (endpoint: PolledEndpoint, part: string): string =>
  endpoint === 'GetHistory' ? historyQuestion(part).product : part;

/** The failed parts by cause. Other statuses are other causes, and so are failures of some vendor licenses only. */
function byCause(endpoint: PolledEndpoint, failed: readonly FailedPart[], parts: number): FailingByCause {
  const groups = Map.groupBy(failed, ({ kind, code }) => (kind === 'status' ? `${kind} ${code}` : kind));
  return new Map(
    [...groups].map(([cause, group]) => {
      const names = [...new Set(group.map(({ part }) => nameOf(endpoint, part)))];
      const isAll = group.length === parts || group.some(({ part }) => part === WHOLE);
      const [first] = group as [FailedPart, ...FailedPart[]];
      return [isAll ? cause : `${cause}, some`, { first, some: isAll ? undefined : names }];
    }),
  );
}

/** The fields of a line about one cause. */
function fieldsOf(entries: readonly Entry[]): object {
  const [, { first }] = entries[0] as Entry;
  const { kind, code, message } = first;
  const some = new Set(entries.flatMap(([, failing]) => failing.some ?? []));
  return {
    endpoints: entries.map(([endpoint]) => endpoint),
    kind,
    code,
    reason: message,
    ...(some.size > 0 && { failed: some.size, vendor_licenses: [...some].slice(0, NAMES) }),
  };
}

const sumOf = (all: readonly { readonly attempts: number }[]): number =>
  all.reduce((sum, { attempts }) => sum + attempts, 0);

const messageOf = (entries: readonly Entry[], message: string): string =>
  entries[0]?.[1].some === undefined ? message : `${message} for some vendor licenses`;

/** The log of all endpoints of a poller. */
export function createFailureLog({ log, now }: FailureLogOptions): FailureLog {
  const troubles = new Map<PolledEndpoint, Trouble>();
  const summaries = new Map<string, Summary>();
  /** Until when the return of a cause at an endpoint is left to the summary, epoch seconds. */
  const quiet = new Map<string, number>();
  /** Causes to be named, with their endpoints. */
  let begun = new Map<string, Map<PolledEndpoint, Failing>>();
  let ended: Ended[] = [];
  let timer: NodeJS.Timeout | undefined;

  const keyOf = (endpoint: PolledEndpoint, cause: string): string => `${endpoint} ${cause}`;

  const writeBegun = (): void => {
    const all = begun;
    begun = new Map();
    for (const endpoints of all.values()) {
      const entries = [...endpoints];
      log.warn(fieldsOf(entries), messageOf(entries, 'poll failed'));
    }
  };

  const writeEnded = (): void => {
    const all = ended;
    ended = [];
    if (all.length === 0) return;
    const endpoints = all.map(({ endpoint }) => endpoint);
    const seconds = Math.max(...all.map((one) => one.seconds));
    log.info({ endpoints, seconds, attempts: sumOf(all) }, 'poll recovered');
  };

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    writeBegun();
    writeEnded();
  };
  const gather = (): void => {
    timer ??= setTimeout(flush, GATHER_MS).unref();
  };

  /** Writes a line about each cause that still lasts and was last named long enough ago. */
  const writeSummaries = (): void => {
    const at = now();
    for (const [cause, { at: dueAt, step }] of summaries) {
      const lasting = [...troubles].filter(([, { failing }]) => failing.has(cause));
      if (lasting.length === 0) summaries.delete(cause);
      if (lasting.length === 0 || at < dueAt) continue;
      const entries = lasting.map(([endpoint, { failing }]): Entry => [endpoint, failing.get(cause) as Failing]);
      const found = lasting.map(([, trouble]) => trouble);
      for (const { said } of found) said.set(cause, true);
      const since = Math.min(...found.map((trouble) => trouble.since));
      const fields = { ...fieldsOf(entries), since: new Date(since * 1000), attempts: sumOf(found) };
      log.warn(fields, messageOf(entries, 'poll still fails'));
      summaries.set(cause, { at: at + (SUMMARIES[step] ?? SUMMARIES[2]), step: step + 1 });
    }
  };

  const begin = (endpoint: PolledEndpoint, { said, failing }: Trouble): void => {
    const at = now();
    for (const [cause, found] of failing) {
      const until = quiet.get(keyOf(endpoint, cause)) ?? 0;
      const isQuiet = at < until;
      const summary = isQuiet ? { at: until, step: 0 } : { at: at + SUMMARIES[0], step: 1 };
      if (!summaries.has(cause)) summaries.set(cause, summary);
      if (said.has(cause)) continue;
      said.set(cause, !isQuiet);
      if (isQuiet) continue;
      // what ended before stands before
      if (ended.length > 0) flush();
      begun.set(cause, (begun.get(cause) ?? new Map<PolledEndpoint, Failing>()).set(endpoint, found));
      gather();
    }
  };

  const end = (endpoint: PolledEndpoint, { since, attempts, said }: Trouble): void => {
    troubles.delete(endpoint);
    const causes = [...said.keys()].filter((cause) => said.get(cause));
    for (const cause of causes) quiet.set(keyOf(endpoint, cause), now() + QUIET);
    if (causes.length === 0) return;
    ended.push({ endpoint, seconds: now() - since, attempts });
    gather();
  };

  const fail = (endpoint: PolledEndpoint, failing: FailingByCause): Trouble => {
    const trouble = troubles.get(endpoint) ?? { since: now(), attempts: 0, failing, said: new Map() };
    troubles.set(endpoint, trouble);
    trouble.attempts += 1;
    trouble.failing = failing;
    return trouble;
  };

  return {
    passEnded: (endpoint, failed, parts) => {
      const trouble = troubles.get(endpoint);
      if (failed.length > 0) begin(endpoint, fail(endpoint, byCause(endpoint, failed, parts)));
      else if (trouble !== undefined) end(endpoint, trouble);
      writeSummaries();
    },
    failedAsExpected: (endpoint) => void fail(endpoint, new Map()),
    flush,
  };
}
