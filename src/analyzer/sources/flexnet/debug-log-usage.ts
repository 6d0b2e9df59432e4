import type { LocalTime } from '../../../base/model/local-time.ts';
import { DiagnosticsCount, MAX_LINE } from '../lines.ts';
import { SaidInUse } from '../log/said-in-use.ts';
import type { BeginningReader, LogBeginning, UsageEvents, UsageFileReader, UsageLog } from '../log/usage-log.ts';
import { shownAt, WallClock } from '../log/wall-clock.ts';
import { LogClock } from './debug-log-clock.ts';
import { formOfLog, type LogEvent, type LogLine, readLogLine, userOf, withoutJournal } from './debug-log-line.ts';

/** The use of licenses in the debug log of FlexNet (vendor's documentation, "Debug Log Messages" and "Informational Messages"). */

const DAY = 86_400;
const LMGRD = 'lmgrd';

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
    if (isGuessed && writtenAt !== undefined) this.#clock.guessFrom(writtenAt);
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

/** `FlexNet Licensing (v11.19.6 …) started on lic1 (linux) (8/3/2026)`, `Server started on lic1 for: …` */
const HOST = /^(?:server|flex(?:net|lm)\b.*) started on ([^\s()]{1,253}) (?:for:|\()/i;
/** What `lmgrd` says of a group of redundant servers. */
const SERVING = /^connected, master is ([^\s()]{1,253})/i;

/** Written every six hours. */
const STAMP = /^TIMESTAMP\b/;
const REREADS = /\breread/i;
/** Seconds in which a license file is read again. */
const SAME_REREAD = 60;
/** What a line of a daemon says of daemons. */
const BEGINS = /^flex(?:net|lm)\b.* started on\b|^flex(?:net|lm) licensing version\b/i;
const ENDS =
  /^(?:(?:vendor )?daemon shutdown requested|server exiting|license server manager \(lmgrd\) exiting|exiting\b|shutdown\b|shutting down)/i;
/** What `lmgrd` says of another daemon. */
const LMGRD_STARTS = /^(?:re)?started (\S+) \(/i;
const LMGRD_ENDS = /^(?:shutting down (\S+) pid|(\S+) exited with status)/i;

/** A line of a daemon that does not begin with its time, or was made a comment. */
const STRAY = /^\s*#|\([^\s()]{1,64}\) (?:OUT|IN|DENIED): /;

class DebugLogUsage implements UsageFileReader {
  readonly diagnostics: DiagnosticsCount;
  readonly #events: UsageEvents;
  readonly #clock: LogClock;
  readonly #wall: WallClock;
  /** The vendor daemons of this file, by the names in it. */
  readonly #daemons = new Map<string, string>();
  /** Those that write here what happens. Of another one, whose `DEBUGLOG` is elsewhere, only the start is here. */
  readonly #writing = new Set<string>();
  /** The daemon that lists its features now. */
  #listing: string | undefined;
  readonly #served = new Set<string>();
  /** Assumed: the verbose form says how many licenses of all versions of a feature are in use after the line, or else it contradicts itself. */
  readonly #said = new SaidInUse(() => this.diagnostics.addContradiction());
  #rereadAt = Number.NEGATIVE_INFINITY;
  /** The day of the first line, until it is read. */
  #firstDay: number | undefined;
  #shown = Number.NEGATIVE_INFINITY;
  #moment = Number.NEGATIVE_INFINITY;

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
  }

  push(lines: Iterable<string>): void {
    for (const line of lines) {
      this.diagnostics.startLine();
      const read = readLogLine(line);
      if (read === undefined) {
        if (line.length > MAX_LINE || STRAY.test(line)) this.diagnostics.addUnparsed(line);
        continue;
      }
      this.#passTo(read);
      if (read.daemon === undefined) continue;
      if (read.event !== undefined) this.#listing = undefined;
      if (read.event === 'unparsed') this.diagnostics.addUnparsed(line);
      else if (read.event !== undefined) this.#readEvent(read.event, this.#daemonOf(read.daemon));
      else this.#readMessage(read.daemon, read.message);
    }
  }

  end(): void {}

  get lastAt(): number {
    return this.#moment;
  }

  #passTo({ clock, day = this.#firstDay }: LogLine): void {
    this.#firstDay = undefined;
    const shown = this.#clock.read({ clock, day });
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#moment = this.#wall.momentOf(shown);
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
    this.#writing.add(daemon);
    if (kind === 'denied') {
      this.#events.denied(daemon, at, event);
      return;
    }
    const change = {
      feature,
      client,
      user: client && userOf(client),
      askedFor: checkoutData,
      licenses,
      inUse: counts?.inUse,
      available: counts?.outOf,
    };
    if (counts !== undefined || !this.#said.isEmpty)
      this.#said.change(`${daemon}\0${feature}`, kind === 'out' ? licenses : -licenses, counts?.inUse);
    if (kind === 'out') this.#events.out(daemon, at, change);
    else this.#events.in(daemon, at, change);
  }

  #readMessage(name: string, message = ''): void {
    const at = this.#moment;
    if (REREADS.test(message)) this.#rereadAt = at;
    const host = HOST.exec(message)?.[1];
    if (host !== undefined) this.#events.isOn(host, at);
    if (name !== LMGRD) {
      const daemon = this.#daemonOf(name);
      if (STAMP.test(message)) this.#writing.add(daemon);
      if (this.#readServed(daemon, message)) return;
      // a fork is only a part of its daemon
      if (daemon !== name) this.#events.runs(daemon, at);
      else if (BEGINS.test(message)) this.#starts(daemon);
      else if (ENDS.test(message)) this.#events.stops(daemon, at);
      else this.#events.runs(daemon, at);
      return;
    }
    const serving = SERVING.exec(message)?.[1];
    if (serving !== undefined) this.#events.serving(serving, at);
    const started = LMGRD_STARTS.exec(message)?.[1];
    const [, shutDown, exited] = LMGRD_ENDS.exec(message) ?? [];
    const ended = shutDown ?? exited;
    if (started !== undefined) this.#starts(this.#daemonOf(started));
    else if (ended !== undefined) this.#events.stops(this.#daemonOf(ended), at);
    else if (ENDS.test(message)) this.#eachDaemon((daemon) => this.#events.stops(daemon, at));
    else if (BEGINS.test(message)) this.#eachDaemon((daemon) => this.#events.hasEnded(daemon, at));
    // what it writes before it says that it has started would reach back over the time in which it did not run
    else if (STAMP.test(message)) for (const daemon of this.#writing) this.#events.runs(daemon, at);
  }

  #starts(daemon: string): void {
    this.#said.clear();
    this.#events.starts(daemon, this.#moment);
  }

  /** The features that a daemon serves: of one that nobody uses, the log says no more. @returns whether it is such a line */
  #readServed(daemon: string, message: string): boolean {
    const first = SERVES.exec(message)?.[1];
    const isNext = this.#listing === daemon && ONLY_NAMES.test(message);
    this.#listing = undefined;
    if (first === undefined && !isNext) return false;
    // a daemon lists its features when it starts, and whenever it reads the license file again
    if (first !== undefined && this.#moment > this.#rereadAt + SAME_REREAD) this.#starts(daemon);
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
  refusalOf: (head) =>
    formOfLog(head) === 'report'
      ? 'is not text; the REPORT log of a vendor daemon (REPORTLOG in its options file) is encrypted and cannot be read: pass the debug log'
      : undefined,
  ownLine: withoutJournal,
  userOf,
  findBeginning: (localTime) => new BeginningOfDebugLog(localTime),
  readFile: (localTime, beginning, events, onUnparsed) => new DebugLogUsage(localTime, beginning, events, onUnparsed),
};
