import type { LocalTime } from '../../base/model/local-time.ts';
import type { DenialCause, EndedWaits } from '../../base/model/observation/observation.ts';
import { Episodes, type Pair, SETTLED } from '../blocked/episodes.ts';
import { saysMore } from '../blocked/person-log.ts';
import { personName, WaitsOfDay } from '../blocked/waits.ts';
import type { Series } from '../history/sample.ts';
import { seriesKey } from '../history/series-table.ts';
import type { LicenseRefusal } from '../sources/log/usage-log.ts';

/** A request that was refused. */
interface Refused {
  readonly series: Series;
  readonly cause: DenialCause | undefined;
}

/** A day on which requests for a feature were refused, and the people who waited; undefined if a line does not say who. */
export interface ReplayedDay {
  readonly series: Series;
  readonly day: number;
  readonly waits: readonly EndedWaits[] | undefined;
}

/** The calendar, and what is imported. */
export interface ReplayedWaitsOptions {
  readonly localTime: LocalTime;
  /** The series of a feature; undefined if it is not imported. */
  readonly seriesOf: (daemon: string, feature: string) => Series | undefined;
  /** The name of the user in a refusal; empty if it has none. */
  readonly userOf: (who: string) => string;
}

/** A day on which requests for a feature were refused. */
interface RefusedDay {
  readonly series: Series;
  readonly day: number;
  /** Epoch seconds. */
  readonly begin: number;
  readonly end: number;
  readonly waits: WaitsOfDay;
  /** Whether each line says who was refused. */
  isKnown: boolean;
}

/** What lines of a daemon about a feature have in common. */
interface Wanted {
  readonly series: Series;
  readonly byCause: Map<DenialCause | undefined, Refused>;
  /** Those who were refused since waits were looked for last, by what lines name them. */
  readonly pairs: Map<string, Pair<Refused>>;
  /** Of the last line. */
  day: RefusedDay | undefined;
}

/** Seconds of a log after which waits are looked for again. */
const STEP = 900;
/** The logs are of one server: its clock is that of all daemons. */
const LOG = 1;

/** The people who waited, as the logs of a server tell it. Names are forgotten with it. */
export class ReplayedWaits {
  readonly #options: ReplayedWaitsOptions;
  readonly #people = new Map<string, number>();
  /** By daemon and feature; undefined for one that is not imported. */
  readonly #wanted = new Map<string, Map<string, Wanted | undefined>>();
  readonly #days = new Map<string, RefusedDay>();
  #newest = Number.NEGATIVE_INFINITY;
  #passedTo = Number.NEGATIVE_INFINITY;
  readonly #episodes = new Episodes<Refused>({
    saysMore,
    begun: () => undefined,
    ended: ({ what: { series, cause }, from, to }, { person }, ended) => {
      const seconds = Math.round(to - from);
      this.#dayOf(series, to).waits.add({ person, cause: cause ?? 'unknown', ended, seconds });
    },
  });

  constructor(options: ReplayedWaitsOptions) {
    this.#options = options;
  }

  refused(daemon: string, at: number, { feature, client, who = client, cause }: LicenseRefusal): void {
    const wanted = this.#wantedOf(daemon, feature);
    if (wanted === undefined) return;
    const { series, byCause, pairs } = wanted;
    const { day: last } = wanted;
    const day = last !== undefined && at >= last.begin && at < last.end ? last : this.#dayOf(series, at);
    wanted.day = day;
    let pair = who === undefined ? undefined : pairs.get(who);
    if (pair === undefined) {
      const user = who === undefined ? '' : this.#options.userOf(who);
      if (who === undefined || user === '') {
        day.isKnown = false;
        return;
      }
      pair = this.#episodes.pair(this.#personOf(user), feature);
      pairs.set(who, pair);
    }
    const what = byCause.get(cause) ?? { series, cause };
    byCause.set(cause, what);
    pair.say(LOG, at, what);
  }

  /** The person has a license. */
  got(at: number, feature: string, user: string | undefined): void {
    const person = user === undefined ? undefined : this.#people.get(personName(user));
    // who was not refused before does not wait
    if (person !== undefined) this.#episodes.known(person, feature)?.say(LOG, at, undefined);
  }

  /** All logs were read. @returns the days on which a person was refused */
  *finish(): Generator<ReplayedDay, void> {
    // everything was read
    this.#episodes.passTo(this.#newest, this.#newest + SETTLED);
    this.#episodes.end();
    for (const { series, day, waits, isKnown } of this.#days.values())
      yield { series, day, waits: isKnown ? waits.take() : undefined };
  }

  /** A line has that time. */
  passTo(at: number): void {
    this.#newest = Math.max(this.#newest, at);
    if (at < this.#passedTo + STEP) return;
    this.#passedTo = at;
    // those who no longer wait are forgotten with it
    for (const own of this.#wanted.values()) for (const wanted of own.values()) wanted?.pairs.clear();
    this.#episodes.passTo(at, at);
  }

  #wantedOf(daemon: string, feature: string): Wanted | undefined {
    let own = this.#wanted.get(daemon);
    if (own === undefined) {
      own = new Map();
      this.#wanted.set(daemon, own);
    }
    const known = own.get(feature);
    if (known !== undefined || own.has(feature)) return known;
    const series = this.#options.seriesOf(daemon, feature);
    const wanted = series && { series, byCause: new Map(), pairs: new Map(), day: undefined };
    own.set(feature, wanted);
    return wanted;
  }

  #personOf(user: string): number {
    const name = personName(user);
    const known = this.#people.get(name) ?? this.#people.size + 1;
    this.#people.set(name, known);
    return known;
  }

  #dayOf(series: Series, at: number): RefusedDay {
    const { dayOf, startOf } = this.#options.localTime;
    const day = dayOf(at);
    const key = `${day} ${seriesKey(series)}`;
    const known = this.#days.get(key);
    if (known !== undefined) return known;
    const [begin, end] = [startOf(day), startOf(day + 1)];
    const added = { series, day, begin, end, waits: new WaitsOfDay(), isKnown: true };
    this.#days.set(key, added);
    return added;
  }
}
