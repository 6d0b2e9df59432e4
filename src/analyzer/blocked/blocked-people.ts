import { hash, randomBytes } from 'node:crypto';
import type {
  Blocked,
  Collected,
  Ending,
  PoolObservation,
  VendorLicenseObservation,
  WaitingPeople,
} from '../../base/model/observation/observation.ts';
import { type Divided, divide } from './causes.ts';
import { type Episode, Episodes, type Pair } from './episodes.ts';
import { type NamesInLog, PersonLog, type Refused, saysMore } from './person-log.ts';
import { personName, type Wait, WaitsOfDay } from './waits.ts';

/**
 * The people who are refused licenses, in all logs that this process follows. A person is a number here: who that is, only this
 * process could know, and its key is written nowhere.
 */

/** What waits are compared with. */
export interface BlockedPeopleOptions {
  /** Epoch seconds. */
  readonly now: () => number;
  /** Seconds; it goes on while the clock is set. */
  readonly elapsed: () => number;
  /** The local day of a time: a person counts once a day. */
  readonly dayOf: (at: number) => number;
  /** The last collection of all vendor licenses. */
  readonly current: () => readonly Collected[];
}

/** Seconds after a line in which other logs say what it means. */
const GRACE = 5;
/** A log that was not read for so long holds up the others no longer, seconds. */
const STUCK = 60;
const MAX_PEOPLE = 100_000;

/** Someone who waits now. */
interface Waiting extends Divided {
  readonly key: string;
  readonly person: number;
  readonly episode: Episode<Refused>;
  readonly refused: Refused;
}

const keyOf = (vendorLicense: string, feature: string): string => `${vendorLicense}\0${feature}`.toLowerCase();

/** What was found of a feature, and not taken yet. */
interface Found {
  readonly waits: Wait[];
  elsewhere: Divided['elsewhere'];
}

/** Follows people through all logs. */
export class BlockedPeople {
  readonly #options: BlockedPeopleOptions;
  readonly #key = randomBytes(32).toString('hex');
  readonly #people = new Map<string, number>();
  #peopleCount = 0;
  readonly #episodes: Episodes<Refused>;
  readonly #waiting = new Map<Episode<Refused>, Waiting>();
  /** By vendor license and feature. */
  readonly #found = new Map<string, Found>();
  /** By vendor license and feature. */
  readonly #today = new Map<string, WaitsOfDay>();
  /** The last day on which a person was refused whom the log does not name, by vendor license and feature. */
  readonly #unnamed = new Map<string, number>();
  #day = Number.NaN;
  /** When each log was read to its end. */
  readonly #logs = new Map<PersonLog, number>();
  #lastLog = 0;
  /** The newest time of any line, and when it was read. */
  #newest = { at: Number.NEGATIVE_INFINITY, readAt: 0 };
  /** What was the newest before other logs were read. */
  #mark = { at: Number.NEGATIVE_INFINITY, readAt: 0 };

  constructor(options: BlockedPeopleOptions) {
    this.#options = options;
    this.#episodes = new Episodes<Refused>({
      saysMore,
      begun: (episode, pair) => this.#begin(episode, pair),
      ended: (episode, pair, ending) => this.#end(episode, pair, ending),
    });
  }

  /** A log that is followed from now on. */
  log(names: NamesInLog): PersonLog {
    this.#lastLog += 1;
    const log = new PersonLog({
      ...names,
      id: this.#lastLog,
      find: (user, feature) => this.#episodes.pair(this.#personOf(user), feature),
      onLine: (at) => {
        if (at > this.#newest.at) this.#newest = { at, readAt: this.#options.elapsed() };
      },
      onUnnamed: (vendorLicense, feature) => {
        this.#unnamed.set(keyOf(vendorLicense, feature), this.#dayNow());
      },
      onSettled: () => this.#settle(log),
      onClosed: () => void this.#logs.delete(log),
    });
    this.#logs.set(log, this.#options.elapsed());
    return log;
  }

  /** Adds what was found of a vendor license since this was called last. */
  taken(observation: VendorLicenseObservation, vendorLicense: string): VendorLicenseObservation {
    // what it has is not known: another collection takes it
    if (!observation.reachable) return observation;
    this.#pass();
    const day = this.#dayNow();
    if (day !== this.#day) this.#today.clear();
    this.#day = day;
    const waiting = Map.groupBy(this.#waiting.values(), ({ key }) => key);
    const seen = new Set<string>();
    const pools = observation.pools.map((pool): PoolObservation => {
      const key = keyOf(vendorLicense, pool.feature);
      // which of its versions people ask for, no log says: the first one has them all
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst ? { ...pool, blocked: this.#take(key, waiting.get(key) ?? []) } : pool;
    });
    // nobody can say what a feature is that the vendor license does not have
    const own = keyOf(vendorLicense, '');
    for (const key of this.#found.keys()) if (key.startsWith(own)) this.#found.delete(key);
    return { ...observation, pools };
  }

  /** Nobody watches any longer: those who wait are lost. */
  end(): void {
    this.#episodes.end();
  }

  #dayNow(): number {
    return this.#options.dayOf(this.#options.now());
  }

  #take(key: string, waiting: readonly Waiting[]): Blocked {
    const found = this.#found.get(key);
    this.#found.delete(key);
    if (this.#unnamed.get(key) === this.#day) return { now: [], day: this.#day, ended: [], isIncomplete: true };
    const today = this.#today.get(key) ?? new WaitsOfDay();
    this.#today.set(key, today);
    for (const wait of found?.waits ?? []) today.add(wait);
    const elsewhere = found?.elsewhere ?? waiting.findLast((one) => one.elsewhere !== undefined)?.elsewhere;
    return {
      now: this.#waitingNow(waiting, today),
      day: this.#day,
      ended: today.take(),
      ...(elsewhere !== undefined && { elsewhere }),
    };
  }

  #waitingNow(waiting: readonly Waiting[], today: WaitsOfDay): readonly WaitingPeople[] {
    const at = this.#options.now();
    return [...Map.groupBy(waiting, ({ cause }) => cause)].map(([cause, own]) => {
      const begins = own.map(({ episode }) => episode.from);
      return {
        cause,
        people: own.length,
        fresh: own.filter(({ person }) => !today.hasWaited(person)).length,
        since: Math.min(...begins),
        seconds: begins.reduce((sum, from) => sum + Math.max(0, Math.round(at - from)), 0),
      };
    });
  }

  #personOf(user: string): number {
    const person = hash('sha256', `${this.#key}${personName(user)}`, 'base64');
    const known = this.#people.get(person);
    if (known !== undefined) return known;
    // those who come back are other people then
    if (this.#people.size >= MAX_PEOPLE) this.#people.clear();
    this.#peopleCount += 1;
    this.#people.set(person, this.#peopleCount);
    return this.#peopleCount;
  }

  #settle(log: PersonLog): void {
    this.#logs.set(log, this.#options.elapsed());
    this.#pass();
  }

  /** What all logs have said up to a time is certain once each of them was read some seconds later. */
  #pass(): void {
    const elapsed = this.#options.elapsed();
    const isRead = (at: number): boolean => at >= this.#mark.readAt + GRACE || elapsed - at > STUCK;
    if (!this.#logs.values().every(isRead)) return;
    for (const log of this.#logs.keys()) log.forget();
    this.#episodes.passTo(this.#mark.at, this.#newest.at + elapsed - this.#newest.readAt);
    this.#mark = { at: this.#newest.at, readAt: elapsed };
  }

  #begin(episode: Episode<Refused>, { person }: Pair<Refused>): void {
    const { what: refused } = episode;
    const key = keyOf(refused.vendorLicense, refused.feature);
    this.#waiting.set(episode, { key, person, episode, refused, ...this.#divide(refused) });
  }

  #divide(refused: Refused): Divided {
    return divide(refused, this.#options.current(), this.#options.now());
  }

  #end(episode: Episode<Refused>, { person }: Pair<Refused>, ended: Ending): void {
    const begun = this.#waiting.get(episode);
    this.#waiting.delete(episode);
    const { what: refused, from, to } = episode;
    // another line may say more than the first one
    const isSame = begun?.refused === refused && begun.cause !== 'all_in_use';
    const { cause, elsewhere } = isSame ? begun : this.#divide(refused);
    const key = keyOf(refused.vendorLicense, refused.feature);
    const found = this.#foundOf(key);
    found.waits.push({ person, cause, ended, seconds: Math.round(to - from) });
    found.elsewhere = elsewhere ?? found.elsewhere;
  }

  #foundOf(key: string): Found {
    const found = this.#found.get(key) ?? { waits: [], elsewhere: undefined };
    this.#found.set(key, found);
    return found;
  }
}
