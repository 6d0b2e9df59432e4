import { setImmediate } from 'node:timers/promises';
import { createLocalTime } from './local-time.ts';
import {
  type CatalogueOptions,
  createCatalogue,
  type SimulatedPool,
  type SimulatedVendorLicense,
} from './simulated-catalogue.ts';
import { type DayPlan, planDay } from './simulated-day.ts';
import { random, randomInteger } from './simulated-random.ts';
import type { Checkout, Increment, PoolObservation, Source, VendorLicenseObservation } from './source.ts';

export interface SimulatedSiteOptions extends CatalogueOptions {
  /** IANA name. */
  readonly timeZone: string;
  /** Epoch seconds. */
  readonly now: () => number;
  /** Seconds between collections: denials are counted since the previous one. */
  readonly interval: number;
}

/** What a test may force upon the site. Names are `server;daemon`. */
export interface Forced {
  readonly down?: readonly string[];
  /** Expiry of every increment of a feature (`server;daemon/feature`), epoch seconds. */
  readonly expirations?: Readonly<Record<string, number>>;
}

export interface SimulatedSite extends Source {
  /** The site at any time: a pure function of seed, size, time zone and time. */
  observe(at: number): Generator<void, readonly VendorLicenseObservation[]>;
  force(forced: Forced): void;
}

/** The server that goes down is away for 55 minutes of every 3 hours. */
const OUTAGE_PERIOD = 3 * 3600;
const OUTAGE = 55 * 60;
/** Applications change between working and idle on this beat, seconds. */
const STATUS_BEAT = 900;
/** Pools observed between two chances for others to run. */
const SLICE = 500;

/** A simulated site of licence servers. Its names begin with `sim-`, so that it cannot be taken for a real one. */
export function createSimulatedSite(options: SimulatedSiteOptions): SimulatedSite {
  const { seed, interval } = options;
  const catalogue = createCatalogue(options);
  const localTime = createLocalTime(options.timeZone);
  const plans = new Map<SimulatedPool, { day: number; plan: DayPlan }>();
  let forced: Forced = {};

  const planOf = (pool: SimulatedPool, day: number): DayPlan => {
    const known = plans.get(pool);
    if (known?.day === day) return known.plan;
    const plan = planDay(pool, day, localTime.startOf);
    plans.set(pool, { day, plan });
    return plan;
  };

  const endOf = (day: number): number => localTime.startOf(day + 1) - 1;

  /** The first day after `day` on which a licence with this period and phase ends. */
  const nextEnd = (day: number, period: number, phase: number): number =>
    day + period - ((((day - phase) % period) + period) % period);

  /** Expiries follow the calendar, so that at any time some licences end soon and some have just ended. */
  const incrementsOf = (pool: SimulatedPool, day: number): Increment[] => {
    const phase = randomInteger(0, 364, pool.key, 'phase');
    const half = Math.ceil(pool.count / 2);
    const whole = (end: number): Increment[] => [{ count: pool.count, expires: endOf(end) }];
    switch (pool.expiry) {
      case 'permanent':
        return [{ count: pool.count, expires: undefined }];
      case 'annual':
        return whole(nextEnd(day, 365, phase));
      case 'monthly':
        return whole(nextEnd(day, 28, phase));
      case 'weekly':
        return whole(nextEnd(day, 7, phase) - 1);
      case 'expired':
        return whole(nextEnd(day, 28, phase) - 29);
      case 'staggered':
        return [
          { count: half, expires: endOf(nextEnd(day, 365, phase)) },
          { count: pool.count - half, expires: endOf(nextEnd(day, 365, phase + 180)) },
        ];
    }
  };

  const isDown = (license: SimulatedVendorLicense, at: number): boolean => {
    if (forced.down?.includes(`${license.server};${license.daemon}`) === true) return true;
    const phase = randomInteger(0, OUTAGE_PERIOD - 1, seed, 'outage');
    return license.goesDown && (at + phase) % OUTAGE_PERIOD < OUTAGE;
  };

  const checkoutOf = (
    license: SimulatedVendorLicense,
    pool: SimulatedPool,
    session: { user: string; from: number },
    borrowed: boolean,
    at: number,
  ): Checkout => {
    const host = `sim-ws${String(randomInteger(1, 250, seed, session.user, pool.key)).padStart(3, '0')}`;
    const beat = Math.floor(at / STATUS_BEAT);
    const statusSince = Math.max(session.from, beat * STATUS_BEAT);
    return {
      user: session.user,
      host,
      display: `${host}:0`,
      since: session.from,
      licenses: 1,
      handle: String(randomInteger(100, 99_999, pool.key, session.user, session.from)),
      shareHandle: undefined,
      borrowed,
      status: license.knowsStatus
        ? { active: random(pool.key, session.user, beat) > 0.3, seconds: Math.floor(at - statusSince) }
        : undefined,
    };
  };

  const observePool = (
    license: SimulatedVendorLicense,
    pool: SimulatedPool,
    at: number,
    day: number,
  ): PoolObservation => {
    const plan = planOf(pool, day);
    const isOn = ({ from, to }: { from: number; to: number }): boolean => from <= at && at < to;
    const sessions = plan.sessions.filter(isOn);
    const used = sessions.filter(({ reserved }) => reserved).length;
    const end = forced.expirations?.[`${license.server};${license.daemon}/${pool.feature}`];
    const increments = incrementsOf(pool, day);
    const { feature, version, featureType, licenseType, licenseModel, token, mappedTo } = pool;
    return {
      feature,
      version,
      package: pool.package,
      featureType,
      licenseType,
      licenseModel,
      ...(token !== undefined && { token }),
      ...(mappedTo !== undefined && { mappedTo }),
      increments: end === undefined ? increments : increments.map(({ count }) => ({ count, expires: end })),
      reservations: pool.reserved > 0 ? [{ holder: 'sim-group', licenses: pool.reserved, used }] : [],
      checkouts: [
        ...sessions.map((session) => checkoutOf(license, pool, session, false, at)),
        ...plan.loans.filter(isOn).map((loan) => checkoutOf(license, pool, loan, true, at)),
      ],
      queued: plan.queued.filter(isOn).map(({ user, from }) => ({ user, host: 'sim-ws000', since: from, licenses: 1 })),
      denials: plan.denials.filter((time) => time > at - interval && time <= at).length,
    };
  };

  const observe = function* (at: number): Generator<void, readonly VendorLicenseObservation[]> {
    const day = localTime.dayOf(at);
    const observations: VendorLicenseObservation[] = [];
    let count = 0;
    for (const license of catalogue) {
      const { server, daemon, part } = license;
      const reachable = !isDown(license, at);
      const pools: PoolObservation[] = [];
      for (const pool of reachable ? license.pools : []) {
        pools.push(observePool(license, pool, at, day));
        count += 1;
        if (count % SLICE === 0) yield;
      }
      observations.push({ server, daemon, part, reachable, pools });
    }
    return observations;
  };

  return {
    name: 'simulated',
    observe,
    force: (next) => {
      forced = next;
    },
    read: async (signal) => {
      const observing = observe(options.now());
      for (;;) {
        const step = observing.next();
        if (step.done) return step.value;
        await setImmediate();
        signal.throwIfAborted();
      }
    },
  };
}
