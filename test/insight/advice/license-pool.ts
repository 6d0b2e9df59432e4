import type { DemandDay, DemandHour } from '../../support/drawn-demand.ts';
import { createRandom, type Random } from '../../support/random.ts';

/** A pool of licenses with sessions and refused requests: what is not granted does not show in its use. */

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Seconds between two samples. */
const INTERVAL = 300;

/** A request for a license, and how long it would be held. Seconds of the day. */
interface Wish {
  readonly at: number;
  readonly seconds: number;
  /** Times that it is requested again if it is refused. */
  readonly retries: number;
}

/** The requests of a day. Days count from a Monday. */
export type Wishes = (day: number, random: Random) => Wish[];

const isWorkday = (day: number): boolean => day % 7 < 5;
/** Office hours, with fewer requests at noon. */
function officeTime(random: Random): number {
  const hour = 7 + 10 * ((random.next() + random.next()) / 2);
  return Math.floor((hour > 12 && hour < 13 ? hour + 1.2 : hour) * HOUR);
}
const length = (random: Random, mean: number): number => Math.ceil(-Math.log(1 - random.next()) * mean);
const retries = (random: Random): number => (random.next() < 0.6 ? 3 : 0);

/** Independent sessions. */
export const sessions =
  (perDay: number, { mean = 1.5 * HOUR, isBatch = false } = {}): Wishes =>
  (day, random) => {
    const share = isBatch || isWorkday(day) ? 1 : 0.08;
    return Array.from({ length: random.poisson(perDay * share * Math.exp(0.06 * random.normal())) }, () => ({
      at: isBatch ? Math.floor(random.next() * DAY) : officeTime(random),
      seconds: length(random, mean),
      retries: retries(random),
    }));
  };

/** People, each with at most one license at a time; on some days of a month, half as many again. */
export const people =
  (count: number, { waves = false } = {}): Wishes =>
  (day, random) => {
    const isWave = waves && day % 30 < 3;
    const present = isWorkday(day) ? Math.round(count * (isWave ? 1.5 : 1)) : Math.round(count * 0.05);
    return Array.from({ length: present }, () => random.next() < 0.72)
      .filter((isThere) => isThere)
      .flatMap(() => {
        const first = { at: officeTime(random), seconds: length(random, 2 * HOUR), retries: retries(random) };
        const at = first.at + first.seconds + length(random, HOUR);
        return at > 19 * HOUR ? [first] : [first, { at, seconds: length(random, HOUR), retries: retries(random) }];
      });
  };

export interface PoolYear {
  readonly days: readonly DemandDay[];
  readonly refusalDays: number;
  readonly peak: number;
}

/** Sessions run on into the next day. */
export class LicensePool {
  readonly #wishes: Wishes;
  readonly #random: Random;
  /** When the sessions in progress end, from the start of the day. */
  #ends: number[] = [];
  #day = 0;

  constructor(wishes: Wishes, seed: number) {
    this.#wishes = wishes;
    this.#random = createRandom(seed);
  }

  /** Runs some days with a number of licenses. */
  run(days: number, licenses: number, firstDay: number): PoolYear {
    const result: DemandDay[] = [];
    let refusalDays = 0;
    let peak = 0;
    for (let i = 0; i < days; i += 1) {
      const { denials, samples } = this.#runDay(licenses);
      if (denials.some((count) => count > 0)) refusalDays += 1;
      peak = Math.max(peak, ...samples);
      result.push({ day: firstDay + i, hours: hoursOf(samples, denials, licenses) });
    }
    return { days: result, refusalDays, peak };
  }

  #runDay(licenses: number): { denials: number[]; samples: number[] } {
    const queue = this.#wishes(this.#day, this.#random).sort((a, b) => a.at - b.at);
    const again: Wish[] = [];
    const denials = new Array<number>(24).fill(0);
    const samples: number[] = [];
    this.#day += 1;
    const take = (until: number): Wish | undefined => {
      const [a, b] = [queue[0], again[0]];
      const next = b === undefined || (a !== undefined && a.at <= b.at) ? queue : again;
      return (next[0]?.at ?? Number.POSITIVE_INFINITY) <= until ? next.shift() : undefined;
    };
    for (let at = 0; at < DAY; at += INTERVAL) {
      for (let wish = take(at); wish !== undefined; wish = take(at)) {
        const { at: now, seconds, retries: left } = wish;
        this.#ends = this.#ends.filter((end) => end > now);
        if (this.#ends.length < licenses) this.#ends.push(now + seconds);
        else {
          const hour = Math.floor(now / HOUR);
          denials[hour] = (denials[hour] ?? 0) + 1;
          // all wait for the same time, so they stay in order
          if (left > 0) again.push({ at: now + 600, seconds, retries: left - 1 });
        }
      }
      this.#ends = this.#ends.filter((end) => end > at);
      samples.push(this.#ends.length);
    }
    this.#ends = this.#ends.map((end) => end - DAY);
    return { denials, samples };
  }
}

function hoursOf(samples: readonly number[], denials: readonly number[], available: number): DemandHour[] {
  const perHour = HOUR / INTERVAL;
  return denials.map((count, hour) => {
    const seconds = new Map<number, number>();
    for (const inUse of samples.slice(hour * perHour, (hour + 1) * perHour)) {
      seconds.set(inUse, (seconds.get(inUse) ?? 0) + INTERVAL);
    }
    return { hour, available, reserved: 0, denials: count, levels: [...seconds].sort(([a], [b]) => b - a) };
  });
}
