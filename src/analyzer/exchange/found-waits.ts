import type { BlockedCause, EndedWaits, Ending } from '../../base/model/observation/observation.ts';
import type { Series } from '../history/sample.ts';
import { seriesKey } from './found-days.ts';

/** What an import knows of the people who waited for a feature. */
export interface FeatureWaits {
  readonly series: Series;
  episodes: number;
  seconds: number;
  readonly causes: Map<BlockedCause, number>;
  readonly endings: Map<Ending, number>;
}

/** Counts the waits of an import, for its report. */
export class FoundWaits {
  readonly #features = new Map<string, FeatureWaits>();
  /** Days of features on which a person was refused whom the log does not name. */
  unknownDays = 0;

  /** @param waits of a day; undefined if people are not known */
  add(series: Series, waits: readonly EndedWaits[] | undefined): void {
    if (waits === undefined) this.unknownDays += 1;
    for (const wait of waits ?? []) this.#add(series, wait);
  }

  /** Adds what another part of the import has found. */
  join(other: FoundWaits): void {
    this.unknownDays += other.unknownDays;
    for (const { series, episodes, seconds, causes, endings } of other.#features.values()) {
      const own = this.#of(series);
      own.episodes += episodes;
      own.seconds += seconds;
      for (const [cause, count] of causes) own.causes.set(cause, (own.causes.get(cause) ?? 0) + count);
      for (const [ended, count] of endings) own.endings.set(ended, (own.endings.get(ended) ?? 0) + count);
    }
  }

  /** The longest waits first. */
  features(): readonly Readonly<FeatureWaits>[] {
    return [...this.#features.values()].sort((a, b) => b.seconds - a.seconds);
  }

  #add(series: Series, { cause, ended, episodes, seconds }: EndedWaits): void {
    const own = this.#of(series);
    own.episodes += episodes;
    own.seconds += seconds;
    own.causes.set(cause, (own.causes.get(cause) ?? 0) + episodes);
    own.endings.set(ended, (own.endings.get(ended) ?? 0) + episodes);
  }

  #of(series: Series): FeatureWaits {
    const key = seriesKey(series);
    const known = this.#features.get(key) ?? { series, episodes: 0, seconds: 0, causes: new Map(), endings: new Map() };
    this.#features.set(key, known);
    return known;
  }
}
