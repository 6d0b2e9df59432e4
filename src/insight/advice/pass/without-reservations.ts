import { canonical } from '../../../base/model/vendor-license.ts';
import { createPattern } from '../../../base/model/wildcard.ts';
import type { DayColumns, Demand, DemandColumns, SeriesName } from '../method/demand.ts';
import { WINDOW_DAYS } from '../method/window.ts';

/** A time in which no licenses of the series that match are reserved. `%` matches any text. */
export interface WithoutReservations {
  /** Letter case is ignored. */
  readonly vendorLicense: string;
  readonly feature: string;
  /** The first and the last local day, counted from 1970-01-01; `undefined` for no limit. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** Demand with what the settings say of its reservations. */
export interface StatedDemand {
  readonly demand: Demand;
  /** The newest day with reserved licenses although the settings say that no licenses are. Then these do not count for the series. */
  readonly reservedOn: number | undefined;
}

/** What entries say of the reservations of each series. */
export interface ReservationStatements {
  /** @param reservedNow licenses of the series that are reserved today, as far as that is known */
  of(demand: Demand, today: number, reservedNow: number): StatedDemand;
}

type IsStated = (day: number) => boolean;

/** The newest stated day of the year on which licenses were reserved. */
function reservedOn({ day, reserved }: DayColumns, isStated: IsStated, today: number): number | undefined {
  const i = day.findLastIndex(
    (at, j) => at < today && at >= today - WINDOW_DAYS && isStated(at) && (reserved[j] as number) > 0,
  );
  return day[i];
}

/** Reserved licenses: none, where they are not known. */
const stated = (reserved: Float64Array): Float64Array =>
  reserved.map((licenses) => (Number.isNaN(licenses) ? 0 : licenses));

function statedDays(days: DayColumns, isStated: IsStated): DayColumns {
  const { day, reserved } = days;
  return {
    ...days,
    reserved: stated(reserved).map((licenses, i) => (isStated(day[i] as number) ? licenses : (reserved[i] as number))),
  };
}

function* statedHours(hours: Iterable<DemandColumns>, isStated: IsStated): Generator<DemandColumns> {
  for (const columns of hours)
    yield isStated(columns.day) ? { ...columns, reserved: stated(columns.reserved) } : columns;
}

/** Figures that are known stay. */
export function createReservationStatements(entries: readonly WithoutReservations[]): ReservationStatements {
  const patterns = entries.map((entry) => ({
    matchesVendorLicense: createPattern(canonical(entry.vendorLicense), { ignoreCase: true }),
    matchesFeature: createPattern(entry.feature, { ignoreCase: false }),
    from: entry.from ?? Number.NEGATIVE_INFINITY,
    until: entry.until ?? Number.POSITIVE_INFINITY,
  }));
  const timesOf = ({ vendorLicense, feature }: SeriesName) =>
    patterns.filter(
      ({ matchesVendorLicense, matchesFeature }) => matchesVendorLicense(vendorLicense) && matchesFeature(feature),
    );
  const of: ReservationStatements['of'] = (demand, today, reservedNow) => {
    const times = timesOf(demand.series);
    if (times.length === 0) return { demand, reservedOn: undefined };
    const isStated: IsStated = (day) => times.some(({ from, until }) => from <= day && day <= until);
    const against = reservedNow > 0 && isStated(today) ? today : reservedOn(demand.days, isStated, today);
    if (against !== undefined) return { demand, reservedOn: against };
    const { days, detail } = demand;
    const hours = detail.kind === 'hours' && {
      detail: { ...detail, hours: (from: number, to: number) => statedHours(detail.hours(from, to), isStated) },
    };
    return { demand: { ...demand, days: statedDays(days, isStated), ...hours }, reservedOn: undefined };
  };
  return { of };
}
