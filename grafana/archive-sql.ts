import { blockedCauses } from '../src/base/model/observation/observation.ts';
import { causeTexts } from '../src/base/people.ts';

/** SQL of the dashboard on the archive. Grafana replaces its macros and variables. */

const SERIES = 'FROM license_exporter.series s JOIN license_exporter.analyzer a ON a.id = s.analyzer';
/** The name in a text of the format `sqlstring`, which puts a backslash before double quotes. PostgreSQL would keep it. */
const named = (text: string): string => `replace(${text}, '\\"', '"')`;
/** An empty archive has no analyzer, and `IN ()` would be an error. */
const OF_ANALYZERS = `a.name IN (SELECT ${named('chosen')} FROM unnest(ARRAY[\${analyzer:sqlstring}]::text[]) AS chosen)`;
const THIS_VENDOR_LICENSE = named(`\${vendor_license:sqlstring}`);
const OF_VENDOR_LICENSE = `s.vendor_license = ${THIS_VENDOR_LICENSE}`;
const OF_FEATURE = `${OF_VENDOR_LICENSE} AND s.feature = ${named(`\${feature:sqlstring}`)}`;

export const ANALYZERS = 'SELECT name FROM license_exporter.analyzer ORDER BY name';

/** Names of the selection, those with the most license-hours in the last recorded week of the range first. */
const ranked = (name: string, selection: string): string => `SELECT s.${name} ${SERIES}
LEFT JOIN license_exporter.day d ON d.series = s.id AND d.day <= $__timeTo()::date
  AND d.day > (SELECT max(day) FROM license_exporter.day WHERE day <= $__timeTo()::date) - 7
WHERE ${selection}
GROUP BY 1 ORDER BY sum(d.license_seconds) DESC NULLS LAST, 1`;

export const VENDOR_LICENSES = ranked('vendor_license', OF_ANALYZERS);
export const FEATURES = ranked('feature', `${OF_ANALYZERS} AND ${OF_VENDOR_LICENSE}`);

/**
 * `period`: the days of the range where the first of the chosen sites is, and how long a step of a chart is. The limits are those of
 * the shape `periods` of rows.
 */
const PERIOD = `WITH site AS (
  SELECT coalesce((SELECT a.time_zone FROM license_exporter.analyzer a WHERE ${OF_ANALYZERS} ORDER BY a.name LIMIT 1), 'UTC') AS zone
), range AS (
  SELECT zone, ($__timeFrom()::timestamptz AT TIME ZONE zone)::date AS first,
    (($__timeTo()::timestamptz - interval '1 millisecond') AT TIME ZONE zone)::date AS last
  FROM site
), period AS (
  SELECT *, CASE WHEN last - first < 62 THEN 'day'
    WHEN date_trunc('week', last::timestamp) - date_trunc('week', first::timestamp) < interval '434 days' THEN 'week'
    ELSE 'month' END AS unit
  FROM range
)`;

/** `recorded`: what the archive has of the selection in the range, a row for each series and day. */
const recorded = (selection: string): string => `${PERIOD}, recorded AS (
  SELECT a.name AS analyzer, s.vendor_license, s.feature, d.series, d.day, d.peak, d.uncounted, d.available, d.reserved, d.denials,
    d.license_seconds
  ${SERIES} JOIN license_exporter.day d ON d.series = s.id JOIN period p ON d.day BETWEEN p.first AND p.last
  WHERE ${selection}
)`;

/** The first day of the step of a day: it can be before the range. */
const stepOf = (day: string): string => `date_trunc(p.unit, ${day}::timestamp)::date`;
/** Midnight of a day where the site is. */
const midnight = (day: string): string => `${day}::timestamp AT TIME ZONE p.zone`;

/** The sum of a column over several series; not known while it is not known of one. */
const sumOfAll = (column: string): string => `CASE WHEN count(r.${column}) = count(*) THEN sum(r.${column}) END`;

/**
 * `by_day`: each day of the selection with the sums over its series. A series exists from the first to the last day that is recorded of
 * it: a day between that is not recorded is not known, in any range. `rows` is how many are recorded.
 *
 * @param of what is one: columns of `s` and `a`, each with a comma behind it
 */
const byDay = (selection: string, of: string): string => `${recorded(selection)}, known AS (
  SELECT ${of} s.id AS series, greatest(d.first, p.first) AS first, least(d.last, p.last) AS last
  ${SERIES} CROSS JOIN period p CROSS JOIN LATERAL (
    SELECT min(day) AS first, max(day) AS last FROM license_exporter.day WHERE series = s.id
  ) AS d
  WHERE ${selection}
), by_day AS (
  SELECT ${of.replace(/\w\./g, 'k.')} k.first + n AS day, count(r.series) AS rows, bool_or(r.uncounted) AS uncounted,
    ${sumOfAll('peak')} AS peak, ${sumOfAll('available')} AS bought, ${sumOfAll('reserved')} AS reserved,
    sum(r.denials) AS denials, sum(r.license_seconds) AS license_seconds
  FROM known k CROSS JOIN LATERAL generate_series(0, k.last - k.first) AS n
  LEFT JOIN recorded r ON r.series = k.series AND r.day = k.first + n
  GROUP BY ${of.replace(/\w\./g, 'k.')} k.first + n
)`;

/** `steps`: the same of one feature by day, week or month, also of those that are not recorded: a line has a gap there. */
const STEPS = `${byDay(`${OF_ANALYZERS} AND ${OF_FEATURE}`, '')}, steps AS (
  SELECT ${stepOf('g.day')} AS start, max(peak) AS peak, max(bought) AS bought, max(reserved) AS reserved, sum(denials) AS denials
  FROM period p CROSS JOIN generate_series(p.first::timestamp, p.last, '1 day') AS g(day)
  LEFT JOIN by_day b ON b.day = g.day::date
  GROUP BY 1
)`;

/** Each step with its end: before a gap, a line would stop where its last step begins. Without a recorded day there is no row. */
export const USE = `${STEPS}
SELECT bound.time, peak AS "peak in use", reserved, bought
FROM period p, steps, LATERAL (VALUES
  (${midnight('greatest(start, p.first)')}),
  (${midnight("least((start + ('1 ' || p.unit)::interval)::date, p.last + 1)")} - interval '1 millisecond')
) AS bound(time)
WHERE EXISTS (SELECT FROM recorded)
ORDER BY 1`;

/** Without a known number there is no row. */
export const DENIALS = `${STEPS}
SELECT ${midnight('start')} AS time, denials
FROM period p, steps
WHERE EXISTS (SELECT FROM steps WHERE denials IS NOT NULL)
ORDER BY 1`;

/** Of a step without a known day there is no row: without denials, nobody waited. */
export const WAITS = `${PERIOD}, known AS (
  SELECT s.id AS series, d.day
  ${SERIES} JOIN license_exporter.day d ON d.series = s.id JOIN period p ON d.day BETWEEN p.first AND p.last
  WHERE ${OF_ANALYZERS} AND ${OF_FEATURE} AND (d.episodes IS NOT NULL OR d.denials = 0)
)
SELECT ${midnight(stepOf('k.day'))} AS time,
${blockedCauses
  .map((cause) => `  coalesce(sum(b.seconds) FILTER (WHERE b.cause = '${cause}'), 0) / 60.0 AS "${causeTexts[cause]}"`)
  .join(',\n')}
FROM period p CROSS JOIN known k LEFT JOIN license_exporter.blocked_day b ON b.series = k.series AND b.day = k.day
GROUP BY 1 ORDER BY 1`;

export const LICENSE_HOURS = `${recorded(OF_ANALYZERS)}
SELECT ${midnight(stepOf('day'))} AS time,
  sum(license_seconds) FILTER (WHERE vendor_license = ${THIS_VENDOR_LICENSE}) / 3600.0 AS "this vendor license",
  sum(license_seconds) FILTER (WHERE vendor_license <> ${THIS_VENDOR_LICENSE}) / 3600.0 AS "all others"
FROM period p, recorded
WHERE license_seconds IS NOT NULL
GROUP BY 1 ORDER BY 1`;

/** Of a longer range the last days: more hours are a wall. */
export const HOURS = `${PERIOD}
SELECT r.at AS time, ${sumOfAll('peak')} AS "peak in use", ${sumOfAll('reserved')} AS reserved, ${sumOfAll('available')} AS bought
${SERIES} JOIN license_exporter.hour r ON r.series = s.id JOIN period p ON r.day BETWEEN greatest(p.first, p.last - 61) AND p.last
WHERE ${OF_ANALYZERS} AND ${OF_FEATURE}
GROUP BY 1 ORDER BY 1`;

/** Where a table is cut. */
const ROWS = 1000;

/** `note`: a row that says that there is no other, or how many are left out. @param all the rows, as they are called */
const note = (all: string): string => `note AS (
  SELECT CASE WHEN count(analyzer) = 0 THEN 'Nothing is recorded from ' || min(p.first) || ' to ' || min(p.last)
    ELSE 'The ${ROWS} with the most license-hours, of ' || count(analyzer) END AS note
  FROM period p LEFT JOIN ${all} ON true
  HAVING count(analyzer) = 0 OR count(analyzer) > ${ROWS}
)`;

export const VENDOR_LICENSES_IN_RANGE = `${recorded(OF_ANALYZERS)}, vendor_licenses AS (
  SELECT analyzer, vendor_license, round(sum(license_seconds) / 3600.0) AS hours, sum(denials) AS denials,
    count(DISTINCT feature) AS features
  FROM recorded GROUP BY 1, 2
), ${note('vendor_licenses')}
SELECT note AS "Note", NULL AS "Vendor license", NULL::numeric AS "License-hours", NULL::numeric AS "Denials",
  NULL::bigint AS "Features", NULL AS "Analyzer"
FROM note
UNION ALL (
  SELECT NULL, vendor_license, hours, denials, features, analyzer
  FROM vendor_licenses ORDER BY hours DESC NULLS LAST, vendor_license, analyzer LIMIT ${ROWS}
)`;

/**
 * The features of the vendor license. A feature with one license is full whenever it is used: its days are not counted, as
 * LicenseFeatureSaturated ignores it.
 *
 * @param uncounted the figure that stands for uncounted licenses
 */
export const featuresInRange = (uncounted: number): string => `${byDay(
  `${OF_ANALYZERS} AND ${OF_VENDOR_LICENSE}`,
  'a.name, s.vendor_license, s.feature,',
)}, features AS (
  SELECT name AS analyzer, vendor_license, feature, max(peak) AS peak, count(peak) AS days,
    (array_agg(CASE WHEN uncounted THEN ${uncounted} ELSE bought END ORDER BY day DESC)
      FILTER (WHERE uncounted OR bought IS NOT NULL))[1] AS bought,
    count(*) FILTER (WHERE peak >= bought AND bought > 1) AS full_days,
    count(*) FILTER (WHERE peak IS NOT NULL AND bought > 1) AS countable_days,
    sum(denials) AS denials, round(sum(license_seconds) / 3600.0) AS hours
  FROM by_day GROUP BY 1, 2, 3 HAVING sum(rows) > 0
), ${note('features')}
SELECT note AS "Note", NULL AS "Feature", NULL::numeric AS "Peak", NULL::numeric AS "Bought", NULL::bigint AS "Days all in use",
  NULL::bigint AS "Days recorded", NULL::numeric AS "Denials", NULL::numeric AS "License-hours",
  NULL AS "Vendor license", NULL AS "Analyzer"
FROM note
UNION ALL (
  SELECT NULL, feature, peak, bought, CASE WHEN countable_days > 0 THEN full_days END, days, denials, hours, vendor_license, analyzer
  FROM features ORDER BY hours DESC NULLS LAST, feature, analyzer LIMIT ${ROWS}
)`;
