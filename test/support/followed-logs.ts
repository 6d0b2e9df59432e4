import { BlockedPeople } from '../../src/analyzer/blocked/blocked-people.ts';
import type { PersonLog } from '../../src/analyzer/blocked/person-log.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import type {
  Blocked,
  Collected,
  DenialCause,
  EndedWaits,
  PoolObservation,
} from '../../src/base/model/observation/observation.ts';

/** Logs that a test writes line by line, followed for the people in them. Times are epoch seconds of UTC. */

const utc = createLocalTime('UTC');
export const FEATURE = 'solver';
/** Seconds after which nothing changes what a line means, also if the next looks are awaited. */
const LATE = 1200;

const pool: PoolObservation = {
  feature: FEATURE,
  version: '1.0',
  package: '',
  featureType: 'feature',
  licenseType: 'floating',
  licenseModel: 'concurrent',
  increments: [],
  inUse: 1,
  available: 0,
  reservations: [],
  checkouts: [],
  queued: undefined,
  denials: undefined,
};

/** A log of one server. */
export interface FollowedLog {
  readonly log: PersonLog;
  /** `user@host` was refused. */
  refused(client: string, at: number, cause?: DenialCause): void;
  got(client: string, at: number): void;
}

/** People who are followed, with a clock that a test sets. */
export class FollowedLogs {
  now: number;
  readonly people: BlockedPeople;
  readonly #logs: PersonLog[] = [];
  readonly #servers: string[] = [];

  constructor(from: number) {
    this.now = from;
    this.people = new BlockedPeople({
      now: () => this.now,
      elapsed: () => this.now,
      dayOf: utc.dayOf,
      current: () => this.current(),
    });
  }

  /** All licenses of each server are at work. */
  current(): readonly Collected[] {
    return this.#servers.map((server) => ({
      source: server,
      name: `${server};vend`,
      collectedAt: this.now,
      observation: { server, daemon: 'vend', part: '', reachable: true, pools: [pool] },
    }));
  }

  /** @param dated whether its times are known from the beginning on */
  log(server: string, dated = true): FollowedLog {
    const log = this.people.log({
      userOf: (client) => client.slice(0, client.lastIndexOf('@')),
      vendorLicenseOf: (daemon) => `${server};${daemon}`,
    });
    if (dated) log.date(0, 0);
    this.#logs.push(log);
    this.#servers.push(server);
    const asked = (client: string) => ({ daemon: 'vend', feature: FEATURE, client });
    return {
      log,
      refused: (client, at, cause = 'all_in_use') => log.refused(client, asked(client), at, cause),
      got: (client, at) => log.got(client, asked(client), at),
    };
  }

  /** All logs are looked at until then. @param every seconds */
  lookUntil(to: number, every = 10): void {
    while (this.now < to) {
      this.now = Math.min(to, this.now + every);
      for (const log of this.#logs) log.settle();
    }
  }

  /** What is found of the first server. */
  blocked(index = 0): Blocked | undefined {
    const { observation, name } = this.current()[index] as Collected;
    return this.people.taken(observation, name).pools[0]?.blocked;
  }

  /** What is found of two versions of the feature, which the first server has. */
  blockedOfVersions(): readonly (Blocked | undefined)[] {
    const { observation, name } = this.current()[0] as Collected;
    const pools = [pool, { ...pool, version: '2.0' }];
    return this.people.taken({ ...observation, pools }, name).pools.map(({ blocked }) => blocked);
  }

  /** What has ended at all servers, long after the last line. */
  ended(): readonly EndedWaits[] {
    this.lookUntil(this.now + LATE);
    return this.#servers.flatMap((_, i) => this.blocked(i)?.ended ?? []);
  }
}
