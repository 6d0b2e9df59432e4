import type { LocalHour, LocalTime } from '../../base/model/local-time.ts';
import {
  type BlockedCause,
  blockedCauses,
  type EndedWaits,
  type Ending,
  endings,
} from '../../base/model/observation/observation.ts';
import { isUncountedFigure, UNCOUNTED } from '../../base/model/uncounted.ts';
import { type ArchivedDay, type DayOrigin, knownSeconds, type MergedDay } from '../history/archived-day.ts';
import { decodeHours } from '../history/hour-columns.ts';
import type { HourSummary } from '../history/hour-summary.ts';
import type { ArchiveConnection, ArchiveRow } from './connection.ts';

/** Days and hours as rows of the archive. */

/** A day of the archive, with the key of its series there, and the transaction that wrote it. */
export interface DayOfArchive {
  readonly day: ArchivedDay;
  readonly series: number;
  readonly change: number;
}

type Value = string | number | boolean | Uint8Array | undefined;

/** A column of a table, with what it means. Dates are local days, times epoch seconds; what is not known is undefined. */
interface Column<T> {
  readonly type: 'integer' | 'smallint' | 'bigint' | 'boolean' | 'text' | 'bytea' | 'date' | 'timestamptz';
  readonly about: string;
  readonly of: (row: T) => Value;
}

const LIVE = 'live';
const JOIN = ', ';
const listOf = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** The number of licenses; an uncounted feature has none. */
const counted = (available: number | undefined): number | undefined =>
  available === undefined || isUncountedFigure(available) ? undefined : available;
const isUncounted = (available: number | undefined): boolean => available !== undefined && isUncountedFigure(available);

const originText = ({ isLive, forms }: DayOrigin): string => [...(isLive ? [LIVE] : []), ...forms].join(JOIN);

function originOf(text: string, seconds: number | null): DayOrigin {
  const words = text.split(JOIN);
  return { isLive: words[0] === LIVE, forms: words.filter((word) => word !== LIVE), seconds: seconds ?? undefined };
}

const figureOf = (row: ArchiveRow, column: string): number | undefined =>
  row[column] === null ? undefined : Number(row[column]);

/** The columns of a day that `dayOf` needs. */
export const DAY_COLUMNS = `vendor_license, feature, package, feature_type, series, day - date '1970-01-01' AS day, origin,
  resolution, peak, license_seconds, denials, available, uncounted, reserved, users, hours, day.episodes, day.change,
  (SELECT json_agg(json_build_array(waits.cause, waits.ended, waits.episodes, waits.seconds, waits.people))
    FROM schema.blocked_day AS waits WHERE waits.series = day.series AND waits.day = day.day)::text AS waits`;

type WaitsRow = readonly [cause: BlockedCause, ended: Ending, episodes: number, seconds: number, people: number];

function waitsOf(row: ArchiveRow): readonly EndedWaits[] | undefined {
  if (row.episodes === null) return undefined;
  const rows = row.waits === null ? [] : (JSON.parse(String(row.waits)) as readonly WaitsRow[]);
  return rows.map(([cause, ended, episodes, seconds, people]) => ({ cause, ended, episodes, seconds, people }));
}

/** A row with these columns. */
export function dayOf(row: ArchiveRow): DayOfArchive {
  const text = (column: string): string => String(row[column]);
  return {
    series: Number(row.series),
    change: Number(row.change),
    day: {
      series: {
        vendorLicense: text('vendor_license'),
        feature: text('feature'),
        package: text('package'),
        featureType: text('feature_type'),
      },
      day: Number(row.day),
      totals: {
        available: row.uncounted === true ? UNCOUNTED : figureOf(row, 'available'),
        inUse: figureOf(row, 'peak'),
        reserved: figureOf(row, 'reserved'),
        users: figureOf(row, 'users'),
        denials: figureOf(row, 'denials'),
        licenseSeconds: figureOf(row, 'license_seconds'),
      },
      hours: row.hours as Uint8Array,
      origin: originOf(text('origin'), row.resolution as number | null),
      waits: waitsOf(row),
    },
  };
}

const peakOf = ({ levels: [highest] }: HourSummary): number | undefined => highest?.[0];

/** License-seconds of an hour; unknown if all of its levels are. */
const licenseSecondsOf = ({ levels }: HourSummary): number | undefined => {
  const known = levels.filter(([inUse]) => inUse !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, [inUse = 0, seconds]) => sum + inUse * seconds, 0);
};

/** A day to write: the key of its series in the archive, and what both sides know. */
export interface DayToWrite extends MergedDay {
  readonly series: number;
}

interface DayRow extends ArchivedDay {
  readonly id: number;
  readonly seconds: number;
  readonly peakAt: number | undefined;
  readonly change: number;
}

interface HourRow {
  readonly id: number;
  readonly day: number;
  readonly origin: DayOrigin;
  readonly at: LocalHour;
  readonly hour: HourSummary;
}

interface BlockedRow extends EndedWaits {
  readonly id: number;
  readonly day: number;
}

const uncounted = 'Whether the feature is uncounted: `available` then is null.';
const licenseSeconds = 'Licenses in use times seconds; 3600 are a license-hour.';
const origins = 'Of the day: `live`, forms of imports such as `FlexNet debug log`, or both.';

/** The columns of `day`. Their types are those of the schema. */
export const dayColumns = {
  series: { type: 'bigint', about: 'Key in `series`.', of: ({ id }) => id },
  day: { type: 'date', about: 'Day in the time zone of the analyzer.', of: ({ day }) => day },
  origin: {
    type: 'text',
    about: origins,
    of: ({ origin }) => originText(origin),
  },
  seconds: { type: 'integer', about: 'Seconds of which the use is known.', of: ({ seconds }) => seconds },
  peak: { type: 'bigint', about: 'Most licenses in use at one time.', of: ({ totals }) => totals.inUse },
  peak_at: { type: 'timestamptz', about: 'Beginning of the first hour with the peak.', of: ({ peakAt }) => peakAt },
  license_seconds: {
    type: 'bigint',
    about: licenseSeconds,
    of: ({ totals }) => totals.licenseSeconds,
  },
  denials: { type: 'bigint', about: 'Refused requests.', of: ({ totals }) => totals.denials },
  available: { type: 'bigint', about: 'Licenses bought, at most.', of: ({ totals }) => counted(totals.available) },
  uncounted: { type: 'boolean', about: uncounted, of: ({ totals }) => isUncounted(totals.available) },
  reserved: { type: 'bigint', about: 'Reserved licenses, at most.', of: ({ totals }) => totals.reserved },
  users: { type: 'bigint', about: 'Users at one time, at most.', of: ({ totals }) => totals.users },
  hours: { type: 'bytea', about: 'The hours, in the form of license-exporter.', of: ({ hours }) => hours },
  resolution: {
    type: 'integer',
    about: 'Seconds between two moments of the finest import; 0 if it knows each change.',
    of: ({ origin }) => origin.seconds,
  },
  change: { type: 'bigint', about: 'Transaction that wrote the row.', of: ({ change }) => change },
  episodes: {
    type: 'bigint',
    about: 'Waits of people; null if it is not known who was refused.',
    of: ({ waits }) => waits?.reduce((sum, { episodes }) => sum + episodes, 0),
  },
} as const satisfies Readonly<Record<string, Column<DayRow>>>;

/** The columns of `hour`. The levels of an hour are in `hours` of its day. */
export const hourColumns = {
  series: { type: 'bigint', about: 'Key in `series`.', of: ({ id }) => id },
  day: { type: 'date', about: 'Day in the time zone of the analyzer.', of: ({ day }) => day },
  hour: { type: 'smallint', about: '0 to 23.', of: ({ at }) => at.hour },
  at: { type: 'timestamptz', about: 'Beginning of the hour.', of: ({ at }) => at.start },
  origin: {
    type: 'text',
    about: origins,
    of: ({ origin }) => originText(origin),
  },
  seconds: {
    type: 'integer',
    about: 'Seconds of which the use is known.',
    of: ({ hour }) => knownSeconds(hour),
  },
  peak: { type: 'bigint', about: 'Most licenses in use at one time.', of: ({ hour }) => peakOf(hour) },
  license_seconds: {
    type: 'bigint',
    about: licenseSeconds,
    of: ({ hour }) => licenseSecondsOf(hour),
  },
  denials: { type: 'bigint', about: 'Refused requests.', of: ({ hour }) => hour.denials },
  available: { type: 'bigint', about: 'Licenses bought, at most.', of: ({ hour }) => counted(hour.available) },
  uncounted: { type: 'boolean', about: uncounted, of: ({ hour }) => isUncounted(hour.available) },
  reserved: { type: 'bigint', about: 'Reserved licenses, at most.', of: ({ hour }) => hour.reserved },
} as const satisfies Readonly<Record<string, Column<HourRow>>>;

/** The columns of `blocked_day`. */
export const blockedColumns = {
  series: { type: 'bigint', about: 'Key in `series`.', of: ({ id }) => id },
  day: { type: 'date', about: 'Day in the time zone of the analyzer.', of: ({ day }) => day },
  cause: { type: 'text', about: `Why they waited: ${listOf(blockedCauses)}.`, of: ({ cause }) => cause },
  ended: { type: 'text', about: `How the waits ended: ${listOf(endings)}.`, of: ({ ended }) => ended },
  episodes: { type: 'bigint', about: 'Waits that ended.', of: ({ episodes }) => episodes },
  people: {
    type: 'bigint',
    about: 'People, each with the first wait of the day.',
    of: ({ people }) => people,
  },
  seconds: { type: 'bigint', about: 'Seconds of all waits together.', of: ({ seconds }) => seconds },
} as const satisfies Readonly<Record<string, Column<BlockedRow>>>;

/** Types that are sent as another one, which takes a third of the work, and what makes them of it. */
const sent: Readonly<Record<string, readonly [type: string, expression: string]>> = {
  date: ['integer', "date '1970-01-01' + $"],
  timestamptz: ['bigint', 'to_timestamp($)'],
};

/** A value within the text of an array. */
function element(value: Value): string {
  if (value === undefined) return 'NULL';
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'object' ? `"\\\\x${Buffer.from(value).toString('hex')}"` : String(value);
}

/** Inserts rows, or replaces those with the same key. */
async function upsert<T>(
  connection: ArchiveConnection,
  table: string,
  key: readonly string[],
  columns: Readonly<Record<string, Column<T>>>,
  rows: readonly T[],
): Promise<void> {
  if (rows.length === 0) return;
  const all = Object.entries(columns).map(([name, { type, of }]) => {
    const [sentAs, expression] = sent[type] ?? [type, '$'];
    return { name, sentAs, value: expression.replace('$', `sent.${name}`), of };
  });
  const names = all.map(({ name }) => name);
  const lists = all.map(({ sentAs }, i) => `$${i + 1}::${sentAs}[]`);
  const updates = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
  await connection.query(
    `INSERT INTO schema.${table} (${names.join()}) SELECT ${all.map(({ value }) => value).join()}
      FROM unnest(${lists.join()}) AS sent (${names.join()}) ON CONFLICT (${key.join()}) DO UPDATE SET ${updates.join()}`,
    all.map(({ of }) => `{${rows.map((row) => element(of(row))).join()}}`),
  );
}

/** Writes days, those of their hours that have changed, and the people who waited. Within a transaction of the analyzer. @throws ArchiveError */
export async function writeDays(
  connection: ArchiveConnection,
  days: readonly DayToWrite[],
  change: number,
  localTime: LocalTime,
): Promise<void> {
  const dayRows = days.map(({ series: id, day }): DayRow => {
    const hours = decodeHours(day.hours);
    const { inUse } = day.totals;
    const peak = inUse === undefined ? undefined : hours.find((hour) => peakOf(hour) === inUse);
    const peakAt = peak && localTime.hoursOf(day.day)[peak.index]?.start;
    return { ...day, id, seconds: hours.reduce((sum, hour) => sum + knownSeconds(hour), 0), peakAt, change };
  });
  await upsert(connection, 'day', ['series', 'day'], dayColumns, dayRows);
  const hourRows = days.flatMap(({ series: id, day: { day }, changed }) => {
    const places = localTime.hoursOf(day);
    // a clock that was changed by other rules since then has fewer hours
    return changed.flatMap(({ hour, origin }): HourRow[] => {
      const at = places[hour.index];
      return at === undefined ? [] : [{ id, day, origin, at, hour }];
    });
  });
  await upsert(connection, 'hour', ['series', 'day', 'hour'], hourColumns, hourRows);
  await connection.query(
    `DELETE FROM schema.blocked_day USING unnest($1::bigint[], $2::integer[]) AS sent (series, day)
      WHERE blocked_day.series = sent.series AND blocked_day.day = date '1970-01-01' + sent.day`,
    [days.map(({ series }) => series), days.map(({ day: { day } }) => day)],
  );
  const blockedRows = days.flatMap(({ series: id, day: { day, waits = [] } }) =>
    waits.map((one): BlockedRow => ({ ...one, id, day })),
  );
  await upsert(connection, 'blocked_day', ['series', 'day', 'cause', 'ended'], blockedColumns, blockedRows);
}
