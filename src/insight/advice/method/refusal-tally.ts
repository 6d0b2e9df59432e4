import type { RefusalCounts, RefusalTime } from './refusals.ts';
import { HOUR } from './window.ts';

/** Maximum in use of a time for which it is not known. */
export const NO_USE = -1;

const noTime = () => ({
  recordedDays: 0,
  deniedDays: 0,
  days: 0,
  hours: 0,
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
  #others = 0;
  /** Of the day that is being added. */
  #isRegime = false;
  #isFull = false;
  #matchedHours = 0;
  #unmatched = 0;
  #isUnknown = false;
  #isRecorded = false;
  #isDenied = false;

  /** The next day begins. */
  beginDay(isRegime: boolean): void {
    this.#isRegime = isRegime;
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
    if (isFull) {
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
    const isUnknown = this.#isUnknown && this.#matchedHours === 0;
    const isUnclear = this.#unmatched > 0 && this.#matchedHours === 0 && this.#isFull;
    if (!isUnclear) this.#others += this.#unmatched;
    for (const time of this.#isRegime ? [this.#window, this.#regime] : [this.#window]) {
      if (this.#isRecorded) time.recordedDays += 1;
      if (this.#isDenied) time.deniedDays += 1;
      if (this.#matchedHours > 0) time.days += 1;
      time.hours += this.#matchedHours;
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
      maybeReserved: this.#maybeReserved,
      others: this.#others,
    };
  }
}
