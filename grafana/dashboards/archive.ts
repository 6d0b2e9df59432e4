import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import type * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { blockedCauses } from '../../src/base/model/observation/observation.ts';
import { causeTexts } from '../../src/base/people.ts';
import {
  ANALYZERS,
  DENIALS,
  FEATURES,
  featuresInRange,
  HOURS,
  LICENSE_HOURS,
  USE,
  VENDOR_LICENSES,
  VENDOR_LICENSES_IN_RANGE,
  WAITS,
} from '../archive-sql.ts';
import { menu } from '../dashboard.ts';
import { CAUSE_COLORS, colored, days, drawn, NOBODY, UNKNOWN_SERIES } from '../history-panels.ts';
import { archiveLink, KEEP, linkTo, rowLink } from '../links.ts';
import { type About, allSeries, head, legend, linksOf, NOT_RECORDED } from '../panels.ts';
import { type Shown, shownAs, tablePanel, UNCOUNTED, UNCOUNTED_NAME } from '../tables.ts';

/** Years of all sites, from the archive in PostgreSQL. It needs neither the exporter nor Prometheus. */

const POSTGRESQL: common.DataSourceRef = { type: 'grafana-postgresql-datasource', uid: `\${postgresql}` };

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
    .sort(dashboard.VariableSort.Disabled)
    .hide(dashboard.VariableHide.DontHide);

/** What the links hand on to the other dashboards. Nothing is asked for it: jobs and instances would come from Prometheus. */
const handedOn = (): (dashboard.DatasourceVariableBuilder | dashboard.TextBoxVariableBuilder)[] => [
  new dashboard.DatasourceVariableBuilder('prometheus_datasource').type('prometheus'),
  new dashboard.DatasourceVariableBuilder('infinity').type('yesoreyeram-infinity-datasource'),
  ...['job', 'instance'].map((name) => new dashboard.TextBoxVariableBuilder(name).defaultValue('$__all')),
];

const chart = (about: About, sql: string): timeseries.PanelBuilder =>
  head(new timeseries.PanelBuilder(), about, 12, 8)
    .datasource(POSTGRESQL)
    .targets([new SqlQuery(sql, 'time_series')])
    .noValue(NOT_RECORDED)
    .min(0)
    .lineWidth(1)
    .tooltip(allSeries)
    .withOverride(UNKNOWN_SERIES);

/** Use against bought, in the colors of the other dashboards. */
function use(about: About, sql: string): timeseries.PanelBuilder {
  const panel = chart(about, sql)
    .lineInterpolation(common.LineInterpolation.StepAfter)
    .showPoints(common.VisibilityMode.Never)
    .legend(legend('max'))
    .links(
      linksOf([
        { title: 'Show the feature now', url: linkTo('license-feature', KEEP.vendorLicense, KEEP.feature) },
        { title: 'Show the vendor license now', url: linkTo('license-vendor-license', KEEP.vendorLicense) },
      ]),
    );
  return drawn(panel, days);
}

/** A bar begins with its day, week or month. */
const bars = (about: About, sql: string): timeseries.PanelBuilder =>
  chart(about, sql)
    .drawStyle(common.GraphDrawStyle.Bars)
    .barAlignment(common.BarAlignment.After)
    .barWidthFactor(0.9)
    .lineWidth(0)
    .fillOpacity(70)
    .decimals(0)
    .legend(legend('sum'));

const STEP = 'A step is a day; in a range of more than 62 days it is a week, of more than 62 weeks a month.';

const number = (name: string, width: number, rest: Partial<Shown> = {}): Shown => ({
  name,
  unit: 'locale',
  decimals: 0,
  width,
  ...rest,
});

const NOTE: Shown = { name: 'Note', minWidth: 130, wrap: true };
const HOURS_IN_USE = number('License-hours', 115);
const DENIED = number('Denials', 75);
const ANALYZER: Shown = { name: 'Analyzer', width: 110 };

/** Where names lead: to what is now, and to what was. */
const NOW = `Show \${__value.text} now`;
const HERE = `Show \${__value.text} here`;
const links: Readonly<Record<string, readonly { readonly title: string; readonly url: string }[]>> = {
  Feature: [
    { title: HERE, url: archiveLink('Vendor license', 'Feature') },
    { title: NOW, url: rowLink('license-feature') },
  ],
  'Vendor license': [
    { title: HERE, url: archiveLink('Vendor license') },
    { title: NOW, url: rowLink('license-vendor-license') },
  ],
};

/** @param columns those that decide are first: on a narrow screen the others are scrolled */
function list(about: About, sql: string, columns: readonly Shown[]): table.PanelBuilder {
  const panel = tablePanel({ width: 24, height: 14, ...about }, [new SqlQuery(sql, 'table')]).datasource(POSTGRESQL);
  for (const column of [NOTE, ...columns]) {
    const linked = links[column.name];
    panel.overrideByName(column.name, [
      ...shownAs(column),
      ...(linked === undefined ? [] : [{ id: 'links', value: linked }]),
    ]);
  }
  return panel;
}

const features = (): table.PanelBuilder =>
  list(
    {
      title: 'Features of the vendor license',
      description:
        'Each feature in the range: the highest peak, the licenses bought last, and the recorded days; on how many of them the peak reached what was bought; denials, as far as the license manager tells; and license-hours. Days with all in use are not counted of a feature with one license, which is full whenever it is used. Several packages and types of a feature are added up.',
    },
    featuresInRange(UNCOUNTED),
    [
      { name: 'Feature', minWidth: 130 },
      number('Peak', 62),
      number('Bought', 86, { names: [UNCOUNTED_NAME] }),
      number('Days all in use', 130),
      number('Days recorded', 120),
      DENIED,
      HOURS_IN_USE,
      { name: 'Vendor license', width: 200 },
      ANALYZER,
    ],
  );

const vendorLicenses = (): table.PanelBuilder =>
  list(
    {
      title: 'Vendor licenses',
      description:
        'License-hours and denials of all vendor licenses of the chosen sites in the range, and the number of their recorded features.',
      height: 9,
    },
    VENDOR_LICENSES_IN_RANGE,
    [{ name: 'Vendor license', minWidth: 170 }, HOURS_IN_USE, DENIED, number('Features', 85), ANALYZER],
  );

function waits(): timeseries.PanelBuilder {
  const panel = bars(
    {
      title: 'Minutes that people waited, by cause',
      description: `People who were denied a license of the feature, from the first denial to the checkout or the last denial, all of them together. A person who is denied many times waits once. ${STEP} Without a bar: nobody waited, or it is not known who was denied; if no day is known, nothing is drawn.`,
      unit: 'locale',
      width: 8,
    },
    WAITS,
  )
    .stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group('A'))
    .axisSoftMax(4)
    .withOverride(NOBODY);
  for (const cause of blockedCauses) panel.overrideByName(causeTexts[cause], [colored(CAUSE_COLORS[cause])]);
  return panel;
}

/** The dashboard on the archive. */
export const archive = (): dashboard.DashboardBuilder =>
  new dashboard.DashboardBuilder('Licenses / Archive')
    .uid('license-archive')
    .description(
      'Years of all sites, from the archive of the history in PostgreSQL: use against what was bought, denials, who waited, and license-hours.',
    )
    .tags(['license-exporter'])
    .timezone('browser')
    .readonly()
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .time({ from: 'now-1y', to: 'now' })
    .refresh('')
    .link(menu())
    .variables([
      ...handedOn().map((one) => one.hide(dashboard.VariableHide.HideVariable)),
      new dashboard.DatasourceVariableBuilder('postgresql')
        .label('PostgreSQL data source')
        .type('grafana-postgresql-datasource')
        .hide(dashboard.VariableHide.DontHide),
      variable('analyzer', 'Analyzers', ANALYZERS)
        .multi(true)
        .includeAll(true)
        .current({ text: 'All', value: '$__all' }),
      variable('vendor_license', 'Vendor license', VENDOR_LICENSES),
      variable('feature', 'Feature', FEATURES),
    ])
    .withPanel(
      use(
        {
          title: 'Use against bought',
          description: `The most licenses of the feature in use at one time, and what was bought and reserved at most. ${STEP} Several packages, types and sites are added up. A gap was not recorded, or not of all of them. Uncounted licenses have no line.`,
          unit: 'none',
          width: 24,
          height: 10,
        },
        USE,
      ),
    )
    .withPanel(
      bars(
        {
          title: 'Denials',
          description: `Denied requests for the feature, as far as its license manager tells. ${STEP}`,
          unit: 'locale',
          width: 8,
        },
        DENIALS,
      )
        .axisSoftMax(4)
        .overrideByName('denials', [colored('red')]),
    )
    .withPanel(waits())
    .withPanel(
      bars(
        {
          title: 'License-hours',
          description: `Licenses in use times hours, of all features of the vendor license, and of all others of the chosen sites. Features that are priced in tokens and those that are not count alike. ${STEP}`,
          unit: 'locale',
          width: 8,
        },
        LICENSE_HOURS,
      )
        .stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group('A'))
        .overrideByName('this vendor license', [colored('blue')])
        .overrideByName('all others', [colored('text'), { id: 'custom.fillOpacity', value: 20 }]),
    )
    .withPanel(features())
    .withPanel(vendorLicenses())
    .withRow(
      new dashboard.RowBuilder('By hour').collapsed(true).withPanel(
        use(
          {
            title: 'Use against bought by hour, the last 62 days of the range',
            description:
              'The most licenses of the feature in use at one time in each hour, and what was bought and reserved at most. Days that came from another analyzer have no hours.',
            unit: 'none',
            width: 24,
            height: 10,
          },
          HOURS,
          // wider than an hour: it was not recorded
        ).insertNulls(5_400_000),
      ),
    );
