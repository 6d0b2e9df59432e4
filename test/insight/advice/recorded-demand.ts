import type { Demand } from '../../../src/insight/advice/method/demand.ts';
import { type DemandDay, type DrawnDemand, demandOfDays } from '../../support/drawn-demand.ts';
import { createRandom } from '../../support/random.ts';
import { demandOf, HISTORY_DAYS, type Law } from './demand-kinds.ts';

/** Recorded demand, made from days of hours. */

/** A Monday, as in `demand-kinds`. */
export const FIRST_DAY = 20_003;

/** The same as a foreign analyzer knows it: days, and a curve over the last 365 days. */
export function asCurve(demand: DrawnDemand, today: number): Demand {
  const seconds = new Map<number, number>();
  for (const { day, hours } of demand.drawn) {
    if (day < today - 365 || day >= today) continue;
    for (const [inUse, length] of hours.flatMap(({ levels }) => levels)) {
      if (inUse !== undefined) seconds.set(inUse, (seconds.get(inUse) ?? 0) + length);
    }
  }
  const hoursAtLeast = new Float64Array(Math.max(-1, ...seconds.keys()) + 1);
  for (const [inUse, length] of seconds) {
    for (let n = 0; n <= inUse; n += 1) hoursAtLeast[n] = (hoursAtLeast[n] ?? 0) + length / 3600;
  }
  return { ...demand, detail: { kind: 'curve', hoursAtLeast } };
}

/** What is recorded of a law: use up to the licenses, and what did not fit as refused requests. */
export function recordLaw(law: Law, seed: number): { demand: DrawnDemand; bought: number } {
  const random = createRandom(seed);
  const days: DemandDay[] = [];
  let day = 0;
  let bought = 0;
  for (const hours of demandOf(law, seed, 0, HISTORY_DAYS, random)) {
    bought = law.bought(law, day, seed);
    const available = bought;
    const isGap = law.lacksDays === true && day >= HISTORY_DAYS - 102 && day < HISTORY_DAYS - 60;
    const isMissing = law.lacksDays === true && (random.next() < 0.2 || isGap);
    if (!isMissing) {
      days.push({
        day: FIRST_DAY + day,
        hours: hours.map((demanded, hour) => ({
          hour,
          available,
          reserved: 0,
          denials: Math.max(0, demanded - available),
          levels: [[Math.min(demanded, available), 3600]],
        })),
      });
    }
    day += 1;
  }
  return { demand: demandOfDays(days), bought };
}
