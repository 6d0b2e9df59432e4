import type { Demand, DemandColumns, WaitsByDay } from '../../src/insight/advice/method/demand.ts';

/** The recorded demand of a series, made from days of hours. */

/** An hour of a local day. What is unknown is `undefined`. */
export interface DemandHour {
  /** Hour of the clock, 0 to 23. */
  readonly hour: number;
  readonly available: number | undefined;
  readonly reserved: number | undefined;
  readonly denials: number | undefined;
  /** Seconds at each number of licenses in use, the highest first and the unknown last. */
  readonly levels: readonly (readonly [inUse: number | undefined, seconds: number])[];
}

export interface DemandDay {
  readonly day: number;
  readonly hours: readonly DemandHour[];
}

/** Demand, and the days that it was made from. */
export interface DrawnDemand extends Demand {
  readonly drawn: readonly DemandDay[];
}

const series = { vendorLicense: 'lic1;cadd', feature: 'cad', package: '', featureType: 'feature' };

/** The highest of known figures; NaN without any. */
function most(values: Iterable<number | undefined>): number {
  let result = Number.NaN;
  for (const value of values) if (value !== undefined && !(result >= value)) result = value;
  return result;
}

function total(values: readonly (number | undefined)[]): number {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? Number.NaN : known.reduce((sum, value) => sum + value, 0);
}

function columnsOf({ day, hours }: DemandDay): DemandColumns {
  const column = (of: (hour: DemandHour) => number | undefined): Float64Array =>
    Float64Array.from(hours, (hour) => of(hour) ?? Number.NaN);
  const levels = hours.flatMap((hour) => hour.levels);
  let first = 0;
  const ends = hours.map((hour) => {
    first += hour.levels.length;
    return first;
  });
  return {
    day,
    count: hours.length,
    hour: column(({ hour }) => hour),
    available: column(({ available }) => available),
    reserved: column(({ reserved }) => reserved),
    denials: column(({ denials }) => denials),
    firstLevel: Int32Array.of(0, ...ends),
    inUse: Float64Array.from(levels, ([inUse]) => inUse ?? Number.NaN),
    seconds: Float64Array.from(levels, ([, seconds]) => seconds),
  };
}

/** The hours of days, for a reader that asks for some of them. */
export const hoursOf = (days: readonly DemandDay[], waits: WaitsByDay = new Map()): Demand['detail'] => ({
  kind: 'hours',
  waits,
  *hours(from, to) {
    for (const day of days) if (day.day >= from && day.day < to) yield columnsOf(day);
  },
});

/** The same, but all days are returned, no matter which were asked for. */
export const allHoursOf = (days: readonly DemandDay[]): Demand['detail'] => ({
  kind: 'hours',
  waits: new Map(),
  hours: () => days.map(columnsOf),
});

/** Demand that was recorded on these days, by hours. */
export function demandOfDays(drawn: readonly DemandDay[]): DrawnDemand {
  const column = (of: (hours: readonly DemandHour[]) => number): Float64Array =>
    Float64Array.from(drawn, ({ hours }) => of(hours));
  return {
    series,
    days: {
      day: Int32Array.from(drawn, ({ day }) => day),
      available: column((hours) => most(hours.map(({ available }) => available))),
      inUse: column((hours) => most(hours.map(({ levels }) => levels[0]?.[0]))),
      reserved: column((hours) => most(hours.map(({ reserved }) => reserved))),
      denials: column((hours) => total(hours.map(({ denials }) => denials))),
    },
    detail: hoursOf(drawn),
    drawn,
  };
}
