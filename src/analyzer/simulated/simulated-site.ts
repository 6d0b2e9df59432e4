import { createLocalTime } from '../../base/model/local-time.ts';
import {
  type ApplicationStatus,
  type Checkout,
  type Collected,
  type PoolObservation,
  type QueuedRequest,
  type Reservation,
  type TokenUse,
  type VendorLicenseObservation,
  vendorLicenseName,
} from '../../base/model/observation/observation.ts';
import type { Source } from '../../base/model/observation/source.ts';
import type { BlockedPeople } from '../blocked/blocked-people.ts';
import { eachSliced } from '../history/recorded-days.ts';
import type { PastPiece } from '../history/sample.ts';
import {
  type CatalogueOptions,
  createCatalogue,
  type SimulatedPool,
  type SimulatedVendorLicense,
} from './simulated-catalogue.ts';
import { type DayPlan, type LongSession, type PlannedSession, planDay } from './simulated-day.ts';
import { asFlexNetKnows, type SimulatedKnowledge } from './simulated-knowledge.ts';
import { siteNames } from './simulated-names.ts';
import { createSimulatedPast } from './simulated-past.ts';
import { random, randomInteger } from './simulated-random.ts';
import { createRequestLog, logRequests } from './simulated-requests.ts';
import { hasEnded, lentUntil, licenseServerOf } from './simulated-return.ts';
import { incrementsOf, isOut, type Outages, type SimulatedIncrement } from './simulated-supply.ts';

const HOUR = 3600;

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
  /** Take the requests that are refused, from an hour before the first collection on. */
  readonly people?: BlockedPeople | undefined;
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
  /** The observations before it was started of servers that are down since then. */
  lastSeen(): readonly Collected[];
  /** What it would have recorded before a time, from the day before another on back. */
  past(until: number, before: number): Generator<PastPiece | undefined>;
  force(forced: Forced): void;
}

/** Applications change between working and idle on this beat, each at another time, seconds. */
const STATUS_BEAT = 3600;
/** So many that hardly two people have the same. */
const WORKSTATIONS = 9000;
const NODES = 250;
/** Nodes on which the jobs of an account for one pool run: several of them on one. */
const NODES_OF_ACCOUNT = 4;
/** Longest time in one state, beats: a working day. */
const LONGEST_STATE = 9;

function stateOf(chance: number): ApplicationStatus['state'] {
  if (chance > 0.3) return 'active';
  if (chance > 0.08) return 'inactive';
  if (chance > 0.06) return 'suspended';
  return chance > 0.045 ? 'blocked' : 'terminated';
}

/** What the application of a user does, and since when. An application that was left open is idle from the evening on, or has ended. */
function statusOf(key: number, session: PlannedSession | LongSession, at: number): ApplicationStatus {
  const { user, from } = session;
  const left = 'kind' in session && session.kind === 'left open' ? from + randomInteger(7, 10, key, user) * HOUR : at;
  if (at > left) {
    return { state: hasEnded(key, session) ? 'terminated' : 'inactive', seconds: Math.floor(at - left) };
  }
  const stateAt = (beat: number): ApplicationStatus['state'] => stateOf(random(key, user, from, beat));
  const phase = randomInteger(0, STATUS_BEAT - 1, key, user, from, 'phase');
  const now = Math.floor((at + phase) / STATUS_BEAT);
  const startOf = (beat: number): number => beat * STATUS_BEAT - phase;
  const state = stateAt(now);
  let since = now;
  while (now - since < LONGEST_STATE && startOf(since) > from && stateAt(since - 1) === state) since -= 1;
  return { state, seconds: Math.floor(at - Math.max(from, startOf(since))) };
}

/** A simulated site of license servers. */
export function createSimulatedSite(options: SimulatedSiteOptions): SimulatedSite {
  const { seed, vendorLicenses, featuresPerVendorLicense, names = siteNames, interval, knowledge = 'full' } = options;
  const catalogue = createCatalogue(options);
  const servers = new Map(catalogue.map((license, v) => [license, licenseServerOf(license, v)]));
  const localTime = createLocalTime(options.timeZone);
  const plans = new Map<SimulatedPool, { day: number; plan: DayPlan }>();
  let forced: Forced = {};
  let lastRead: number | undefined;
  const people = knowledge === 'full' ? options.people : undefined;
  const requests = people && createRequestLog(people);

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

  const hostOf = (user: string): string => names.workstation(randomInteger(1, WORKSTATIONS, seed, user));
  const checkoutOf = (
    license: SimulatedVendorLicense,
    pool: SimulatedPool,
    session: PlannedSession | LongSession,
    at: number,
  ): SimulatedPoolObservation['checkouts'][number] => {
    const { user, from, licenses = 1, by = pool } = session;
    const isJob = by.shape === 'batch' || by.shape === 'service';
    // a person always has the same host
    const node = randomInteger(1, NODES_OF_ACCOUNT, seed, user, by.key, from);
    const host = isJob ? names.node(randomInteger(1, NODES, seed, user, by.key, node)) : hostOf(user);
    const isBorrowed = 'kind' in session && session.kind === 'borrowed';
    const server = servers.get(license);
    return {
      user,
      host,
      display: `${host}:0`,
      since: from,
      licenses,
      handle: String(randomInteger(100, 99_999, pool.key, user, from)),
      shareHandle: undefined,
      borrowed: isBorrowed,
      ...(server !== undefined && { server }),
      ...(isBorrowed && { until: lentUntil(by.key, session) }),
      status: license.knowsStatus ? statusOf(by.key, session, at) : undefined,
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
    const denials = plan.refused.filter(({ from }) => from > since && from <= at).length;
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
      reservations: pool.reserved > 0 ? [{ holder: pool.group, licenses: pool.reserved, used }] : [],
      checkouts: [
        ...sessions.map((session) => checkoutOf(license, pool, session, at)),
        ...plan.long.filter(isOn).map((session) => checkoutOf(license, pool, session, at)),
      ],
      queued: plan.queued.filter(isOn).map(({ user, from }) => ({
        user,
        host: hostOf(user),
        since: from,
        licenses: 1,
      })),
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
      if (isDown(license, at)) return { server, daemon, part, reachable: false, pools: [] };
      const pools: SimulatedPoolObservation[] = [];
      for (const pool of license.pools) additions.push(() => pools.push(observePool(license, pool, at, since, day)));
      return { server, daemon, part, reachable: true, pools };
    });
    return { observations, additions };
  };

  const observations = (at: number, since?: number): readonly SimulatedObservation[] => {
    const { observations: all, additions } = begin(at, since);
    for (const add of additions) add();
    return all;
  };

  return {
    name: '',
    interval,
    offset: 0,
    origin: `simulated site ${seed} of ${vendorLicenses} × ${featuresPerVendorLicense}${knowledge === 'full' ? '' : `, as ${knowledge} reports it`}`,
    observe: observations,
    lastSeen: () => {
      const { downSince } = options;
      if (downSince === undefined) return [];
      const at = Math.floor(downSince - interval);
      return catalogue.flatMap((license, i) => {
        const observation = observations(at, at)[i];
        if (observation === undefined || !license.goesDown || !observation.reachable) return [];
        const known = knowledge === 'full' ? observation : asFlexNetKnows(observation, at);
        return [{ source: '', name: vendorLicenseName(license), collectedAt: at, observation: known }];
      });
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
      const { observations: all, additions } = begin(at, lastRead);
      await eachSliced(additions, (add) => add(), signal);
      const since = lastRead ?? at - HOUR;
      lastRead = at;
      if (knowledge === 'flexnet') return all.map((license) => asFlexNetKnows(license, at));
      if (people === undefined || requests === undefined) return all;
      const day = localTime.dayOf(at);
      const up = catalogue.filter((license) => !isDown(license, at));
      const asked = up.flatMap((license) => license.pools.map((pool) => [vendorLicenseName(license), pool] as const));
      await eachSliced(
        asked,
        ([vendorLicense, pool]) =>
          logRequests(requests, planOf(pool, day), { vendorLicense, feature: pool.feature }, [since, at]),
        signal,
      );
      requests.settle();
      return all.map((one) => people.taken(one, vendorLicenseName(one)));
    },
  };
}
