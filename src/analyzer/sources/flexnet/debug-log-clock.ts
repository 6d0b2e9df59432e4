import type { LocalTime } from '../../../base/model/local-time.ts';
import type { LogLine } from './debug-log-line.ts';

const DAY = 86_400;
const HALF_DAY = DAY / 2;
/** Daemons that write to one log may be out of order by seconds. */
const DISORDER = 60;

/**
 * The time of a debug log, whose lines have no date. It counts seconds of the local clock, without its changes in spring and
 * autumn; the days count from the first line until a date is known.
 */
export class LogClock {
  readonly #localTime: LocalTime;
  readonly #onShift: (seconds: number) => void;
  #day = 0;
  /** Of the last line. */
  #clock: number | undefined;
  #datedBy: 'nothing' | 'guess' | 'log' = 'nothing';
  /** The newest time. */
  #newest = -Infinity;
  /** The newest time of the files before. */
  #newestBefore = -Infinity;

  /** @param onShift called when all times that were returned are wrong by as many seconds */
  constructor(localTime: LocalTime, onShift: (seconds: number) => void) {
    this.#localTime = localTime;
    this.#onShift = onShift;
  }

  get isDated(): boolean {
    return this.#datedBy !== 'nothing';
  }

  /** The time of the next line. */
  read({ clock, day }: Pick<LogLine, 'clock' | 'day'>): number {
    const last = this.#clock;
    // the day has changed, but another daemon is late
    const isLate = day === undefined && last !== undefined && clock > DAY - DISORDER && last < DISORDER;
    if (isLate) return (this.#day - 1) * DAY + clock;
    if (last !== undefined && last - clock > HALF_DAY) this.#day += 1;
    this.#clock = clock;
    if (day !== undefined) this.#setDay(day);
    const at = this.#day * DAY + clock;
    this.#newest = Math.max(this.#newest, at);
    return at;
  }

  beginFile(): void {
    this.#newestBefore = this.#newest;
  }

  /** The last line was written about now: without a date, it is of the day for which this is true. */
  guess(now: number): void {
    if (this.isDated || this.#clock === undefined) return;
    this.#setDay(Math.round((this.#localNow(now) - this.#clock) / DAY));
    this.#datedBy = 'guess';
  }

  /** The last line is no younger than its file, of which the clock may be another one: it is of the last day for which this is true. */
  guessFrom(writtenAt: number): void {
    if (this.isDated || this.#clock === undefined) return;
    this.#setDay(Math.floor((this.#localNow(writtenAt) + DISORDER - this.#clock) / DAY));
    this.#datedBy = 'guess';
  }

  /** Whether a line of that time was read from a file before: an edited copy begins with old lines. */
  isRepeated(at: number, now: number): boolean {
    const newest = this.isDated ? Math.min(this.#newestBefore, this.#localNow(now)) : this.#newestBefore;
    return at < newest - DISORDER;
  }

  /** Seconds, for times of a dated log. */
  ageOf(at: number, now: number): number {
    return this.#localNow(now) - at;
  }

  /** From times of the log to epoch seconds; undefined while it has no date. */
  offsetAt(now: number): number | undefined {
    return this.isDated ? now - this.#localNow(now) : undefined;
  }

  #localNow(now: number): number {
    const day = this.#localTime.dayOf(now);
    return day * DAY + now - this.#localTime.startOf(day);
  }

  #setDay(day: number): void {
    const shift = (day - this.#day) * DAY;
    this.#day = day;
    if (this.#datedBy !== 'log') {
      // all lines before are of the same series of days
      this.#newest += shift;
      this.#newestBefore += shift;
      if (shift !== 0) this.#onShift(shift);
    } else if (shift < 0) {
      this.#newest = day * DAY + (this.#clock ?? 0);
    }
    this.#datedBy = 'log';
  }
}
