import type { LocalTime } from '../../../base/model/local-time.ts';

const DAY = 86_400;
const HOUR = 3600;
/** Writers of one log may be out of order by seconds. */
const DISORDER = 60;

/** Seconds that a clock on the wall shows since 1970-01-01 00:00. */
export const shownAt = (at: number, localTime: LocalTime): number => at + localTime.offsetAt(at);

/** The moments at which a clock on the wall shows times, one after the other: of those that it shows twice, the second one too. */
export class WallClock {
  readonly #localTime: LocalTime;
  #day = Number.NaN;
  #start = 0;
  /** Whether the clock is changed on that day. */
  #isChanged = false;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(localTime: LocalTime) {
    this.#localTime = localTime;
  }

  /**
   * The moment of the next line, epoch seconds.
   *
   * @param shown seconds that the clock shows since 1970-01-01 00:00
   */
  momentOf(shown: number): number {
    const day = Math.floor(shown / DAY);
    if (day !== this.#day) this.#begin(day);
    const clock = shown - day * DAY;
    const at = this.#isChanged ? this.#onChangedDay(day, clock) : this.#start + clock;
    this.#newest = Math.max(this.#newest, at);
    return at;
  }

  #begin(day: number): void {
    this.#day = day;
    this.#start = this.#localTime.startOf(day);
    this.#isChanged = this.#localTime.startOf(day + 1) - this.#start !== DAY;
  }

  #onChangedDay(day: number, clock: number): number {
    const hours = this.#localTime.hoursOf(day);
    const i = hours.findLastIndex((one) => one.hour * HOUR <= clock);
    const { start } = hours[i] ?? { start: this.#start };
    const length = (hours[i + 1]?.start ?? this.#localTime.startOf(day + 1)) - start;
    // the clock may have been put forward by less than an hour
    const shown = start + this.#localTime.offsetAt(start) - day * DAY;
    const first = start + Math.min(Math.max(0, clock - shown), length);
    const again = length - HOUR;
    // it shows the time a second time if it went back since the last line
    return again > 0 && first < this.#newest - DISORDER && first + again >= this.#newest - DISORDER
      ? first + again
      : first;
  }
}
