import type { LocalTime } from '../../model/local-time.ts';
import { timeOf, yearlessTime } from '../times.ts';
import type { RlmStart } from './report.ts';

/** Finds the times of checkouts, which are printed without their year. Many checkouts begin at the same minute. */
export class Dating {
  readonly #reference: number;
  readonly #localTime: LocalTime;
  readonly #known = new Map<number, number | undefined>();

  /** @param reference the time at which the tool ran, epoch seconds */
  constructor(reference: number, localTime: LocalTime) {
    this.#reference = reference;
    this.#localTime = localTime;
  }

  /** Epoch seconds, undefined for a time that does not exist. */
  timeOf(start: RlmStart): number | undefined {
    const { year = 10_000, month, date, hour, minute, second = 0 } = start;
    // each part has the digits that lines can have, a year four
    const key = ((((year * 100 + month) * 100 + date) * 100 + hour) * 100 + minute) * 100 + second;
    if (this.#known.has(key)) return this.#known.get(key);
    const at = this.#find(start);
    this.#known.set(key, at);
    return at;
  }

  #find(start: RlmStart): number | undefined {
    const [reference, localTime] = [this.#reference, this.#localTime];
    if (start.year !== undefined) return timeOf(start.year, start, start, localTime);
    return yearlessTime(start, start, { reference, localTime });
  }
}
