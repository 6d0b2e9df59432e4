import type { LocalTime } from '../../model/local-time.ts';
import { DiagnosticsCount } from '../lines.ts';
import type { DenialLog, DenialReader, Denials } from '../log/denial-count.ts';
import { LogClock } from './debug-log-clock.ts';
import { formOfLog, type LogEvent, readLogLine } from './debug-log-line.ts';

/**
 * Seconds in which a client counts once for a feature: clients repeat a refused request each second, and one request can be
 * refused by each INCREMENT line of the feature. Only another process, or a checkout in between, shows another request.
 */
const SAME_REQUEST = 60;
/** A refusal is false if the client gets the license within these seconds, for instance from another pool. */
const FALSE_WITHIN = 5;
/** Older refusals do not count: a log that was not readable for days would count them all at once. A day, and a wrong zone. */
const MAX_AGE = 26 * 3600;
const MAX_DAEMONS = 200;
/** Clients that are remembered, and features that wait for a date. */
const MAX_REMEMBERED = 20_000;

/** The first of the requests of a client that count once. */
interface Refusal {
  readonly what: Omit<Denials, 'count'>;
  /** Seconds of the log. */
  at: number;
  readonly readAt: number;
}

/** A daemon that has forked writes `_` and a number after its name (vendor's documentation). */
const withoutFork = (daemon: string): string => daemon.replace(/_\d{1,4}$/, '');

/**
 * Counts refused requests in the debug log of FlexNet, whose lines have a time but no date. Users and hosts are remembered for
 * a minute of the log at most, and are never returned.
 *
 * A line DENIED counts for any reason; UNSUPPORTED does not. A request counts once a minute, and not at all if it
 * gets the license within 5 seconds. Requests of one user and host are distinguished by the process, which only the verbose form
 * has, and by a checkout between them. Lines have no date: refusals wait until one is known, from the log or because
 * the lines are recent.
 */
export class DebugLogReader implements DenialReader {
  /** Lines that are not understood although they are refusals. */
  readonly diagnostics = new DiagnosticsCount();
  /** Vendor daemons, and `lmgrd`, that have written to the log. */
  readonly daemons = new Set<string>();
  readonly #clock: LogClock;
  /** By client and feature, the oldest first: those that count once, and of them those that may be false still. */
  readonly #refusals = new Map<string, Refusal>();
  readonly #uncertain = new Map<string, Refusal>();
  /** Refusals without a date, by hour and what was refused. */
  readonly #undated = new Map<string, { what: Refusal['what']; at: number; count: number }>();
  /** Refusals that are certain. */
  #certain: Denials[] = [];
  #now = 0;
  /** Time of the last line. */
  #at = 0;

  /** @param localTime zone of the log */
  constructor(localTime: LocalTime) {
    this.#clock = new LogClock(localTime, (seconds) => this.#shift(seconds));
  }

  /** Reads dates from lines before the first that count. */
  seek(lines: Iterable<string>): void {
    for (const line of lines) {
      const read = readLogLine(line);
      if (read === undefined) continue;
      this.#clock.read(read);
      this.#addDaemon(read.daemon);
    }
  }

  /** The next lines are the first of another file. What was read before does not count again if it stands there too. */
  beginFile(): void {
    this.#clock.beginFile();
  }

  /**
   * Reads the next lines.
   *
   * @param now epoch seconds
   * @param isRecent whether they were written within the last hours, because all lines before were read then
   * @returns refusals that are certain now
   */
  push(lines: Iterable<string>, { now, isRecent }: { now: number; isRecent: boolean }): readonly Denials[] {
    this.#now = now;
    for (const line of lines) {
      const read = readLogLine(line);
      if (read === undefined) continue;
      const at = this.#clock.read(read);
      this.#addDaemon(read.daemon);
      if (at !== this.#at) this.#makeCertain(({ at: since }) => at - since > FALSE_WITHIN || at < since - SAME_REQUEST);
      this.#at = at;
      if (read.event === 'unparsed') this.diagnostics.addUnparsed(line);
      else if (read.event !== undefined) this.#readEvent(read.event, read.daemon ?? '', at);
    }
    if (isRecent) this.#clock.guess(now);
    return this.#taken();
  }

  /**
   * To be called when all lines that exist now were read.
   *
   * @returns refusals that are certain now
   */
  settle(now: number): readonly Denials[] {
    this.#now = now;
    this.#makeCertain(({ readAt }) => now - readAt > FALSE_WITHIN);
    return this.#taken();
  }

  #addDaemon(daemon: string | undefined): void {
    if (daemon !== undefined && this.daemons.size < MAX_DAEMONS) this.daemons.add(daemon);
  }

  #readEvent({ kind, feature, client, checkoutData, cause }: LogEvent, daemon: string, at: number): void {
    const keyOf = (name: string): string => `${withoutFork(daemon)}\0${name}\0${client}`;
    if (kind === 'denied')
      this.#readRefusal(keyOf(feature), { what: { daemon, feature, cause }, at, readAt: this.#now }, client);
    else if (client !== undefined && this.#refusals.size > 0) {
      this.#forget(keyOf(feature));
      // tokens: another feature is checked out, with the wanted one as its data
      if (checkoutData !== undefined) this.#forget(keyOf(checkoutData));
    }
  }

  #readRefusal(key: string, refusal: Refusal, client: string | undefined): void {
    if (this.#clock.isRepeated(refusal.at, this.#now)) return;
    if (client === undefined) {
      this.#count(refusal);
      return;
    }
    const known = this.#refusals.get(key);
    if (known !== undefined && Math.abs(refusal.at - known.at) <= SAME_REQUEST) return;
    this.#remove(key);
    this.#removeOld(refusal.at);
    this.#refusals.set(key, refusal);
    this.#uncertain.set(key, refusal);
  }

  #removeOld(now: number): void {
    // several at once, because each search for the oldest passes those that were removed
    const most = this.#refusals.size < MAX_REMEMBERED ? MAX_REMEMBERED : MAX_REMEMBERED / 2;
    for (const [key, { at }] of this.#refusals) {
      if (Math.abs(now - at) <= SAME_REQUEST && this.#refusals.size <= most) return;
      this.#remove(key);
    }
  }

  /** The minute of a client is over. */
  #remove(key: string): void {
    this.#refusals.delete(key);
    const uncertain = this.#uncertain.get(key);
    if (!this.#uncertain.delete(key) || uncertain === undefined) return;
    this.#count(uncertain);
  }

  /** The client got its license: what is refused from now on is another request. One that is certain counts. */
  #forget(key: string): void {
    this.#uncertain.delete(key);
    this.#refusals.delete(key);
  }

  #makeCertain(isCertain: (refusal: Refusal) => boolean): void {
    for (const [key, refusal] of this.#uncertain) {
      if (!isCertain(refusal)) return;
      this.#uncertain.delete(key);
      this.#count(refusal);
    }
  }

  #count({ what, at }: Pick<Refusal, 'what' | 'at'>, count = 1): void {
    if (this.#clock.isDated) {
      if (this.#clock.ageOf(at, this.#now) <= MAX_AGE) this.#certain.push({ ...what, count });
      return;
    }
    const key = [Math.floor(at / 3600), what.daemon, what.feature, what.cause].join('\0');
    const waiting = this.#undated.get(key);
    if (waiting !== undefined) waiting.count += count;
    else if (this.#undated.size < MAX_REMEMBERED) this.#undated.set(key, { what, at, count });
    else this.diagnostics.addContradiction();
  }

  /** The log has a date now, or another one than was guessed. */
  #shift(seconds: number): void {
    for (const refusal of this.#refusals.values()) refusal.at += seconds;
    for (const waiting of this.#undated.values()) waiting.at += seconds;
  }

  #taken(): readonly Denials[] {
    if (this.#clock.isDated) {
      for (const { count, ...waiting } of this.#undated.values()) this.#count(waiting, count);
      this.#undated.clear();
    }
    const certain = this.#certain;
    this.#certain = [];
    return certain;
  }
}

const remedy =
  'the path that follows -l in the command line of lmgrd, or DEBUGLOG in the options file of the vendor daemon';

/** The debug log of FlexNet as a log of denials. */
export const debugLog: DenialLog = {
  name: 'debug log',
  remedy,
  createReader: (localTime) => new DebugLogReader(localTime),
  problemOf: (head) => {
    const form = formOfLog(head);
    if (form === 'report')
      return `is not text: the REPORT log (REPORTLOG in the options file) is encrypted and cannot be read; set ${remedy}`;
    return form === 'other' ? `is not a debug log of FlexNet; set ${remedy}` : undefined;
  },
};
