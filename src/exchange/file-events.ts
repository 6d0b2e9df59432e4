import type { LicenseEvent, LogBeginning, UsageEvents } from '../sources/log/usage-log.ts';
import { SILENCE } from './daemon-use.ts';
import type { UsageReplay } from './usage-replay.ts';

/** Seconds by which a clock may be set back. More is a file of several logs in the wrong order. */
const DISORDER = 7200;

/** How the lines of a daemon in one file continue those before. */
interface Continuation {
  /** Lines before this time were read from another file. */
  readonly readUntil: number;
  /** Lines of that second that were read too. */
  lines: number;
}

/** What one file of a log adds to a replay: lines that another file has too count once, and what is missing between files is not known. */
export class FileEvents implements UsageEvents {
  /** Lines that were read from another file. */
  repeated = 0;
  /** Lines that are older than those before them in the same file. */
  disordered = 0;
  readonly #replay: UsageReplay;
  readonly #beginning: LogBeginning;
  readonly #known = new Map<string, Continuation>();

  constructor(replay: UsageReplay, beginning: LogBeginning) {
    this.#replay = replay;
    this.#beginning = beginning;
  }

  runs(daemon: string, at: number): void {
    if (this.#isNew(daemon, at, false)) this.#replay.runs(daemon, at);
  }

  starts(daemon: string, at: number): void {
    if (this.#isNew(daemon, at, true)) this.#replay.starts(daemon, at);
  }

  stops(daemon: string, at: number): void {
    if (this.#isNew(daemon, at, false)) this.#replay.stops(daemon, at);
  }

  hasEnded(daemon: string, at: number): void {
    if (this.#isNew(daemon, at, true)) this.#replay.hasEnded(daemon, at);
  }

  out(daemon: string, at: number, event: LicenseEvent): void {
    if (this.#isNew(daemon, at, false)) this.#replay.out(daemon, at, event);
  }

  in(daemon: string, at: number, event: LicenseEvent): void {
    if (this.#isNew(daemon, at, false)) this.#replay.in(daemon, at, event);
  }

  serves(daemon: string, at: number, feature: string): void {
    if (this.#isNew(daemon, at, false)) this.#replay.serves(daemon, at, feature);
  }

  asks(daemon: string, at: number, feature: string): void {
    if (this.#isNew(daemon, at, false)) this.#replay.asks(daemon, at, feature);
  }

  denied(daemon: string, at: number, feature: string): void {
    // its line was seen before
    if (at > (this.#known.get(daemon)?.readUntil ?? Number.POSITIVE_INFINITY)) this.#replay.denied(daemon, at, feature);
  }

  bought(daemon: string, at: number, feature: string, licenses: number): void {
    if (this.#isNew(daemon, at, false)) this.#replay.bought(daemon, at, feature, licenses);
  }

  /** Whether the line was not read before. */
  #isNew(daemon: string, at: number, isStart: boolean): boolean {
    const known = this.#known.get(daemon) ?? this.#begin(daemon, at, isStart);
    if (at < known.readUntil || (at === known.readUntil && known.lines > 0)) {
      if (at === known.readUntil) known.lines -= 1;
      this.repeated += 1;
      return false;
    }
    const { tails } = this.#replay;
    const tail = tails.get(daemon);
    if (tail !== undefined && at < tail.at - DISORDER) {
      this.disordered += 1;
      return false;
    }
    tails.set(daemon, { at, lines: tail?.at === at ? tail.lines + 1 : 1 });
    return true;
  }

  #begin(daemon: string, first: number, isStart: boolean): Continuation {
    const { at } = this.#beginning;
    const tail = this.#replay.tails.get(daemon);
    // files that follow one another may share a second
    const isBehind = tail === undefined || first > tail.at || (first === tail.at && at >= tail.at);
    const continuation = isBehind
      ? { readUntil: Number.NEGATIVE_INFINITY, lines: 0 }
      : { readUntil: tail.at, lines: tail.lines };
    this.#known.set(daemon, continuation);
    // a log that is written to every six hours lacks a file
    const isLost = tail !== undefined && at - tail.at > SILENCE;
    if (isLost) this.#replay.loses(daemon);
    // a daemon that does not start in the file has run before its first line
    if (!isStart && (tail === undefined || isLost)) this.#replay.runs(daemon, at);
    return continuation;
  }
}
