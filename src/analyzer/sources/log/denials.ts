import { setImmediate as pause } from 'node:timers/promises';
import { createLocalTime, type LocalTime } from '../../../base/model/local-time.ts';
import type {
  DenialCause,
  PoolObservation,
  VendorLicenseObservation,
} from '../../../base/model/observation/observation.ts';
import type { Diagnostics } from '../../../base/model/observation/source.ts';
import type { SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { createLatestOnly } from '../../../base/scheduling/limit.ts';
import { countText } from '../../../base/texts.ts';
import type { PersonLog } from '../../blocked/person-log.ts';
import { maskOf, withoutControls } from '../lines.ts';
import type { LogSettings } from '../source-settings.ts';
import { LogFollower, type LogKind, type Look } from './log-follower.ts';

/** Logs that are followed for denials: what was read counts once, also after a restart, and becomes part of the observation. */

/** Refused requests for one feature, for one cause. */
export interface Denials {
  /** As the log names it: a daemon that has forked can be several, such as `MLM` and `MLM_1`. */
  readonly daemon: string;
  readonly feature: string;
  /** Undefined if the log does not say it. */
  readonly cause: DenialCause | undefined;
  readonly count: number;
}

/** Reads the lines of a log. */
export interface DenialReader {
  /** Lines that are not understood although they are refusals. */
  readonly diagnostics: Diagnostics;
  /** Those that have written to the log. */
  readonly daemons: ReadonlySet<string>;
  /** Lines before the first that count. */
  seek(lines: Iterable<string>): void;
  /** The next lines are the first of another file. */
  beginFile(): void;
  /**
   * The next lines.
   *
   * @param now epoch seconds
   * @param isRecent whether they were written within the last hours, because all lines before were read then
   * @returns refusals that are certain now
   */
  push(lines: Iterable<string>, when: { readonly now: number; readonly isRecent: boolean }): readonly Denials[];
  /** All lines that exist now were read. @returns refusals that are certain now */
  settle(now: number): readonly Denials[];
}

/** A log in which a license manager writes denials. */
export interface DenialLog extends LogKind {
  /** @param localTime of the times in the log @param people gets who was refused and who got a license */
  createReader(localTime: LocalTime, people?: PersonLog): DenialReader;
  /** What is wrong with a file that begins so, after its path, with the remedy. Undefined if nothing is. @param head Latin-1 */
  problemOf(head: string): string | undefined;
}

/** Refused requests since the collection before. */
export interface TakenDenials {
  /**
   * By feature, as the log names it, and cause; a feature without denials is missing. Undefined if they are not known: the log
   * cannot be read, or was not followed since the collection before, or has no line of that daemon.
   */
  of(daemon: string): readonly Denials[] | undefined;
  /** The collection has succeeded. Without it, the next one gets the same denials again. */
  confirm(): void;
}

/** The log, how it is read, and who is told of problems. */
export interface DenialCountOptions {
  /** Epoch seconds. */
  readonly now: () => number;
  /** Seconds; it goes on while the clock is set. */
  readonly elapsed: () => number;
  /** Between looks at the log. A log that is rotated twice between two of them loses lines. */
  readonly intervalMs?: number;
  /** A file server that does not answer holds up a collection no longer. */
  readonly timeoutMs?: number;
  /** Gets who was refused and who got a license. */
  readonly people?: PersonLog | undefined;
  /** For tests. */
  readonly maxBytes?: number;
}

/** Lines between two pauses for other work. */
const BATCH = 200;
/** Looks of one collection, for a log that has grown faster than one look reads. */
const MAX_LOOKS = 16;
const MAX_NAMES = 20_000;

/** Denials by daemon, and by feature and cause. */
type Counts = Map<string, Map<string, Denials>>;

function add(counts: Counts, denials: Denials): void {
  const { daemon, feature, cause, count } = denials;
  const known = counts.get(daemon) ?? new Map<string, Denials>();
  const key = JSON.stringify([feature, cause]);
  const before = known.get(key);
  if (before === undefined && known.size >= MAX_NAMES) return;
  known.set(key, { ...denials, count: (before?.count ?? 0) + count });
  counts.set(daemon, known);
}

/** Whether a log that has no line of its own is surely something else: a page, an output, another file. @param head its beginning */
export const isForeign = (head: string): boolean =>
  /^(?:\xef\xbb\xbf)?\s*(?:<(?:!doctype|html|\?xml)|(?:lmutil|lmstat|rlmutil) - |(?:SERVER|VENDOR|DAEMON|FEATURE|INCREMENT|GROUP|RESERVE) \S)/i.test(
    head,
  );

/** `: of its first 2 lines, none was understood, and the first looks like "<!a a>"`. @param head the beginning of a log */
export function noneOf(head: string): string {
  const lines = head.split('\n').slice(0, -1);
  const first = lines.find((line) => line.trim() !== '') ?? '';
  return `: of its first ${countText(lines.length, 'line')}, none was understood, and the first looks like "${maskOf(withoutControls(first))}"`;
}

const isForkOf = (name: string, daemon: string): boolean =>
  name.startsWith(`${daemon}_`) && /^\d{1,4}$/.test(name.slice(daemon.length + 1));

/** Adds up a daemon and its forks. */
function sumOf(counts: Counts, daemon: string): readonly Denials[] {
  const sum: Counts = new Map();
  for (const [name, known] of counts)
    if (name === daemon || isForkOf(name, daemon))
      for (const denials of known.values()) add(sum, { ...denials, daemon });
  return [...(sum.get(daemon)?.values() ?? [])];
}

/** Counts denials in a log of a license server, which it follows from now on. */
export class DenialCount {
  readonly #kind: DenialLog;
  readonly #path: string;
  readonly #reader: DenialReader;
  readonly #follower: LogFollower;
  readonly #now: () => number;
  readonly #timeoutMs: number;
  readonly #people: PersonLog | undefined;
  readonly #look: () => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  /** Denials that no successful collection has. */
  readonly #counts: Counts = new Map();
  #problem: SourceProblem | undefined;
  #isAtEnd = false;
  /** The log was followed at the last successful collection. */
  #isSinceCollection = false;
  #lastTaken: TakenDenials | undefined;
  #isStopped = false;

  /** @throws RangeError for a time zone or an encoding that does not exist */
  constructor(
    kind: DenialLog,
    { path, encoding, timeZone }: LogSettings,
    { now, elapsed, people, maxBytes = 4 << 20, intervalMs = 10_000, timeoutMs = 10_000 }: DenialCountOptions,
  ) {
    this.#kind = kind;
    this.#path = path;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
    this.#people = people;
    this.#reader = kind.createReader(createLocalTime(timeZone), people);
    this.#follower = new LogFollower({ path, kind, encoding, elapsed, maxBytes });
    this.#look = createLatestOnly(() => this.#lookOnce());
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), intervalMs).unref();
    void this.#look().catch(() => undefined);
  }

  get diagnostics(): Diagnostics {
    return this.#reader.diagnostics;
  }

  /** Why denials are not known now. */
  problem(): SourceProblem | undefined {
    return this.#problem;
  }

  /** The same as a problem of the source, of which the figures are good all the same. */
  problems(): readonly SourceProblem[] {
    // an error keeps its message where a copy does not see it
    return this.#problem === undefined
      ? []
      : [{ kind: this.#problem.kind, message: this.#problem.message, isMinor: true, isFile: true }];
  }

  /** What was written so far counts, except for refusals of the last seconds: they may be false and count next time. */
  async take(): Promise<TakenDenials> {
    const hasRead = await this.#readToEnd();
    const isFollowed = hasRead && this.#problem === undefined;
    const isKnown = isFollowed && this.#isSinceCollection;
    const counts: Counts = new Map();
    if (isKnown) for (const [daemon, known] of this.#counts) counts.set(daemon, new Map(known));
    const daemons = [...this.#reader.daemons];
    const taken: TakenDenials = {
      of: (daemon) =>
        isKnown && daemons.some((name) => name === daemon || isForkOf(name, daemon))
          ? sumOf(counts, daemon)
          : undefined,
      confirm: () => {
        // only once, and not after a later collection
        if (this.#lastTaken !== taken) return;
        this.#lastTaken = undefined;
        this.#isSinceCollection ||= isFollowed;
        this.#remove(counts);
      },
    };
    this.#lastTaken = taken;
    return taken;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#people?.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    // a file server that does not answer cannot be waited for
    const timer = setTimeout(resolve, this.#timeoutMs);
    const closed = this.#look()
      .catch(() => undefined)
      .then(() => this.#follower.close())
      .catch(() => undefined);
    await Promise.race([closed, promise]);
    clearTimeout(timer);
  }

  /** @returns whether everything that was written is counted */
  async #readToEnd(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), this.#timeoutMs);
    try {
      for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
        if ((await Promise.race([this.#look(), promise])) === 'late') {
          this.#problem = {
            kind: 'timeout',
            message: `the ${this.#kind.name} ${this.#path} could not be read within ${this.#timeoutMs / 1000} s; check its file system (NFS)`,
          };
          return false;
        }
        if (this.#isAtEnd) return true;
      }
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async #lookOnce(): Promise<void> {
    if (this.#isStopped) return;
    const look = await this.#follower.look();
    await this.#read(look);
    this.#isAtEnd = look.isAtEnd;
    this.#problem = look.problem ?? this.#problemOfForm(look.head);
  }

  async #read({ pieces, isRecent, isAtEnd }: Look): Promise<void> {
    const now = this.#now();
    for (const { lines, place } of pieces) {
      if (place === 'new') this.#reader.beginFile();
      for (let at = 0; at < lines.length; at += BATCH) {
        const batch = lines.slice(at, at + BATCH);
        if (place === 'before') this.#reader.seek(batch);
        else for (const denials of this.#reader.push(batch, { now, isRecent })) add(this.#counts, denials);
        await pause();
      }
    }
    if (!isAtEnd) return;
    for (const denials of this.#reader.settle(now)) add(this.#counts, denials);
    this.#people?.settle();
  }

  #problemOfForm(head: string | undefined): SourceProblem | undefined {
    const wrong = head === undefined ? undefined : this.#kind.problemOf(head);
    return wrong === undefined ? undefined : { kind: 'unparsed', message: `${this.#path} ${wrong}` };
  }

  #remove(counts: Counts): void {
    for (const [daemon, taken] of counts)
      for (const [key, { count }] of taken) {
        const known = this.#counts.get(daemon);
        const before = known?.get(key);
        if (before !== undefined && before.count > count) known?.set(key, { ...before, count: before.count - count });
        else known?.delete(key);
      }
  }
}

/**
 * Adds the denials of a log. A feature without any had none; which of its versions were asked for, the log does not say,
 * so the first one has them all. The log can spell a feature in other letters.
 *
 * @param denied undefined if they are not known
 */
export function withDenials(
  observation: VendorLicenseObservation,
  denied: readonly Denials[] | undefined,
): VendorLicenseObservation {
  if (denied === undefined) return observation;
  const left = Map.groupBy(denied, ({ feature }) => feature.toLowerCase());
  const pools = observation.pools.map((pool): PoolObservation => {
    const name = pool.feature.toLowerCase();
    const found = left.get(name) ?? [];
    left.delete(name);
    const denialCauses: Partial<Record<DenialCause, number>> = {};
    for (const { cause, count } of found) {
      if (cause !== undefined) denialCauses[cause] = (denialCauses[cause] ?? 0) + count;
    }
    return { ...pool, denials: found.reduce((sum, { count }) => sum + count, 0), denialCauses };
  });
  return { ...observation, pools };
}

/** What is wrong with logs, as a reading finds it. */
export async function checkLogs(
  logs: readonly (readonly [kind: DenialLog, settings: LogSettings])[],
  { now, elapsed }: DenialCountOptions,
): Promise<readonly SourceProblem[]> {
  const found = logs.map(async ([kind, settings]) => {
    const count = new DenialCount(kind, settings, { now, elapsed });
    await count.take();
    await count.stop();
    return count.problems();
  });
  return (await Promise.all(found)).flat();
}
