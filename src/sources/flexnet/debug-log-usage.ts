import type { LocalTime } from '../../model/local-time.ts';
import { DiagnosticsCount } from '../lines.ts';
import type { BeginningReader, LogBeginning, UsageEvents, UsageFileReader, UsageLog } from '../log/usage-log.ts';
import { WallClock } from '../log/wall-clock.ts';
import { requestKey } from './debug-log.ts';
import { LogClock } from './debug-log-clock.ts';
import { formOfLog, type LogEvent, type LogLine, readLogLine } from './debug-log-line.ts';
import { RefusedRequests } from './refused-requests.ts';

/** The use of licenses in the debug log of FlexNet (vendor's documentation, "Debug Log Messages" and "Informational Messages"). */

const DAY = 86_400;
const LMGRD = 'lmgrd';

/** Seconds of the local clock since 1970-01-01 00:00. */
const shownAt = (at: number, localTime: LocalTime): number => at + localTime.offsetAt(at);

class BeginningOfDebugLog implements BeginningReader {
  readonly #localTime: LocalTime;
  readonly #clock: LogClock;
  /** What the clock shows at the first line. */
  #first: number | undefined;

  constructor(localTime: LocalTime) {
    this.#localTime = localTime;
    this.#clock = new LogClock(localTime, (seconds) => {
      if (this.#first !== undefined) this.#first += seconds;
    });
  }

  push(lines: Iterable<string>): boolean {
    for (const line of lines) {
      const read = readLogLine(line);
      if (read === undefined) continue;
      const shown = this.#clock.read(read);
      this.#first ??= shown;
      if (this.#clock.isDated) return true;
    }
    return false;
  }

  beginning(writtenAt: number | undefined): LogBeginning | undefined {
    const isGuessed = !this.#clock.isDated;
    if (isGuessed && writtenAt !== undefined) this.#clock.guess(writtenAt);
    if (this.#first === undefined || !this.#clock.isDated) return undefined;
    return { at: new WallClock(this.#localTime).momentOf(this.#first), isGuessed };
  }
}

/**
 * `Server started on lic1 for: cad sim`, and more lines with up to three names, with white space at their ends. A package is
 * `suite (consisting of: cad sim)`.
 */
const SERVES = /^server started on (?:\S+ )?for:(.*)$/i;
const ONLY_NAMES = /^(?:\S+\s+){1,6}$/;
const MAX_SERVED = 10_000;

/** What a line of a daemon says of daemons. */
const BEGINS = /^flex(?:net|lm)\b.* started on\b/i;
const ENDS =
  /^(?:(?:vendor )?daemon shutdown requested|server exiting|license server manager \(lmgrd\) exiting|exiting\b|shutdown\b|shutting down)/i;
/** What `lmgrd` says of another daemon. */
const LMGRD_STARTS = /^(?:re)?started (\S+) \(/i;
const LMGRD_ENDS = /^(?:shutting down (\S+) pid|(\S+) exited with status)/i;

/** `user@host`, and perhaps the process behind it. */
function userOf(client: string): string {
  const end = client.lastIndexOf('@');
  return end > 0 ? client.slice(0, end) : client;
}

class DebugLogUsage implements UsageFileReader {
  readonly diagnostics: DiagnosticsCount;
  readonly #events: UsageEvents;
  readonly #clock: LogClock;
  readonly #wall: WallClock;
  readonly #requests: RefusedRequests<{ readonly daemon: string; readonly feature: string; readonly moment: number }>;
  /** The vendor daemons of this file, by the names in it. */
  readonly #daemons = new Map<string, string>();
  /** The daemon that lists its features now. */
  #listing: string | undefined;
  readonly #served = new Set<string>();
  /** The day of the first line, until it is read. */
  #firstDay: number | undefined;
  #shown = Number.NEGATIVE_INFINITY;
  #moment = 0;

  constructor(
    localTime: LocalTime,
    { at }: LogBeginning,
    events: UsageEvents,
    onUnparsed: ((line: number) => void) | undefined,
  ) {
    this.diagnostics = new DiagnosticsCount(({ line }) => onUnparsed?.(line));
    this.#events = events;
    this.#firstDay = Math.floor(shownAt(at, localTime) / DAY);
    this.#clock = new LogClock(localTime, () => undefined);
    this.#wall = new WallClock(localTime);
    this.#requests = new RefusedRequests(({ what }) => events.denied(what.daemon, what.moment, what.feature));
  }

  push(lines: Iterable<string>): void {
    for (const line of lines) {
      this.diagnostics.startLine();
      const read = readLogLine(line);
      if (read === undefined) continue;
      this.#passTo(read);
      if (read.daemon === undefined) continue;
      if (read.event !== undefined) this.#listing = undefined;
      if (read.event === 'unparsed') this.diagnostics.addUnparsed(line);
      else if (read.event !== undefined) this.#readEvent(read.event, this.#daemonOf(read.daemon));
      else this.#readMessage(read.daemon, read.message);
    }
  }

  end(): void {
    this.#requests.makeCertain(() => true);
  }

  #passTo({ clock, day = this.#firstDay }: LogLine): void {
    this.#firstDay = undefined;
    const shown = this.#clock.read({ clock, day });
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#moment = this.#wall.momentOf(shown);
    this.#requests.passTo(shown);
  }

  /** A daemon that has forked writes `_` and a number after its name. */
  #daemonOf(name: string): string {
    const known = this.#daemons.get(name);
    if (known !== undefined) return known;
    const daemon = [...this.#daemons.keys()].find(
      (other) => name.startsWith(`${other}_`) && /^\d{1,4}$/.test(name.slice(other.length + 1)),
    );
    this.#daemons.set(name, daemon ?? name);
    return daemon ?? name;
  }

  #readEvent(event: LogEvent, daemon: string): void {
    const { kind, feature, client, checkoutData, licenses, counts } = event;
    const at = this.#moment;
    if (kind === 'denied') {
      this.#events.asks(daemon, at, feature);
      const key = client === undefined ? undefined : requestKey(daemon, feature, client);
      this.#requests.refuse(key, { what: { daemon, feature, moment: at }, at: this.#shown, readAt: 0 });
      return;
    }
    if (kind === 'out' && client !== undefined) {
      this.#requests.forget(requestKey(daemon, feature, client));
      // tokens: another feature is checked out, with the wanted one as its data
      if (checkoutData !== undefined) this.#requests.forget(requestKey(daemon, checkoutData, client));
    }
    const change = {
      feature,
      client,
      user: client && userOf(client),
      licenses,
      inUse: counts?.inUse,
      available: counts?.outOf,
    };
    if (kind === 'out') this.#events.out(daemon, at, change);
    else this.#events.in(daemon, at, change);
  }

  #readMessage(name: string, message = ''): void {
    const at = this.#moment;
    if (name !== LMGRD) {
      const daemon = this.#daemonOf(name);
      if (this.#readServed(daemon, message)) return;
      // a fork is only a part of its daemon
      if (daemon !== name) this.#events.runs(daemon, at);
      else if (BEGINS.test(message)) this.#events.starts(daemon, at);
      else if (ENDS.test(message)) this.#events.stops(daemon, at);
      else this.#events.runs(daemon, at);
      return;
    }
    const started = LMGRD_STARTS.exec(message)?.[1];
    const [, shutDown, exited] = LMGRD_ENDS.exec(message) ?? [];
    const ended = shutDown ?? exited;
    if (started !== undefined) this.#events.starts(this.#daemonOf(started), at);
    else if (ended !== undefined) this.#events.stops(this.#daemonOf(ended), at);
    else if (ENDS.test(message)) this.#eachDaemon((daemon) => this.#events.stops(daemon, at));
    else if (BEGINS.test(message)) this.#eachDaemon((daemon) => this.#events.hasEnded(daemon, at));
    else this.#eachDaemon((daemon) => this.#events.runs(daemon, at));
  }

  /** The features that a daemon serves: of one that nobody uses, the log says no more. @returns whether it is such a line */
  #readServed(daemon: string, message: string): boolean {
    const first = SERVES.exec(message)?.[1];
    const isNext = this.#listing === daemon && ONLY_NAMES.test(message);
    this.#listing = undefined;
    if (first === undefined && !isNext) return false;
    if (first !== undefined) this.#events.starts(daemon, this.#moment);
    this.#listing = daemon;
    const names = (first ?? message).replace(/\(consisting of:/gi, '').split(/\s+/);
    for (const feature of names.map((word) => word.replace(/\)$/, ''))) {
      const key = JSON.stringify([daemon, feature]);
      if (feature === '' || this.#served.has(key) || this.#served.size >= MAX_SERVED) continue;
      this.#served.add(key);
      this.#events.serves(daemon, this.#moment, feature);
    }
    return true;
  }

  #eachDaemon(action: (daemon: string) => void): void {
    for (const daemon of new Set(this.#daemons.values())) action(daemon);
  }
}

/** The debug log of FlexNet as a record of use. */
export const debugLogUsage: UsageLog = {
  form: 'FlexNet debug log',
  isForm: (head) => formOfLog(head) === 'debug',
  findBeginning: (localTime) => new BeginningOfDebugLog(localTime),
  readFile: (localTime, beginning, events, onUnparsed) => new DebugLogUsage(localTime, beginning, events, onUnparsed),
};
