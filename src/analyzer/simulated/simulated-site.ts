import { createLocalTime, type LocalTime } from '../../base/model/local-time.ts';
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
import { eachSliced } from '../history/recorded-days.ts';
import type { DayOfSamples, PastPiece, Sample, Series } from '../history/sample.ts';
import { createSlots, type Slots } from '../history/slots.ts';
import { poolCapacity, sumOfVersions } from '../history/usage.ts';
import {
  type CatalogueOptions,
  createCatalogue,
  type SimulatedPool,
  type SimulatedVendorLicense,
} from './simulated-catalogue.ts';
import { type DayPlan, type LongSession, type PlannedSession, planDay } from './simulated-day.ts';
import { asFlexNetKnows, asFlexNetSample, asFlexNetSeries, type SimulatedKnowledge } from './simulated-knowledge.ts';
import { siteNames } from './simulated-names.ts';
import { random, randomInteger } from './simulated-random.ts';
import { incrementsOf, isOut, type Outages, type SimulatedIncrement } from './simulated-supply.ts';

/** The site whose past is made up, and for which days. */
export interface SimulatedPastOptions {
  readonly catalogue: readonly SimulatedVendorLicense[];
  readonly outages: Outages;
  readonly localTime: LocalTime;
  /** Seconds between samples of the last week, where the site is not so large that they are an hour apart. */
  readonly interval: number;
  /** Days before the first collection, where the site is not so large that it gets fewer. */
  readonly days: number;
  readonly knowledge: SimulatedKnowledge;
}

/** Older samples are an hour apart. */
const FINE_DAYS = 2;
const HOUR = 3600;
/** A site of more pools gets fewer days, and all samples an hour apart: more would take memory and minutes. */
const MANY_POOLS = 2000;
const MAX_POOL_DAYS = 400 * MANY_POOLS;
/** Pools planned between two chances for others to run. */
const SLICE = 25;

interface Held {
  readonly user: string;
  readonly from: number;
  readonly to: number;
  readonly licenses?: number;
}

/** Samples of the pools of a series: what is held in the middle of each slot, and the refusals in it. */
function samplesOf(
  plans: readonly DayPlan[],
  supply: Pick<Sample, 'available' | 'reserved'>,
  times: readonly number[],
  seconds: number,
): Sample[] {
  const held: Held[] = plans.flatMap(({ sessions, long }) => [...sessions, ...long]);
  const begins = held.toSorted((a, b) => a.from - b.from);
  const ends = held.toSorted((a, b) => a.to - b.to);
  const denials = plans.flatMap((plan) => plan.denials).sort((a, b) => a - b);
  const licensesOf = new Map<string, number>();
  let [begun, ended, refused, inUse] = [0, 0, 0, 0];
  const change = (user: string, by: number): void => {
    inUse += by;
    const licenses = (licensesOf.get(user) ?? 0) + by;
    if (licenses === 0) licensesOf.delete(user);
    else licensesOf.set(user, licenses);
  };
  return times.map((at) => {
    const moment = at + Math.floor(seconds / 2);
    for (let next = begins[begun]; next !== undefined && next.from <= moment; next = begins[begun]) {
      change(next.user, next.licenses ?? 1);
      begun += 1;
    }
    for (let next = ends[ended]; next !== undefined && next.to <= moment; next = ends[ended]) {
      change(next.user, -(next.licenses ?? 1));
      ended += 1;
    }
    const before = refused;
    while ((denials[refused] ?? Number.POSITIVE_INFINITY) < at + seconds) refused += 1;
    return { at, seconds, ...supply, inUse, users: licensesOf.size, denials: refused - before };
  });
}

/** Pools that history keeps together: versions of one feature. FlexNet knows no packages either. */
function bySeries({ pools }: SimulatedVendorLicense, knowledge: SimulatedKnowledge): SimulatedPool[][] {
  const key = (pool: SimulatedPool): string =>
    knowledge === 'full' ? JSON.stringify([pool.feature, pool.package, pool.featureType]) : pool.feature;
  return [...Map.groupBy(pools, key).values()];
}

function seriesOf(license: SimulatedVendorLicense, pool: SimulatedPool, knowledge: SimulatedKnowledge): Series {
  const vendorLicense = vendorLicenseName(license);
  const { feature, package: packageName, featureType } = pool;
  if (knowledge === 'flexnet') return asFlexNetSeries({ vendorLicense, feature });
  return { vendorLicense, feature, package: packageName, featureType };
}

/** What the simulated site would have recorded before it was started, day by day, newest first. */
function createSimulatedPast(options: SimulatedPastOptions) {
  const { catalogue, outages, localTime, interval, knowledge } = options;
  const pools = catalogue.reduce((sum, license) => sum + license.pools.length, 0);
  const days = Math.min(options.days, Math.floor(MAX_POOL_DAYS / pools));
  const fineDays = pools > MANY_POOLS ? 0 : FINE_DAYS;
  const fine = createSlots(localTime, interval);
  const coarse = createSlots(localTime, HOUR);

  return function* past(until: number, before: number): Generator<PastPiece | undefined> {
    const today = localTime.dayOf(until);
    for (let day = Math.min(before - 1, today); day >= today - days; day -= 1) {
      const slots: Slots = day > today - fineDays ? fine : coarse;
      const end = Math.min(localTime.startOf(day + 1), until);
      const times: number[] = [];
      for (let at = localTime.startOf(day); at < end; at = slots.after(at)) times.push(slots.of(at));
      let planned = 0;
      for (const license of catalogue) {
        const series: DayOfSamples[] = [];
        const up = times.filter((at) => !isOut(license, at, outages));
        for (const versions of bySeries(license, knowledge)) {
          const plans = versions.map((pool) => planDay(pool, day, localTime.startOf));
          const supply = {
            available: sumOfVersions(
              versions.map((pool) => poolCapacity(incrementsOf(pool, day, localTime), localTime.startOf(day))),
            ),
            reserved: versions.reduce((sum, { reserved }) => sum + reserved, 0),
          };
          const all = samplesOf(plans, supply, up, slots.interval);
          const samples = knowledge === 'full' ? all : all.map(asFlexNetSample);
          const [first] = versions as [SimulatedPool];
          if (samples.length > 0) series.push({ series: seriesOf(license, first, knowledge), day, samples });
          planned += versions.length;
          if (planned % SLICE < versions.length) yield undefined;
        }
        yield { series, completeFrom: license === catalogue.at(-1) ? day : day + 1, daysLeft: day - (today - days) };
      }
    }
  };
}

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
/** Longest time in one state, beats: a working day. */
const LONGEST_STATE = 9;

function stateOf(chance: number): ApplicationStatus['state'] {
  if (chance > 0.3) return 'active';
  if (chance > 0.05) return 'inactive';
  if (chance > 0.03) return 'suspended';
  return chance > 0.015 ? 'blocked' : 'terminated';
}

/** What the application of a user does, and since when. An application that was left open is idle from the evening on. */
function statusOf(key: number, session: PlannedSession | LongSession, at: number): ApplicationStatus {
  const { user, from } = session;
  const left = 'kind' in session && session.kind === 'left open' ? from + randomInteger(7, 10, key, user) * HOUR : at;
  if (at > left) return { state: 'inactive', seconds: Math.floor(at - left) };
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

  const hostOf = (user: string): string => names.workstation(randomInteger(1, WORKSTATIONS, seed, user));
  const checkoutOf = (
    license: SimulatedVendorLicense,
    pool: SimulatedPool,
    session: PlannedSession | LongSession,
    at: number,
  ): SimulatedPoolObservation['checkouts'][number] => {
    const { user, from, licenses = 1, by = pool } = session;
    const isJob = by.shape === 'batch' || by.shape === 'service';
    // a person always has the same host, and each job another one
    const host = isJob ? names.node(randomInteger(1, NODES, seed, user, by.key, from)) : hostOf(user);
    return {
      user,
      host,
      display: `${host}:0`,
      since: from,
      licenses,
      handle: String(randomInteger(100, 99_999, pool.key, user, from)),
      shareHandle: undefined,
      borrowed: 'kind' in session && session.kind === 'borrowed',
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
      lastRead = at;
      return knowledge === 'full' ? all : all.map((license) => asFlexNetKnows(license, at));
    },
  };
}
