import { createDaySummary, totalsOf } from '../../../src/analyzer/history/day-summary.ts';
import type { Sample, Series } from '../../../src/analyzer/history/sample.ts';
import type { SimulatedPool } from '../../../src/analyzer/simulated/simulated-catalogue.ts';
import { createCatalogue } from '../../../src/analyzer/simulated/simulated-catalogue.ts';
import { planDay } from '../../../src/analyzer/simulated/simulated-day.ts';
import { createSimulatedSite } from '../../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { Demand } from '../../../src/insight/advice/method/demand.ts';
import { type DemandDay, hoursOf } from '../../support/drawn-demand.ts';

/** The history of the simulated site as demand, and the truth that its pools would need without a limit. */

const localTime = createLocalTime('Europe/Berlin');
const YEAR = 365;

/** Days of one series, newest first while they are collected. */
interface Recorded {
  readonly series: Series;
  readonly days: DemandDay[];
}

const summarise = createDaySummary();

function dayOf(day: number, samples: readonly Sample[]): DemandDay {
  const frame = localTime.hoursOf(day);
  const hours = summarise([{ samples }], { hours: frame, end: localTime.startOf(day + 1) });
  return {
    day,
    hours: hours.map(({ index, available, reserved, denials, levels }) => ({
      hour: frame[index]?.hour ?? 0,
      available,
      reserved,
      denials,
      levels,
    })),
  };
}

function toDemand({ series, days }: Recorded): Demand {
  const totals = days.map(({ hours }) => totalsOf(hours.map((hour) => ({ ...hour, index: 0, users: undefined }))));
  const column = (of: 'available' | 'inUse' | 'reserved' | 'denials'): Float64Array =>
    Float64Array.from(totals, (day) => day[of] ?? Number.NaN);
  return {
    series,
    days: {
      day: Int32Array.from(days, ({ day }) => day),
      available: column('available'),
      inUse: column('inUse'),
      reserved: column('reserved'),
      denials: column('denials'),
    },
    detail: hoursOf(days),
  };
}

export interface SimulatedSize {
  readonly seed: number;
  readonly vendorLicenses: number;
  readonly featuresPerVendorLicense: number;
}

/** What the simulated site recorded in the year before a local day. */
export function simulatedDemand(size: SimulatedSize, today: number): Demand[] {
  const now = localTime.startOf(today);
  const site = createSimulatedSite({
    ...size,
    timeZone: localTime.timeZone,
    now: () => now,
    interval: 3600,
    historyDays: YEAR,
  });
  const bySeries = new Map<string, Recorded>();
  for (const piece of site.past(now, today)) {
    for (const { series, day, samples } of piece?.series ?? []) {
      const key = JSON.stringify(series);
      const recorded = bySeries.get(key) ?? { series, days: [] };
      bySeries.set(key, recorded);
      recorded.days.push(dayOf(day, samples));
    }
  }
  return [...bySeries.values()].map(({ series, days }) => toDemand({ series, days: days.toReversed() }));
}

/** The pools of a size, by the name of their series. Versions of a feature are several pools. */
export function poolsOf(size: SimulatedSize): Map<string, SimulatedPool[]> {
  const pools = new Map<string, SimulatedPool[]>();
  for (const { server, daemon, part, pools: ofLicense } of createCatalogue(size)) {
    for (const pool of ofLicense) {
      const vendorLicense = part === '' ? `${server};${daemon}` : `${server};${daemon};${part}`;
      const key = JSON.stringify([vendorLicense, pool.feature, pool.package, pool.featureType]);
      pools.set(key, [...(pools.get(key) ?? []), pool]);
    }
  }
  return pools;
}

/** Licenses that a pool would need without a limit: exceeded for at most `tolerance` hours in the year before a day. */
export function trueNeed(pools: readonly SimulatedPool[], today: number, tolerance: number): number {
  const changes: [at: number, by: number][] = [];
  for (const pool of pools) {
    for (let day = today - YEAR; day < today; day += 1) {
      const begin = localTime.startOf(day);
      // a license can be borrowed from a share of those there are; what is held over days is planned on each of them
      const { long } = planDay(pool, day, localTime.startOf);
      const borrowers = new Set(long.map(({ user }) => user));
      const users = pool.users.filter((user) => !borrowers.has(user));
      const crew = pool.crew - long.length;
      const { sessions } = planDay(
        { ...pool, users, crew, lends: false, forgetful: 0, count: 1e6 },
        day,
        localTime.startOf,
      );
      // a job that goes on from the day before is planned on both days
      for (const { from, to } of sessions) changes.push([Math.max(from, begin), 1], [to, -1]);
      for (const { from, to } of long) {
        const [first, last] = [Math.max(from, begin), Math.min(to, localTime.startOf(day + 1))];
        if (first < last) changes.push([first, 1], [last, -1]);
      }
    }
  }
  changes.sort((a, b) => a[0] - b[0]);
  const seconds: number[] = [];
  let inUse = 0;
  for (const [i, [at, by]] of changes.entries()) {
    inUse += by;
    seconds[inUse] = (seconds[inUse] ?? 0) + ((changes[i + 1]?.[0] ?? at) - at);
  }
  let above = 0;
  for (let n = seconds.length - 1; n > 0; n -= 1) {
    above += seconds[n] ?? 0;
    if (above > tolerance * 3600) return n;
  }
  return 0;
}
