import { type DayOfSamples, isSum, type Series } from '../history/sample.ts';

/** Seconds of a day that is known well enough for advice. */
const ENOUGH_SECONDS = 8 * 3600;
/** The same for a series here and in the history. */
export const seriesKey = ({ vendorLicense, feature, package: packageName, featureType }: Series): string =>
  JSON.stringify([vendorLicense, feature, packageName, featureType]);

export interface FoundVendorLicense {
  readonly name: string;
  readonly features: number;
  readonly first: number;
  readonly last: number;
  /** Days with figures. */
  readonly days: number;
  /** Days of which less than eight hours are known. */
  readonly partly: number;
  /** Days with sums only: nobody knows when in them licenses were in use. */
  readonly sums: number;
}

const addTo = (sets: Map<string, Set<number>>, key: string, day: number): void =>
  void sets.set(key, (sets.get(key) ?? new Set()).add(day));

/** Counts the days of an import, for its report. */
export class FoundDays {
  /** Known seconds of each day, of the feature of which most is known. */
  readonly #seconds = new Map<string, Map<number, number>>();
  readonly #features = new Map<string, Set<string>>();
  /** Days that count, by series. */
  readonly #enoughDays = new Map<string, Set<number>>();
  /** Series of which the import knows how many licenses there are. */
  readonly #bought = new Set<string>();
  /** Series of which the import knows reserved licenses. */
  readonly #reserved = new Set<string>();
  /** Days with sums only. */
  readonly #sums = new Map<string, Set<number>>();
  /** Days that are not kept, because they are too old. */
  readonly #tooOld = new Map<string, Set<number>>();
  /** Days of series. */
  days = 0;

  add(days: readonly DayOfSamples[]): void {
    for (const { series, day, samples } of days) {
      const key = seriesKey(series);
      let seconds = 0;
      let isBought = false;
      if (samples.some(({ reserved = 0 }) => reserved > 0)) this.#reserved.add(key);
      for (const sample of samples) {
        if (sample.inUse !== undefined) seconds += sample.seconds;
        isBought ||= sample.available !== undefined;
      }
      if (isBought) this.#bought.add(key);
      const own = this.#enoughDays.get(key) ?? new Set();
      if (seconds >= ENOUGH_SECONDS) own.add(day);
      this.#enoughDays.set(key, own);
      if (samples.some(isSum)) addTo(this.#sums, series.vendorLicense, day);
      const features = this.#features.get(series.vendorLicense) ?? new Set();
      this.#features.set(series.vendorLicense, features.add(key));
      const known = this.#seconds.get(series.vendorLicense) ?? new Map<number, number>();
      this.#seconds.set(series.vendorLicense, known.set(day, Math.max(known.get(day) ?? 0, seconds)));
      this.days += 1;
    }
  }

  addTooOld(days: readonly DayOfSamples[]): void {
    for (const { series, day } of days) addTo(this.#tooOld, series.vendorLicense, day);
  }

  /** Days of each vendor license that are not kept, because they are too old. */
  tooOld(): ReadonlyMap<string, ReadonlySet<number>> {
    return this.#tooOld;
  }

  /** Adds what another part of the import has found. */
  join(other: FoundDays): void {
    for (const [key, days] of other.#enoughDays)
      this.#enoughDays.set(key, new Set([...(this.#enoughDays.get(key) ?? []), ...days]));
    for (const [name, features] of other.#features)
      this.#features.set(name, new Set([...(this.#features.get(name) ?? []), ...features]));
    for (const [name, seconds] of other.#seconds) {
      const known = this.#seconds.get(name) ?? new Map<number, number>();
      for (const [day, more] of seconds) known.set(day, Math.max(known.get(day) ?? 0, more));
      this.#seconds.set(name, known);
    }
    for (const key of other.#bought) this.#bought.add(key);
    for (const key of other.#reserved) this.#reserved.add(key);
    for (const [name, days] of other.#tooOld) for (const day of days) addTo(this.#tooOld, name, day);
    for (const [name, days] of other.#sums) for (const day of days) addTo(this.#sums, name, day);
    this.days += other.days;
  }

  vendorLicenses(): readonly FoundVendorLicense[] {
    return [...this.#seconds].map(([name, known]) => {
      const days = [...known.keys()].sort((a, b) => a - b);
      return {
        name,
        features: this.#features.get(name)?.size ?? 0,
        first: days[0] ?? 0,
        last: days.at(-1) ?? 0,
        days: days.length,
        partly: [...known].filter(([day, seconds]) => seconds < ENOUGH_SECONDS && !this.#sums.get(name)?.has(day))
          .length,
        sums: this.#sums.get(name)?.size ?? 0,
      };
    });
  }

  /** Days without figures between the first and the last one of a vendor license. */
  missing(name: string): readonly number[] {
    const known = this.#seconds.get(name) ?? new Map<number, number>();
    const days = [...known.keys()].sort((a, b) => a - b);
    const [first = 0, last = -1] = [days[0], days.at(-1)];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i).filter((day) => !known.has(day));
  }

  /** Days that count for advice, by series. */
  enoughDays(): ReadonlyMap<string, ReadonlySet<number>> {
    return this.#enoughDays;
  }

  /** Series of which the import knows reserved licenses. */
  withReserved(): ReadonlySet<string> {
    return this.#reserved;
  }

  /** Series of which the import does not know how many licenses there are. */
  withoutBought(): readonly string[] {
    return [...this.#enoughDays.keys()].filter((key) => !this.#bought.has(key));
  }
}
