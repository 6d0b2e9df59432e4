import type { LocalTime } from '../../base/model/local-time.ts';
import { vendorLicenseName } from '../../base/model/observation/observation.ts';
import type { DayOfSamples, PastPiece, Sample, Series } from '../history/sample.ts';
import { createSlots, type Slots } from '../history/slots.ts';
import { poolCapacity, sumOfVersions } from '../history/usage.ts';
import type { SimulatedPool, SimulatedVendorLicense } from './simulated-catalogue.ts';
import { type DayPlan, planDay } from './simulated-day.ts';
import { asFlexNetSample, asFlexNetSeries, type SimulatedKnowledge } from './simulated-knowledge.ts';
import { incrementsOf, isOut, type Outages } from './simulated-supply.ts';

/** What the simulated site would have recorded before it was started. */

/** The site whose past is made up, and for which days. */
interface SimulatedPastOptions {
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
  const denials = plans.flatMap((plan) => plan.refused.map(({ from }) => from)).sort((a, b) => a - b);
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
export function createSimulatedPast(options: SimulatedPastOptions) {
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
