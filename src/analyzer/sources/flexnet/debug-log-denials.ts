import type { LocalTime } from '../../../base/model/local-time.ts';
import type { PersonLog } from '../../blocked/person-log.ts';
import { DiagnosticsCount, MAX_LINE } from '../lines.ts';
import { type DenialLog, type DenialReader, type Denials, isForeign, noneOf } from '../log/denials.ts';
import { MAX_REFUSAL_AGE, MAX_REMEMBERED, type Refusal, RefusedRequests, requestKey } from '../log/refused-requests.ts';
import { LogClock } from './debug-log-clock.ts';
import { formOfLog, type LogEvent, type LogLine, readLogLine } from './debug-log-line.ts';

const MAX_DAEMONS = 200;

/** What a refusal counts for. */
type Refused = Omit<Denials, 'count'>;

/** A daemon that has forked writes `_` and a number after its name (vendor's documentation). */
export const withoutFork = (daemon: string): string => daemon.replace(/_\d{1,4}$/, '');

const keyOf = (daemon: string, feature: string, client: string): string =>
  `${withoutFork(daemon)}\0${requestKey(feature, client)}`;

/**
 * Counts refused requests in the debug log of FlexNet, whose lines have a time but no date. Users and hosts are remembered for
 * a minute of the log at most, and are never returned.
 *
 * A line DENIED counts for any reason; UNSUPPORTED does not (`kinds` in `debug-log-line.ts`). A request counts once a minute, and not
 * at all if it gets the license within 5 seconds. Requests of one user and host are distinguished by the process, which only the
 * verbose form has, and by a checkout between them. Lines have no date: refusals wait until one is known, from the log or because the
 * lines are recent.
 */
export class DebugLogReader implements DenialReader {
  /** Lines that are not understood although they are refusals. */
  readonly diagnostics = new DiagnosticsCount();
  /** Vendor daemons that write to the log what happens, and `lmgrd`. */
  readonly daemons = new Set<string>();
  readonly #clock: LogClock;
  readonly #people: PersonLog | undefined;
  readonly #requests = new RefusedRequests<Refused>((refusal) => this.#count(refusal));
  /** Refusals without a date, by hour and what was refused. */
  readonly #undated = new Map<string, { what: Refused; at: number; count: number }>();
  /** Refusals that are certain. */
  #certain: Denials[] = [];
  #now = 0;
  /** Time of the last line. */
  #at = 0;

  /** @param localTime zone of the log @param people gets who was refused and who got a license */
  constructor(localTime: LocalTime, people?: PersonLog) {
    this.#people = people;
    this.#clock = new LogClock(localTime, (seconds) => this.#shift(seconds));
  }

  /** Reads dates from lines before the first that count. */
  seek(lines: Iterable<string>): void {
    for (const line of lines) {
      const read = readLogLine(line);
      if (read === undefined) continue;
      this.#clock.read(read);
      this.#addDaemon(read);
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
    this.#people?.date(this.#clock.offsetAt(now), now - MAX_REFUSAL_AGE);
    for (const line of lines) {
      const read = readLogLine(line);
      if (read === undefined) {
        if (line.length > MAX_LINE) this.diagnostics.addUnparsed(line);
        continue;
      }
      const at = this.#clock.read(read);
      this.#addDaemon(read);
      if (at !== this.#at) this.#requests.passTo(at);
      this.#at = at;
      if (read.event === 'unparsed') this.diagnostics.addUnparsed(line);
      else if (read.event !== undefined) this.#readEvent(read.event, read.daemon ?? '', at);
    }
    if (isRecent) this.#clock.guess(now);
    this.#people?.date(this.#clock.offsetAt(now), now - MAX_REFUSAL_AGE);
    return this.#taken();
  }

  /**
   * To be called when all lines that exist now were read.
   *
   * @returns refusals that are certain now
   */
  settle(now: number): readonly Denials[] {
    this.#now = now;
    this.#requests.settle(now);
    return this.#taken();
  }

  /** One that starts here may have a `DEBUGLOG` elsewhere: its denials are here only if it writes here what happens. */
  #addDaemon({ daemon, message }: LogLine): void {
    const isWriting = message === undefined || message.startsWith('TIMESTAMP');
    if (daemon !== undefined && isWriting && this.daemons.size < MAX_DAEMONS) this.daemons.add(daemon);
  }

  #readEvent({ kind, feature, client, checkoutData, cause }: LogEvent, daemon: string, at: number): void {
    if (kind === 'in' || this.#clock.isRepeated(at, this.#now)) return;
    if (kind === 'denied') {
      const key = client === undefined ? undefined : keyOf(daemon, feature, client);
      this.#requests.refuse(key, { what: { daemon, feature, cause }, at, readAt: this.#now });
      if (client === undefined || key === undefined) this.#people?.refusedUnnamed({ daemon, feature });
      else this.#people?.refused(key, { daemon, feature, client }, at, cause);
    } else if (client !== undefined) {
      this.#got(daemon, feature, client, at);
      // tokens: another feature is checked out, with the wanted one as its data
      if (checkoutData !== undefined) this.#got(daemon, checkoutData, client, at);
    }
  }

  #got(daemon: string, feature: string, client: string, at: number): void {
    const key = keyOf(daemon, feature, client);
    this.#requests.forget(key);
    this.#people?.got(key, { daemon, feature, client }, at);
  }

  #count({ what, at }: Pick<Refusal<Refused>, 'what' | 'at'>, count = 1): void {
    if (this.#clock.isDated) {
      if (this.#clock.ageOf(at, this.#now) <= MAX_REFUSAL_AGE) this.#certain.push({ ...what, count });
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
    this.#requests.shift(seconds);
    this.#people?.shift(seconds);
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
  createReader: (localTime, people) => new DebugLogReader(localTime, people),
  problemOf: (head) => {
    const form = formOfLog(head);
    if (form === 'debug') return undefined;
    if (form === 'report')
      return `is not text: the REPORT log (REPORTLOG in the options file) is encrypted and cannot be read; set ${remedy}`;
    return form === 'other' || isForeign(head)
      ? `is not a debug log of FlexNet${noneOf(head)}; set ${remedy}`
      : undefined;
  },
};
