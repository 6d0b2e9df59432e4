import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { type About, allSeries, DASHED, head, legend, place, thresholds } from '../panels.ts';

/** Years of all sites, from the archive in PostgreSQL. It needs neither the exporter nor Prometheus. */

const POSTGRESQL: common.DataSourceRef = { type: 'grafana-postgresql-datasource', uid: `\${postgresql}` };
const NO_DATA = 'nothing recorded';

/** A query in SQL, in the form that the data source of Grafana saves. */
class SqlQuery implements Builder<Dataquery> {
  readonly #rawSql: string;
  readonly #format: 'time_series' | 'table';

  constructor(rawSql: string, format: 'time_series' | 'table') {
    this.#rawSql = rawSql;
    this.#format = format;
  }

  build(): Dataquery {
    const query = { editorMode: 'code', format: this.#format, rawQuery: true, rawSql: this.#rawSql };
    return { ...query, refId: 'A', datasource: POSTGRESQL } as unknown as Dataquery;
  }
}

const variable = (name: string, label: string, query: string): dashboard.QueryVariableBuilder =>
  new dashboard.QueryVariableBuilder(name)
    .label(label)
    .datasource(POSTGRESQL)
    .query(query)
    .definition(query)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboard.VariableSort.Disabled);

const SITES = `FROM license_exporter.series s JOIN license_exporter.analyzer a ON a.id = s.analyzer`;
/** Days of the chosen sites in the range. `sqlstring` escapes quotes in names. */
const DAYS = `${SITES} JOIN license_exporter.day d ON d.series = s.id
WHERE a.name IN (\${analyzer:sqlstring})
  AND d.day BETWEEN $__timeFrom()::date AND $__timeTo()::date`;
const ONE = `  AND s.vendor_license = \${vendor_license:sqlstring} AND s.feature = \${feature:sqlstring}`;
/** Midnight of a day where the site is. */
const MIDNIGHT = 'd.day::timestamp AT TIME ZONE a.time_zone';

/** Lines or bars over days. */
const chart = (about: About, sql: string): timeseries.PanelBuilder =>
  head(new timeseries.PanelBuilder(), about, 12, 8)
    .datasource(POSTGRESQL)
    .targets([new SqlQuery(sql, 'time_series')])
    .noValue(NO_DATA)
    .min(0)
    .lineWidth(1)
    .fillOpacity(8)
    .showPoints(common.VisibilityMode.Auto)
    .legend(legend())
    .tooltip(allSeries);

const bars = (about: About, sql: string): timeseries.PanelBuilder =>
  chart(about, sql)
    .drawStyle(common.GraphDrawStyle.Bars)
    .fillOpacity(60)
    .stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group('A'));

const bought = (): timeseries.PanelBuilder =>
  chart(
    {
      title: 'Peak in use, bought and reserved',
      description:
        'The most licenses of the feature that were in use at one time on each day, what was bought and what was reserved. Of several packages and types the sum. A day without a point was not recorded.',
      unit: 'none',
    },
    `SELECT ${MIDNIGHT} AS time, sum(d.peak) AS "peak in use",
  CASE WHEN bool_or(d.uncounted) THEN NULL ELSE sum(d.available) END AS "bought", sum(d.reserved) AS "reserved"
${DAYS}
${ONE}
GROUP BY 1 ORDER BY 1`,
  ).overrideByName('bought', [DASHED, { id: 'custom.fillOpacity', value: 0 }]);

const denials = (): timeseries.PanelBuilder =>
  bars(
    {
      title: 'Denied requests',
      description: 'Requests for the feature that were denied on each day, as far as its license manager tells.',
      unit: 'none',
    },
    `SELECT ${MIDNIGHT} AS time, sum(d.denials) AS "denied requests"
${DAYS}
${ONE}
GROUP BY 1 ORDER BY 1`,
  );

const byHour = (): timeseries.PanelBuilder =>
  chart(
    {
      title: 'Peak of each hour',
      description:
        'The most licenses of the feature that were in use at one time in each hour. Choose a few weeks to see it.',
      unit: 'none',
    },
    `SELECT h.at AS time, sum(h.peak) AS "peak in use"
${SITES} JOIN license_exporter.hour h ON h.series = s.id
WHERE a.name IN (\${analyzer:sqlstring})
  AND h.day BETWEEN $__timeFrom()::date AND $__timeTo()::date AND $__timeFilter(h.at)
${ONE}
GROUP BY 1 ORDER BY 1`,
  );

const licenseHours = (): timeseries.PanelBuilder =>
  bars(
    {
      title: 'License-hours by month and vendor license',
      description:
        'Licenses in use times hours, of all features of the chosen sites. Features that are priced in tokens and those that are not count alike.',
      unit: 'short',
    },
    `SELECT date_trunc('month', d.day)::timestamp AT TIME ZONE a.time_zone AS time, s.vendor_license AS metric,
  sum(d.license_seconds) / 3600.0 AS value
${DAYS}
GROUP BY 1, 2 ORDER BY 1, 2`,
  );

const features = (): table.PanelBuilder =>
  place(
    new table.PanelBuilder(),
    {
      title: 'Features in the range',
      description:
        'Each feature with the licenses bought last, its highest peak, the days on which the peak reached what was bought, license-hours, denied requests and recorded days.',
      width: 24,
      height: 14,
    },
    24,
    14,
  )
    .datasource(POSTGRESQL)
    .targets([
      new SqlQuery(
        `SELECT a.name AS "Analyzer", s.vendor_license AS "Vendor license", s.feature AS "Feature", s.package AS "Package",
  CASE WHEN bool_or(d.uncounted) THEN NULL ELSE (array_agg(d.available ORDER BY d.day DESC) FILTER (WHERE d.available IS NOT NULL))[1] END AS "Bought",
  max(d.peak) AS "Peak", count(*) FILTER (WHERE d.peak >= d.available) AS "Days full",
  round(sum(d.license_seconds) / 3600.0) AS "License-hours", sum(d.denials) AS "Denied", count(*) FILTER (WHERE d.seconds > 0) AS "Days recorded"
${DAYS}
  AND s.vendor_license IN (\${vendor_license:sqlstring})
GROUP BY a.name, s.vendor_license, s.feature, s.package ORDER BY sum(d.license_seconds) DESC NULLS LAST LIMIT 1000`,
        'table',
      ),
    ])
    .noValue(NO_DATA)
    .thresholds(thresholds([[null, 'text']]))
    .overrideByRegexp('Analyzer|Vendor license|Feature|Package', [{ id: 'noValue', value: '' }])
    .overrideByRegexp('Bought|Peak|Days full|License-hours|Denied|Days recorded', [
      { id: 'unit', value: 'locale' },
      { id: 'noValue', value: 'unknown' },
      { id: 'custom.width', value: 120 },
    ]);

/** The dashboard on the archive. */
export const archive = (): dashboard.DashboardBuilder =>
  new dashboard.DashboardBuilder('Licenses / Archive')
    .uid('license-archive')
    .description(
      'Years of all sites, from the archive of the history in PostgreSQL: peaks against what was bought, denied requests and license-hours.',
    )
    .tags(['license-exporter'])
    .timezone('browser')
    .readonly()
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .time({ from: 'now-1y', to: 'now' })
    .refresh('')
    .variables([
      new dashboard.DatasourceVariableBuilder('postgresql')
        .label('PostgreSQL data source')
        .type('grafana-postgresql-datasource')
        .hide(dashboard.VariableHide.DontHide),
      variable('analyzer', 'Analyzers', 'SELECT name FROM license_exporter.analyzer ORDER BY name')
        .multi(true)
        .includeAll(true)
        .current({ text: 'All', value: '$__all' })
        .hide(dashboard.VariableHide.DontHide),
      variable(
        'vendor_license',
        'Vendor license',
        `SELECT DISTINCT s.vendor_license ${SITES} WHERE a.name IN (\${analyzer:sqlstring}) ORDER BY 1`,
      ).hide(dashboard.VariableHide.DontHide),
      variable(
        'feature',
        'Feature',
        `SELECT DISTINCT s.feature ${SITES} WHERE a.name IN (\${analyzer:sqlstring}) AND s.vendor_license = \${vendor_license:sqlstring} ORDER BY 1`,
      ).hide(dashboard.VariableHide.DontHide),
    ])
    .withPanel(bought())
    .withPanel(denials())
    .withPanel(byHour())
    .withPanel(licenseHours())
    .withPanel(features());
