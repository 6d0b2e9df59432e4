import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCollector } from '../../../src/analyzer/history/collector.ts';
import { figuresOf } from '../../../src/analyzer/history/sample.ts';
import * as usage from '../../../src/analyzer/history/usage.ts';
import { isExpired, PERMANENT } from '../../../src/analyzer/history/usage.ts';
import { findPools, toFeature } from '../../../src/analyzer/server/feature-records.ts';
import { getServerDown } from '../../../src/analyzer/server/product-records.ts';
import { createCatalogue } from '../../../src/analyzer/simulated/simulated-catalogue.ts';
import { planDay } from '../../../src/analyzer/simulated/simulated-day.ts';
import {
  createSimulatedSite,
  type SimulatedObservation,
  type SimulatedPoolObservation,
  type SimulatedSite,
  type SimulatedSiteOptions,
} from '../../../src/analyzer/simulated/simulated-site.ts';
import { isOut } from '../../../src/analyzer/simulated/simulated-supply.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { vendorLicenseName } from '../../../src/base/model/observation/observation.ts';
import { UNCOUNTED } from '../../../src/base/model/uncounted.ts';
import { cases, isLong } from '../../support/extent.ts';

const DAY = 86_400;
/** A Wednesday, 00:00 in Berlin. */
const MIDNIGHT = Date.UTC(2026, 10, 17, 23) / 1000;
/** 10:30 of that day. */
const MORNING = MIDNIGHT + 10.5 * 3600;

const localTime = createLocalTime('Europe/Berlin');

function siteOf(options: Partial<SimulatedSiteOptions> = {}): SimulatedSite {
  return createSimulatedSite({
    seed: 1,
    vendorLicenses: 10,
    featuresPerVendorLicense: 20,
    timeZone: 'Europe/Berlin',
    now: () => MORNING,
    interval: 60,
    ...options,
  });
}

const observe = (site: SimulatedSite, at: number): readonly SimulatedObservation[] => site.observe(at);

const poolsOf = (observations: readonly SimulatedObservation[]): SimulatedPoolObservation[] =>
  observations.flatMap(({ pools }) => [...pools]);
/** Of the site itself everything is known. */
const maxAvailable = (pool: SimulatedPoolObservation, at: number): number => usage.maxAvailable(pool, at) ?? Number.NaN;
const earliestExpiry = (pool: SimulatedPoolObservation, at: number): number =>
  usage.earliestExpiry(pool, at) ?? Number.NaN;
const inUse = ({ checkouts }: SimulatedPoolObservation): number =>
  checkouts.reduce((sum, { licenses }) => sum + licenses, 0);

describe('simulated site', () => {
  it('names the origin that stores have, and another one for what FlexNet knows', () => {
    const size = { seed: 7, vendorLicenses: 2, featuresPerVendorLicense: 6 };
    expect(siteOf(size).origin).toBe('simulated site 7 of 2 × 6');
    expect(siteOf({ ...size, knowledge: 'flexnet' }).origin).toBe('simulated site 7 of 2 × 6, as flexnet reports it');
  });

  it('is a pure function of seed and time, independent of earlier observations', () => {
    const site = siteOf({ vendorLicenses: 3, featuresPerVendorLicense: 10 });
    const times = fc.array(fc.integer({ min: MIDNIGHT - 40 * DAY, max: MIDNIGHT + 40 * DAY }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(times, (visited) => {
        const seen = visited.map((at) => observe(site, at)).at(-1);
        const fresh = siteOf({ vendorLicenses: 3, featuresPerVendorLicense: 10 });
        expect(seen).toEqual(observe(fresh, visited.at(-1) ?? MORNING));
      }),
      { numRuns: isLong ? 30 : cases(8) },
    );
  });

  it('differs from seed to seed', () => {
    expect(observe(siteOf({ seed: 2 }), MORNING)).not.toEqual(observe(siteOf(), MORNING));
  });

  it('reads what it observes now', async () => {
    const site = siteOf();
    expect(await site.read(new AbortController().signal)).toEqual(observe(site, MORNING));
  });

  it('has the size asked for, and no two pools alike', () => {
    for (const [vendorLicenses, featuresPerVendorLicense] of [
      [1, 1],
      [3, 10],
      [10, 20],
    ] as const) {
      const observations = observe(siteOf({ vendorLicenses, featuresPerVendorLicense }), MORNING + 7200);
      expect(observations).toHaveLength(vendorLicenses);
      for (const { server, pools, reachable } of observations) {
        expect(pools).toHaveLength(reachable ? featuresPerVendorLicense : 0);
        expect(server).toMatch(/^demo-lic\d\d$/);
        const keys = pools.map((pool) => JSON.stringify([pool.feature, pool.version, pool.package, pool.featureType]));
        expect(new Set(keys).size).toBe(pools.length);
      }
    }
  });

  it('never grants more than there is, at any time, and adds up', () => {
    const site = siteOf();
    fc.assert(
      fc.property(
        fc.integer({ min: -400, max: 400 }),
        fc.oneof(fc.nat({ max: DAY - 1 }), fc.constant(DAY - 1)),
        (day, second) => {
          const at = MIDNIGHT + day * DAY + second;
          for (const pool of poolsOf(observe(site, at))) {
            expect(inUse(pool)).toBeLessThanOrEqual(maxAvailable(pool, at));
            for (const { licenses, used } of pool.reservations) expect(used).toBeLessThanOrEqual(licenses);
            for (const { since } of [...pool.checkouts, ...pool.queued]) expect(since).toBeLessThanOrEqual(at);
            expect(pool.denials).toBeGreaterThanOrEqual(0);
          }
        },
      ),
      { numRuns: isLong ? 40 : cases(10) },
    );
  });

  it('plans no session after the end of a day, also of one with 23 hours', () => {
    const day = Date.UTC(2027, 2, 28) / 1000 / DAY;
    const end = localTime.startOf(day + 1);
    expect(end - localTime.startOf(day)).toBe(23 * 3600);
    const pools = createCatalogue({ seed: 1, vendorLicenses: 10, featuresPerVendorLicense: 20 }).flatMap(
      (license) => license.pools,
    );
    const sessions = pools.flatMap((pool) => planDay(pool, day, localTime.startOf).sessions);
    expect(sessions.length).toBeGreaterThan(100);
    expect(sessions.filter(({ from, to }) => from >= end || to <= from)).toEqual([]);
  });

  it('gives up a read that is aborted', async () => {
    const site = siteOf({ vendorLicenses: 4, featuresPerVendorLicense: 600 });
    const aborted = AbortSignal.abort(new Error('stop'));
    await expect(site.read(aborted)).rejects.toThrow('stop');
  });

  it('reads 50,000 pools of a planned day without holding the event loop for long', async () => {
    const site = siteOf({ vendorLicenses: 50, featuresPerVendorLicense: 1000 });
    const { signal } = new AbortController();
    await site.read(signal);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const observations = await site.read(signal);
    clearInterval(timer);
    expect(observations.flatMap(({ pools }) => pools).length).toBeGreaterThan(47_500);
    expect(turns).toBeGreaterThan(10);
  });
});

describe('simulated site of the demo size', () => {
  const site = siteOf({ opening: localTime.dayOf(MORNING) });
  /** A whole working day, every ten minutes. */
  const moments: { at: number; observations: readonly SimulatedObservation[]; pools: SimulatedPoolObservation[] }[] =
    [];
  beforeAll(() => {
    for (let at = MIDNIGHT; at < MIDNIGHT + DAY; at += 600) {
      const observations = observe(site, at);
      moments.push({ at, observations, pools: poolsOf(observations) });
    }
  });
  const count = (of: (pool: SimulatedPoolObservation) => number): number[] =>
    moments.map(({ pools }) => pools.reduce((sum, pool) => sum + of(pool), 0));
  const most = (of: (pool: SimulatedPoolObservation) => number): number => Math.max(...count(of));
  const always = (is: (pool: SimulatedPoolObservation, at: number) => boolean): boolean =>
    moments.every(({ at, pools }) => pools.some((pool) => is(pool, at)));

  it('is saturated at times, with queues and denials', () => {
    expect(
      most((pool) => (pool.checkouts.length > 0 && inUse(pool) === maxAvailable(pool, MORNING) ? 1 : 0)),
    ).toBeGreaterThan(0);
    expect(most(({ queued }) => queued.length)).toBeGreaterThan(0);
    expect(most(({ denials }) => denials)).toBeGreaterThan(0);
  });

  it('works by day and rests at night', () => {
    const used = count(({ checkouts }) => checkouts.filter(({ borrowed }) => !borrowed).length);
    const around = (hour: number): number => Math.max(...used.slice(hour * 6 - 3, hour * 6 + 3));
    expect(around(10)).toBeGreaterThan(2.5 * around(3));
    expect(around(15)).toBeGreaterThan(2.5 * around(22));
  });

  it('has reservations, used and unused', () => {
    const reserved = (pool: SimulatedPoolObservation): number =>
      pool.reservations.reduce((sum, { licenses }) => sum + licenses, 0);
    const used = (pool: SimulatedPoolObservation): number =>
      pool.reservations.reduce((sum, reservation) => sum + reservation.used, 0);
    expect(most(used)).toBeGreaterThan(0);
    expect(most((pool) => reserved(pool) - used(pool))).toBeGreaterThan(0);
  });

  it('lends licenses for several days', () => {
    const borrowed = poolsOf(observe(site, MORNING)).flatMap(({ checkouts }) => checkouts.filter((c) => c.borrowed));
    const before = poolsOf(observe(site, MORNING - DAY)).flatMap(({ checkouts }) => checkouts);
    const known = new Set(before.map(({ handle, since }) => `${handle} ${since}`));
    const older = borrowed.filter(({ since }) => since < MORNING - DAY);
    expect(older.length).toBeGreaterThan(10);
    expect(older.filter(({ handle, since }) => !known.has(`${handle} ${since}`)).length).toBeLessThan(3);
    // they are borrowed at all times of a day, and for a weekend too
    expect(new Set(borrowed.map(({ since }) => Math.floor((since % DAY) / 3600))).size).toBeGreaterThan(5);
  });

  it('has packages with components, and token features whose pool exists', () => {
    const suites = new Set(
      moments.flatMap(({ pools }) =>
        pools.filter(({ featureType }) => featureType === 'package').map((pool) => pool.package),
      ),
    );
    expect(suites.size).toBeGreaterThan(0);
    expect(always((pool) => pool.featureType === 'component' && suites.has(pool.package))).toBe(true);
    for (const { observations } of moments.slice(60, 62)) {
      const tokens = observations.flatMap(({ pools }) =>
        pools.flatMap(({ token }) => (token === undefined ? [] : [token])),
      );
      expect(tokens.length).toBeGreaterThan(0);
      for (const { pool, source, cost } of tokens) {
        const owner = observations.find(({ server, daemon }) => `${server};${daemon}` === source);
        expect(owner?.pools.map(({ feature }) => feature)).toContain(pool);
        expect(cost).toBeGreaterThan(0);
      }
    }
  });

  it('always has permanent and several increments, one that ends soon, and none that has ended', () => {
    const days = Array.from({ length: 120 }, (_, i) => MORNING + 3 * i * DAY);
    for (const at of days) {
      const pools = poolsOf(observe(site, at));
      const left = pools.map((pool) => earliestExpiry(pool, at) - at);
      expect(pools.some((pool) => earliestExpiry(pool, at) === PERMANENT)).toBe(true);
      expect(pools.some((pool) => new Set(pool.increments.map(({ expires }) => expires)).size > 1)).toBe(true);
      expect(Math.min(...left)).toBeGreaterThan(0);
      expect(Math.min(...left)).toBeLessThan(15 * DAY);
      // the contract of a whole vendor license ends in the next two months
      expect(left.filter((seconds) => seconds > 15 * DAY && seconds < 70 * DAY).length).toBeGreaterThan(5);
      expect(pools.some((pool) => isExpired(earliestExpiry(pool, at), at))).toBe(false);
    }
  });

  it('has the date of a contract for most licenses of a vendor license, and another one for each', () => {
    const usual = observe(site, MORNING).map(({ pools }) => {
      const dates = Map.groupBy(pools, (pool) => earliestExpiry(pool, MORNING));
      dates.delete(PERMANENT);
      const [busiest] = [...dates].sort(([, a], [, b]) => b.length - a.length);
      expect(busiest?.[1].length).toBeGreaterThan(pools.length / 2);
      return busiest?.[0];
    });
    expect(new Set(usual).size).toBe(usual.length);
  });

  it('ends licenses with the last second of a local day', () => {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'medium' });
    const ends = poolsOf(observe(site, MORNING)).flatMap(({ increments }) => increments.map(({ expires }) => expires));
    const clocks = ends.flatMap((end) => (end === undefined ? [] : [format.format(end * 1000)]));
    expect(new Set(clocks)).toEqual(new Set(['23:59:59']));
  });

  it('has uncounted, node-locked, named and never used features, and two versions of one', () => {
    expect(always((pool) => pool.licenseType === 'uncounted' && maxAvailable(pool, MORNING) === UNCOUNTED)).toBe(true);
    expect(always(({ licenseType }) => licenseType === 'node-locked')).toBe(true);
    expect(always(({ licenseModel }) => licenseModel === 'named')).toBe(true);
    const used = new Set<string>();
    const all = new Set<string>();
    for (const { observations } of moments) {
      for (const { server, pools } of observations) {
        for (const { feature, version, checkouts } of pools) {
          const name = JSON.stringify([server, feature, version]);
          all.add(name);
          if (checkouts.length > 0) used.add(name);
        }
      }
    }
    expect(used.size).toBeLessThan(all.size);
    const features = new Set([...all].map((name) => JSON.stringify(JSON.parse(name).slice(0, 2))));
    expect(features.size).toBeLessThan(all.size);
  });

  it('knows the status of applications of some vendor licenses only', () => {
    const knowing = observe(site, MORNING).map(({ pools }) => {
      const checkouts = pools.flatMap((pool) => pool.checkouts);
      return checkouts.length === 0 ? undefined : checkouts.every(({ status }) => status !== undefined);
    });
    expect(knowing).toContain(true);
    expect(knowing).toContain(false);
  });

  it('has one server that goes down for more than 30 minutes and comes back', async () => {
    const catalogue = createCatalogue({ seed: 1, vendorLicenses: 10, featuresPerVendorLicense: 1 });
    let now = MIDNIGHT;
    while (!catalogue.some((license) => isOut(license, now + 600, { seed: 1 }))) now += 600;
    const collector = createCollector({
      sources: [siteOf({ now: () => now })],
      localTime,
      now: () => now,
      onProblem: () => {},
    });
    const down: string[][] = [];
    for (const end = now + 7200; now < end; now += 600) {
      await collector.collect();
      down.push(getServerDown(collector.current(), now, {}).map(({ Label }) => Label));
    }
    expect(new Set(down.flat()).size).toBe(1);
    expect(down.at(0)).toEqual([]);
    expect(down.at(-1)).toEqual([]);
  });
});

describe('the opening of the simulated site', () => {
  const size = { seed: 1, vendorLicenses: 10, featuresPerVendorLicense: 20 };

  it('is a working morning on every day of a year, and nothing of it is odd', () => {
    for (let later = 0; later < 365; later += isLong ? 1 : 13) {
      const opening = localTime.dayOf(MIDNIGHT) + later;
      const at = localTime.startOf(opening) + 10.3 * 3600;
      const site = siteOf({ ...size, opening, downSince: at - 2400 });
      const observations = observe(site, at);
      const pools = poolsOf(observations);
      expect(observations.filter(({ reachable }) => !reachable).map(({ server }) => server)).toEqual(['demo-lic02']);
      const full = pools.filter((pool) => inUse(pool) > 0 && inUse(pool) === maxAvailable(pool, at));
      const [assembly] = full.filter(({ feature }) => feature === 'cad_assembly');
      if (assembly === undefined) throw new Error(`cad_assembly is not full on day ${opening}`);
      expect(assembly.queued.length).toBeGreaterThan(2);
      expect(full.length).toBeLessThan(6);
      // who forgot to close it is idle since an evening before, or it has ended
      const idle = assembly.checkouts.filter(({ since }) => since < localTime.startOf(opening));
      expect(idle.length).toBeGreaterThan(0);
      for (const { status } of idle) expect(status?.state).toMatch(/^(?:inactive|terminated)$/);
      const usersAt = (when: number): number =>
        new Set(poolsOf(observe(site, when)).flatMap(({ checkouts }) => checkouts.map(({ user }) => user))).size;
      // those of the night run jobs or have borrowed a license
      expect(usersAt(at)).toBeGreaterThan(300);
      expect(usersAt(localTime.startOf(opening) + 3 * 3600)).toBeLessThan(usersAt(at) / 2);
      // of two versions of a feature, both have ended or none has
      expect(pools.some((pool) => isExpired(earliestExpiry(pool, at), at))).toBe(false);
    }
  });

  it('has two quiet days a week, which are never the day of the opening', () => {
    for (let later = 0; later < 7; later += 1) {
      const noon = MIDNIGHT + later * DAY + 10 * 3600;
      const site = siteOf({ ...size, opening: localTime.dayOf(noon) });
      const used = Array.from({ length: 7 }, (_, day) =>
        poolsOf(observe(site, noon - day * DAY)).reduce((sum, { checkouts }) => sum + checkouts.length, 0),
      );
      const isQuiet = used.map((count) => count < (used[0] ?? 0) / 2);
      expect(isQuiet.filter(Boolean)).toHaveLength(2);
      expect(isQuiet[0]).toBe(false);
    }
  });
});

/** What is seen of one pool at each full hour of four weeks. */
interface Watched {
  readonly name: string;
  readonly count: number;
  /** Licenses in use, hour by hour from a Wednesday, 00:00. */
  readonly use: number[];
  denials: number;
}

function watchWeeks(site: SimulatedSite): Watched[] {
  const watched = new Map<string, Watched>();
  for (let at = MIDNIGHT; at < MIDNIGHT + 28 * DAY; at += 3600) {
    for (const { server, pools } of site.observe(at + 3599, at - 1)) {
      for (const pool of pools) {
        const name = `${server} ${pool.feature} ${pool.version}`;
        const one = watched.get(name) ?? { name, count: maxAvailable(pool, at), use: [], denials: 0 };
        watched.set(name, one);
        one.use.push(inUse(pool));
        one.denials += pool.denials;
      }
    }
  }
  return [...watched.values()];
}

describe('four weeks of the simulated site', () => {
  const all = watchWeeks(siteOf());
  const counted = all.filter(({ count }) => count > 0 && count !== UNCOUNTED);
  const peak = ({ use, count }: Watched): number => Math.max(...use) / count;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const isWorkingDay = (hour: number): boolean => ![3, 4].includes(Math.floor(hour / 24) % 7);
  /** Licenses in use from one hour of the clock to before another, on average. */
  const usual = ({ use }: Watched, from: number, to: number, isDay = isWorkingDay): number => {
    const seen = use.filter((_, hour) => isDay(hour) && hour % 24 >= from && hour % 24 < to);
    return sum(seen) / seen.length;
  };

  it('are of pools of which most are used well, and few are ever full', () => {
    const share = (is: (one: Watched) => boolean): number => counted.filter(is).length / counted.length;
    expect(share((one) => peak(one) > 0.45 && peak(one) < 0.95)).toBeGreaterThan(0.75);
    expect(share((one) => peak(one) >= 0.95)).toBeLessThan(0.05);
    expect(share((one) => peak(one) < 0.3)).toBeLessThan(0.1);
    expect(counted.filter(({ use }) => Math.max(...use) === 0).map(({ name }) => name)).toEqual([
      'demo-lic01 cad_mold 1.0',
    ]);
  });

  it('have one feature that lacks licenses, and none that is always full', () => {
    const denied = counted.filter(({ denials }) => denials > 0).sort((a, b) => b.denials - a.denials);
    expect(denied[0]?.name).toBe('demo-lic01 cad_assembly 2.0');
    expect(denied[0]?.denials).toBeGreaterThan(30);
    expect(sum(denied.slice(1).map(({ denials }) => denials))).toBeLessThan(20);
    expect(denied.length).toBeLessThan(8);
    expect(counted.filter(({ use, count }) => use.every((held) => held === count))).toEqual([]);
  });

  it('have work by day, work by night, and work that comes and goes', () => {
    const byDay = counted.filter((one) => usual(one, 9, 17) > 3 * usual(one, 21, 24));
    const byNight = counted.filter((one) => usual(one, 21, 24) > 1.3 * usual(one, 9, 17));
    expect(byDay.length).toBeGreaterThan(counted.length / 2);
    expect(byNight.length).toBeGreaterThan(10);
    const site = (from: number, to: number, isDay?: (hour: number) => boolean): number =>
      sum(counted.map((one) => usual(one, from, to, isDay)));
    expect(site(9, 17)).toBeGreaterThan(3 * site(9, 17, (hour) => !isWorkingDay(hour)));
    expect(site(10, 11)).toBeGreaterThan(1.2 * site(12, 13));
    const weekly = ({ use }: Watched): number[] =>
      [0, 1, 2, 3].map((week) => sum(use.slice(week * 168, week * 168 + 168)));
    const changing = byDay.filter((one) => Math.max(...weekly(one)) > 2 * Math.min(...weekly(one)));
    expect(changing.length).toBeGreaterThan(10);
  });

  it('have no problem at all in a healthy site', () => {
    const healthy = siteOf({ isHealthy: true });
    const pools = watchWeeks(healthy).filter(({ count }) => count !== UNCOUNTED);
    // none was down at any hour
    expect(new Set(pools.map(({ use }) => use.length))).toEqual(new Set([28 * 24]));
    expect(pools.filter(({ denials }) => denials > 0)).toEqual([]);
    expect(pools.filter((one) => !(peak(one) < 0.95)).map(({ name }) => name)).toEqual([]);
    expect(pools.filter((one) => peak(one) > 0.45).length).toBeGreaterThan(0.75 * pools.length);
    for (let day = 0; day < 365; day += 3) {
      const at = MORNING + day * DAY;
      const left = poolsOf(observe(healthy, at)).map((pool) => earliestExpiry(pool, at) - at);
      expect(Math.min(...left)).toBeGreaterThan(70 * DAY);
    }
  });
});

describe('the past', () => {
  /** What would have been recorded at a moment. */
  function seenAt(site: SimulatedSite, at: number): Map<string, Record<string, number | undefined>> {
    const figures = observe(site, at).flatMap((license) =>
      license.reachable ? [...figuresOf(license, vendorLicenseName(license), at)] : [],
    );
    return new Map(figures.map(([series, { denials: _, ...rest }]) => [JSON.stringify(series), rest]));
  }

  it('is what would have been seen in the middle of each slot, and every refusal once', () => {
    const options = { vendorLicenses: 5, featuresPerVendorLicense: 14, historyDays: 12 };
    const site = siteOf(options);
    const until = MORNING;
    const today = createLocalTime('Europe/Berlin').dayOf(until);
    const pieces = [...site.past(until, today + 1)].filter((step) => step !== undefined);
    const complete = new Set(pieces.map(({ completeFrom }) => completeFrom));
    expect([...complete]).toEqual(Array.from({ length: 14 }, (_, i) => today + 1 - i));
    const samples = pieces.flatMap(({ series }) =>
      series.flatMap((one) => one.samples.map((sample) => ({ key: JSON.stringify(one.series), sample }))),
    );
    const times = [...new Set(samples.map(({ sample }) => sample.at))].sort((a, b) => a - b);
    // an hour apart, a minute in the last two days, up to the moment
    expect(times[1]).toBe((times[0] ?? 0) + 3600);
    expect(times.slice(-2)).toEqual([until - 120, until - 60]);
    fc.assert(
      fc.property(fc.constantFrom(...times), (at) => {
        const then = samples.filter(({ sample }) => sample.at === at);
        const middle = at + (then[0]?.sample.seconds ?? 0) / 2;
        const figures = then.map(({ key, sample }) => {
          const { at: _, seconds: __, denials: ___, ...rest } = sample;
          return [key, rest] as const;
        });
        // the server that goes down may do so between the beginning and the middle of a slot
        const seen = [...seenAt(site, middle)].filter(([key]) => !key.includes('demo-lic02'));
        expect(new Map(figures.filter(([key]) => !key.includes('demo-lic02')))).toEqual(new Map(seen));
      }),
      { numRuns: isLong ? 60 : cases(12) },
    );
    // whole days, as they are planned: one of samples an hour apart, one of samples a minute apart
    const zone = createLocalTime('Europe/Berlin');
    for (const day of [today - 9, today - 1]) {
      const [start, end] = [zone.startOf(day), zone.startOf(day + 1)];
      const recorded = samples
        .filter(({ key, sample }) => !key.includes('demo-lic02') && sample.at >= start && sample.at < end)
        .reduce((sum, { sample }) => sum + (sample.denials ?? Number.NaN), 0);
      const planned = site
        .observe(end - 1, start - 1)
        .filter(({ server }) => server !== 'demo-lic02')
        .reduce((sum, { pools }) => sum + pools.reduce((all, pool) => all + pool.denials, 0), 0);
      expect(planned).toBeGreaterThan(0);
      expect(recorded).toBe(planned);
    }
  });

  it('is the same for the same seed, and goes on before any day', () => {
    const options = { vendorLicenses: 2, featuresPerVendorLicense: 8, historyDays: 5 };
    const today = createLocalTime('Europe/Berlin').dayOf(MORNING);
    const all = [...siteOf(options).past(MORNING, today + 1)].filter((step) => step !== undefined);
    const rest = [...siteOf(options).past(MORNING, today - 2)].filter((step) => step !== undefined);
    // two vendor licenses, so two pieces a day
    expect(rest).toEqual(all.slice(6));
  });

  it('is shorter for very large sites', () => {
    const options = { vendorLicenses: 2, featuresPerVendorLicense: 4000, historyDays: 400 };
    const today = createLocalTime('Europe/Berlin').dayOf(MORNING);
    const past = siteOf(options).past(MORNING, today - 1);
    let step = past.next();
    while (step.value === undefined && !step.done) step = past.next();
    // an hour apart, although it is less than a week ago
    expect(step.value?.series[0]?.samples.length).toBe(24);
    expect(
      siteOf(options)
        .past(MORNING, today - 100)
        .next().done,
    ).toBe(true);
  });
});

describe('forced states', () => {
  const key = 'demo-lic01;caddsd';
  const first = (observations: readonly SimulatedObservation[]): SimulatedObservation => {
    const found = observations.find(({ server, daemon }) => `${server};${daemon}` === key);
    if (found === undefined) throw new Error('not there');
    return found;
  };

  it('makes a vendor license unreachable, and reachable again', () => {
    const site = siteOf();
    site.force({ down: [key] });
    expect(first(observe(site, MORNING))).toMatchObject({ reachable: false, pools: [] });
    site.force({});
    expect(observe(site, MORNING)).toEqual(observe(siteOf(), MORNING));
  });

  it('sets the expiry of a feature', async () => {
    const site = siteOf();
    const feature = first(observe(site, MORNING)).pools[0]?.feature ?? '';
    site.force({ expirations: { [`${key}/${feature}`]: MORNING + 60 } });
    const collector = createCollector({ sources: [site], localTime, now: () => MORNING, onProblem: () => {} });
    await collector.collect();
    const records = findPools(collector.current(), { product: key, filters: feature }).map((pool) =>
      toFeature(pool, MORNING),
    );
    expect(records.map((record) => [record.LicenseExpiration, record.ShowWarning])).toEqual([[MORNING + 60, true]]);
  });
});
