import { createLocalTime } from '../../base/model/local-time.ts';
import type {
  ApplicationStatus,
  Checkout,
  PoolObservation,
  QueuedRequest,
  Reservation,
  TokenUse,
  VendorLicenseObservation,
} from '../../base/model/observation/observation.ts';
import type { Source } from '../../base/model/observation/source.ts';
import { eachSliced } from '../history/each-sliced.ts';
import type { PastPiece } from '../history/sample.ts';
import {
  type CatalogueOptions,
  createCatalogue,
  type SimulatedPool,
  type SimulatedVendorLicense,
} from './simulated-catalogue.ts';
import { type DayPlan, planDay } from './simulated-day.ts';
import { asFlexNetKnows, type SimulatedKnowledge } from './simulated-knowledge.ts';
import { createSimulatedPast } from './simulated-past.ts';
import { random, randomInteger } from './simulated-random.ts';
import { incrementsOf, isOut, type Outages, type SimulatedIncrement } from './simulated-supply.ts';

/** The size, the seed, the clock and the outages of a simulated site. */
export interface SimulatedSiteOptions extends CatalogueOptions, Outages {
  /** IANA name. */
  readonly timeZone: string;
  /** Epoch seconds. */
  readonly now: () => number;
  /** Seconds between collections. */
  readonly interval: number;
  /** Days of history before the first collection; fewer for very large sites. */
  readonly historyDays?: number;
  /** What `read` and `past` report; everything by default. */
  readonly knowledge?: SimulatedKnowledge;
}

/** A pool of which everything is known. */
export interface SimulatedPoolObservation extends PoolObservation {
  readonly token?: TokenUse;
  readonly increments: readonly SimulatedIncrement[];
  readonly reservations: readonly Reservation[];
  readonly checkouts: readonly (Checkout & { readonly since: number; readonly handle: string })[];
  readonly queued: readonly (QueuedRequest & { readonly since: number })[];
  readonly denials: number;
}

/** An observation of a simulated server, with all figures that no real manager knows. */
export interface SimulatedObservation extends VendorLicenseObservation {
  readonly pools: readonly SimulatedPoolObservation[];
}

/** States that a test can force. Names are `server;daemon`. */
export interface Forced {
  readonly down?: readonly string[];
  /** Expiry of every increment of a feature (`server;daemon/feature`), epoch seconds. */
  readonly expirations?: Readonly<Record<string, number>>;
}

/** A source that needs no license manager: the demo, and tests of what only some managers report. */
export interface SimulatedSite extends Source {
  /** What its figures are of, with the settings that change them. */
  readonly origin: string;
  /**
   * The whole site at any time: a pure function of seed, size, time zone, outages and times. Denials are counted from `since`, by default
   * one interval before.
   */
  observe(at: number, since?: number): readonly SimulatedObservation[];
  /** What it would have recorded before a time, from the day before another on back. */
  past(until: number, before: number): Generator<PastPiece | undefined>;
  force(forced: Forced): void;
}

/** Applications change between working and idle on this beat, seconds. */
const STATUS_BEAT = 900;

function stateOf(chance: number): ApplicationStatus['state'] {
  if (chance > 0.3) return 'active';
  if (chance > 0.05) return 'inactive';
  if (chance > 0.03) return 'suspended';
  return chance > 0.015 ? 'blocked' : 'terminated';
}

/** A simulated site of license servers. Its names begin with `sim-`, so that it cannot be taken for a real one. */
export function createSimulatedSite(options: SimulatedSiteOptions): SimulatedSite {
  const { seed, vendorLicenses, featuresPerVendorLicense, interval, knowledge = 'full' } = options;
  const catalogue = createCatalogue(options);
  const localTime = createLocalTime(options.timeZone);
  const plans = new Map<SimulatedPool, { day: number; plan: DayPlan }>();
  let forced: Forced = {};
  let lastRead: number | undefined;

  const planOf = (pool: SimulatedPool, day: number): DayPlan => {
    const known = plans.get(pool);
    if (known?.day === day) return known.plan;
    const plan = planDay(pool, day, localTime.startOf);
    plans.set(pool, { day, plan });
    return plan;
  };

  const isDown = (license: SimulatedVendorLicense, at: number): boolean => {
    if (forced.down?.includes(`${license.server};${license.daemon}`) === true) return true;
    return isOut(license, at, options);
  };

  const checkoutOf = (
    license: SimulatedVendorLicense,
    pool: SimulatedPool,
    session: { user: string; from: number; licenses?: number },
    borrowed: boolean,
    at: number,
  ): SimulatedPoolObservation['checkouts'][number] => {
    const host = `sim-ws${String(randomInteger(1, 250, seed, session.user, pool.key)).padStart(3, '0')}`;
    const beat = Math.floor(at / STATUS_BEAT);
    const statusSince = Math.max(session.from, beat * STATUS_BEAT);
    return {
      user: session.user,
      host,
      display: `${host}:0`,
      since: session.from,
      licenses: session.licenses ?? 1,
      handle: String(randomInteger(100, 99_999, pool.key, session.user, session.from)),
      shareHandle: undefined,
      borrowed,
      status: license.knowsStatus
        ? { state: stateOf(random(pool.key, session.user, beat)), seconds: Math.floor(at - statusSince) }
        : undefined,
    };
  };

  const observePool = (
    license: SimulatedVendorLicense,
    pool: SimulatedPool,
    at: number,
    since: number,
    day: number,
  ): SimulatedPoolObservation => {
    const plan = planOf(pool, day);
    const isOn = ({ from, to }: { from: number; to: number }): boolean => from <= at && at < to;
    const sessions = plan.sessions.filter(isOn);
    const used = sessions.filter(({ reserved }) => reserved).length;
    const end = forced.expirations?.[`${license.server};${license.daemon}/${pool.feature}`];
    const increments = incrementsOf(pool, day, localTime);
    const denials = plan.denials.filter((time) => time > since && time <= at).length;
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
      denials,
      denialCauses: { all_in_use: denials },
    };
  };

  /** The observations without pools, and what adds each pool to its own. */
  const begin = (at: number, since = at - interval) => {
    const day = localTime.dayOf(at);
    const additions: (() => void)[] = [];
    const observations = catalogue.map((license): SimulatedObservation => {
      const { server, daemon, part } = license;
      if (isDown(license, at)) return { server, daemon, part, reachable: false, pools: [], isKnownToBeEmpty: true };
      const pools: SimulatedPoolObservation[] = [];
      for (const pool of license.pools) additions.push(() => pools.push(observePool(license, pool, at, since, day)));
      return { server, daemon, part, reachable: true, pools };
    });
    return { observations, additions };
  };

  return {
    name: '',
    interval,
    offset: 0,
    origin: `simulated site ${seed} of ${vendorLicenses} × ${featuresPerVendorLicense}${knowledge === 'full' ? '' : `, as ${knowledge} reports it`}`,
    observe: (at, since) => {
      const { observations, additions } = begin(at, since);
      for (const add of additions) add();
      return observations;
    },
    past: createSimulatedPast({
      catalogue,
      outages: options,
      localTime,
      interval,
      days: options.historyDays ?? 0,
      knowledge,
    }),
    force: (next) => {
      forced = next;
    },
    read: async (signal) => {
      const at = options.now();
      const { observations, additions } = begin(at, lastRead);
      await eachSliced(additions, (add) => add(), signal);
      lastRead = at;
      return knowledge === 'full' ? observations : observations.map((license) => asFlexNetKnows(license, at));
    },
  };
}
