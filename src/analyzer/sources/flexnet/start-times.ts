import type { LocalTime } from '../../../base/model/local-time.ts';
import { timeOf, yearlessTime } from '../times.ts';
import type { KeptText } from './kept-text.ts';
import type { TextBlock } from './text-block.ts';

const START = /^(?:([a-z]{3}) )?(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))? (\d{1,2}):(\d{2})(?::(\d{2}))?$/i;
const MAX_KNOWN = 50_000;

interface Start {
  readonly at: number | undefined;
  readonly isUnderstood: boolean;
}

/** Times of checkouts, `Fri 10/20 16:44`. Most of them are printed many times. */
export class StartTimes {
  readonly #localTime: LocalTime;
  readonly #kept: KeptText;
  readonly #known = new Map<string, Start>();
  #reference: number;

  constructor(localTime: LocalTime, reference: number, kept: KeptText) {
    this.#localTime = localTime;
    this.#reference = reference;
    this.#kept = kept;
  }

  /** The time relative to which years are found. */
  set reference(at: number) {
    this.#reference = at;
    this.#known.clear();
  }

  /** The time between two positions of a text. It can have the form of a time and still fit no year. */
  find(block: TextBlock, from: number, to: number): Start {
    const written = this.#kept.keep(block, from, to);
    const known = this.#known.get(written);
    if (known !== undefined) return known;
    const start = this.#read(written);
    if (this.#known.size < MAX_KNOWN) this.#known.set(written, start);
    return start;
  }

  #read(written: string): Start {
    const [found, weekday, month, date, year, hour, minute, second = '0'] = START.exec(written) ?? [];
    if (found === undefined) return { at: undefined, isUnderstood: false };
    const day = { month: Number(month), date: Number(date) };
    const clock = { hour: Number(hour), minute: Number(minute), second: Number(second) };
    const localTime = this.#localTime;
    const at =
      year === undefined
        ? yearlessTime(day, clock, { reference: this.#reference, localTime, weekday })
        : timeOf(Number(year), day, clock, localTime);
    return { at, isUnderstood: true };
  }
}
