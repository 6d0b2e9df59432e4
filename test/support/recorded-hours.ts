import type { Demand, DemandColumns } from '../../src/insight/advice/method/demand.ts';
import { PAST } from './drawn-hours.ts';

/** What is recorded of drawn demand: use up to the licenses, and what did not fit as refused requests. */

const HOURS = 24;
/** A Monday, as the first day of the drawn past. */
const FIRST_DAY = 19_996;

/** The first day of the coming year. */
export const TODAY = FIRST_DAY + PAST;

const series = { vendorLicense: 'lic1;cadd', feature: 'cad', package: '', featureType: 'feature' };

/** @param past days that are recorded @param until day before which they are, relative to `TODAY` */
export function recordHours(hours: Int32Array, past: number, bought: (day: number) => number, until = 0): Demand {
  const from = -past;
  const days = until - from;
  const filled = (of: (day: number) => number): Float64Array =>
    Float64Array.from({ length: days }, (_, i) => of(from + i));
  const demandOn = (day: number): Int32Array => hours.subarray((day + PAST) * HOURS, (day + PAST + 1) * HOURS);
  const columns = {
    day: Int32Array.from({ length: days }, (_, i) => TODAY + from + i),
    available: filled(bought),
    inUse: filled((day) => Math.min(bought(day), Math.max(...demandOn(day)))),
    reserved: new Float64Array(days),
    denials: filled((day) => demandOn(day).reduce((sum, wanted) => sum + Math.max(0, wanted - bought(day)), 0)),
  };
  return {
    series,
    days: columns,
    detail: {
      kind: 'hours',
      waits: new Map(),
      *hours(first, last) {
        const one: DemandColumns & { day: number } = {
          day: 0,
          count: HOURS,
          hour: Float64Array.from({ length: HOURS }, (_, i) => i),
          available: new Float64Array(HOURS),
          reserved: new Float64Array(HOURS),
          denials: new Float64Array(HOURS),
          firstLevel: Int32Array.from({ length: HOURS + 1 }, (_, i) => i),
          inUse: new Float64Array(HOURS),
          seconds: new Float64Array(HOURS).fill(3600),
        };
        for (let day = Math.max(from, first - TODAY); day < Math.min(until, last - TODAY); day += 1) {
          const licenses = bought(day);
          const wanted = demandOn(day);
          one.day = TODAY + day;
          one.available.fill(licenses);
          for (let i = 0; i < HOURS; i += 1) {
            const demanded = wanted[i] as number;
            one.inUse[i] = Math.min(demanded, licenses);
            one.denials[i] = Math.max(0, demanded - licenses);
          }
          yield one;
        }
      },
    },
  };
}
