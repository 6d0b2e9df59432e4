import type { BlockedCause, EndedWaits } from '../../../base/model/observation/observation.ts';
import type { RefusalCounts, RefusalTime, Waited } from './refusals.ts';
import { HOUR } from './window.ts';

/** Maximum in use of a time for which it is not known. */
export const NO_USE = -1;

/**
 * What the refusals of a day are, by what its people waited for.
 *
 * - `want`: licenses were wanting
 * - `by hours`: they were if all of them were in use in the hour of the refusal
 * - `reserved`: others had free ones reserved
 * - `other`: no more licenses are needed for them
 */
type Meaning = 'want' | 'by hours' | 'reserved' | 'other';

const meanings: Readonly<Record<BlockedCause, Meaning>> = {
  all_busy: 'want',
  all_in_use: 'by hours',
  unknown: 'by hours',
  reserved_for_others: 'reserved',
  free_elsewhere: 'other',
  held_idle: 'other',
  expired: 'other',
  not_licensed: 'other',
  not_permitted: 'other',
  other: 'other',
};
const byWeight: readonly Meaning[] = ['want', 'by hours', 'reserved'];

/** @param waits undefined if people are not known */
function meaningOf(waits: readonly EndedWaits[] | undefined): Meaning {
  if (waits === undefined) return 'by hours';
  const found = new Set(waits.map(({ cause }) => meanings[cause]));
  // nobody waited, although requests were refused: each of them was granted at once, or waits until the next day
  return byWeight.find((meaning) => found.has(meaning)) ?? 'other';
}

const noTime = () => ({
  recordedDays: 0,
  deniedDays: 0,
  days: 0,
  hours: 0,
  reservedDays: 0,
  unclearDays: 0,
  unknownDays: 0,
});

/** Counts refusals hour by hour, and decides about each day at its end. */
export class RefusalTally {
  readonly #window = noTime();
  readonly #regime = noTime();
  #recordedSeconds = 0;
  #regimeSeconds = 0;
  #requests: number | undefined;
  #withReserved = 0;
  #maybeReserved = 0;
  #reservedHours = 0;
  #others = 0;
  readonly #waited = new Map<BlockedCause, Waited>();
  /** Of the day that is being added. */
  #isRegime = false;
  #meaning: Meaning = 'by hours';
  #isFull = false;
  #matchedHours = 0;
  #unmatched = 0;
  #isUnknown = false;
  #isRecorded = false;
  #isDenied = false;

  /** The next day begins. @param waits of its people; undefined if they are not known */
  beginDay(isRegime: boolean, waits: readonly EndedWaits[] | undefined): void {
    this.#isRegime = isRegime;
    this.#meaning = meaningOf(waits);
    for (const { cause, episodes, seconds } of waits ?? []) {
      const before = this.#waited.get(cause) ?? { episodes: 0, seconds: 0 };
      this.#waited.set(cause, { episodes: before.episodes + episodes, seconds: before.seconds + seconds });
    }
  }

  /**
   * NaN is unknown.
   *
   * @param most maximum in use of the hour, or NO_USE if it is not known
   */
  addHour(available: number, reserved: number, denials: number, most: number, seconds: number): void {
    const isRegime = this.#isRegime;
    const isFull = available > 0 && most >= available - (Number.isNaN(reserved) ? 0 : reserved);
    if (isFull) this.#isFull = true;
    if (isRegime) this.#regimeSeconds += seconds;
    if (Number.isNaN(denials)) return;
    if (isRegime) this.#recordedSeconds += seconds;
    this.#isRecorded = true;
    this.#requests = (this.#requests ?? 0) + denials;
    if (denials === 0) return;
    this.#isDenied = true;
    if (this.#meaning === 'reserved' || this.#meaning === 'other') {
      this.#others += denials;
      if (isRegime && this.#meaning === 'reserved') this.#reservedHours += 1;
    } else if (isFull) {
      this.#matchedHours += 1;
      if (isRegime && most < available) this.#withReserved += 1;
    } else if (available === 0) {
      // expired: no license was wanting
      this.#others += denials;
    } else if (Number.isNaN(available) || Number.isNaN(reserved) || most === NO_USE) {
      this.#isUnknown = true;
      if (isRegime && available > 0 && most !== NO_USE) this.#maybeReserved += denials;
    } else {
      this.#unmatched += denials;
    }
  }

  endDay(): void {
    // the log and a collection say it, also where hours do not show it
    if (this.#meaning === 'want') {
      this.#isRecorded = true;
      this.#isDenied = true;
      this.#matchedHours = Math.max(1, this.#matchedHours);
    }
    const isUnknown = this.#isUnknown && this.#matchedHours === 0;
    const isUnclear = this.#unmatched > 0 && this.#matchedHours === 0 && this.#isFull;
    if (!isUnclear) this.#others += this.#unmatched;
    for (const time of this.#isRegime ? [this.#window, this.#regime] : [this.#window]) {
      if (this.#isRecorded) time.recordedDays += 1;
      if (this.#isDenied) time.deniedDays += 1;
      if (this.#matchedHours > 0) time.days += 1;
      time.hours += this.#matchedHours;
      if (this.#meaning === 'reserved') time.reservedDays += 1;
      if (isUnclear && !isUnknown) time.unclearDays += 1;
      if (isUnknown) time.unknownDays += 1;
    }
    this.#isFull = false;
    this.#isUnknown = false;
    this.#isRecorded = false;
    this.#isDenied = false;
    this.#matchedHours = 0;
    this.#unmatched = 0;
  }

  /** @param hasHours whether what was added are hours, and not days */
  counts(hasHours: boolean): RefusalCounts {
    const timeOf = ({ hours, ...days }: ReturnType<typeof noTime>): RefusalTime => ({
      ...days,
      hours: hasHours ? hours : undefined,
    });
    return {
      window: timeOf(this.#window),
      regime: timeOf(this.#regime),
      recordedHours: this.#recordedSeconds / HOUR,
      regimeHours: this.#regimeSeconds / HOUR,
      requests: this.#requests,
      withReserved: this.#withReserved,
      reservedHours: this.#reservedHours,
      maybeReserved: this.#maybeReserved,
      others: this.#others,
      waited: this.#waited,
    };
  }
}
