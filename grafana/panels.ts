import * as barchart from '@grafana/grafana-foundation-sdk/barchart';
import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as text from '@grafana/grafana-foundation-sdk/text';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { instant, JSON_SOURCE, JsonQuery, lines, PROMETHEUS } from './queries.ts';

/** Kinds of panels that several dashboards use. */

export interface About {
  readonly title: string;
  /** What the panel shows and what to do about it. */
  readonly description: string;
  /** Grafana's id of the unit. */
  readonly unit: string;
  /** Of 24 columns. */
  readonly width?: number;
  readonly height?: number;
  /** Text that is shown when the panel has no data. */
  readonly noValue?: string;
}

/** The default text refers to the last panel of each dashboard. */
const NO_DATA = 'no data, see below';
/** Of the history endpoints. */
const NO_HISTORY = 'no history in this time range';

type Step = readonly [from: number | null, color: string];

const thresholds = (
  steps: readonly Step[],
  mode = dashboard.ThresholdsMode.Absolute,
): dashboard.ThresholdsConfigBuilder =>
  new dashboard.ThresholdsConfigBuilder().mode(mode).steps(steps.map(([value, color]) => ({ value, color })));

/** A figure that is neither good nor bad. */
export const PLAIN: readonly Step[] = [[null, 'blue']];
/** 1 is good, 0 is bad. */
export const GOOD_AT_ONE: readonly Step[] = [
  [null, 'red'],
  [1, 'green'],
];
export const GOOD_BELOW = (bad: number, color = 'red'): readonly Step[] => [
  [null, 'green'],
  [bad, color],
];
/** Days to an expiry: the colours change at 7, 21 and 30. */
export const DAYS_LEFT: readonly Step[] = [
  [null, 'dark-red'],
  [0, 'red'],
  [7, 'orange'],
  [21, 'yellow'],
  [30, 'green'],
];
/** Share of the licenses in use. */
export const SATURATION: readonly Step[] = [
  [null, 'green'],
  [0.8, 'yellow'],
  [0.95, 'red'],
];

const legend = (...calcs: string[]): common.VizLegendOptionsBuilder =>
  new common.VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(calcs.length > 0 ? common.LegendDisplayMode.Table : common.LegendDisplayMode.List)
    .placement(common.LegendPlacement.Bottom)
    .calcs(calcs);

const allSeries = new common.VizTooltipOptionsBuilder()
  .mode(common.TooltipDisplayMode.Multi)
  .sort(common.SortOrder.Descending);

/** What every kind of panel has. */
interface AnyPanel {
  title(title: string): this;
  description(description: string): this;
  unit(unit: string): this;
  noValue(text: string): this;
  span(columns: number): this;
  height(rows: number): this;
}

/** A panel with its title, its size and its text for no data. */
const head = <P extends AnyPanel>(panel: P, about: About, width: number, height: number, noValue = NO_DATA): P =>
  panel
    .title(about.title)
    .description(about.description)
    .unit(about.unit)
    .noValue(about.noValue ?? noValue)
    .span(about.width ?? width)
    .height(about.height ?? height);

/** A single figure. */
export function figure(about: About, expression: string, steps: readonly Step[], link?: string): stat.PanelBuilder {
  const panel = head(new stat.PanelBuilder(), about, 4, 4)
    .datasource(PROMETHEUS)
    .targets(instant([expression], PromQueryFormat.TimeSeries))
    .thresholds(thresholds(steps))
    .colorMode(common.BigValueColorMode.Background)
    .graphMode(common.BigValueGraphMode.None)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false).fields(''));
  if (link === undefined) return panel;
  return panel.links([
    new dashboard.DashboardLinkBuilder('Show')
      .type(dashboard.DashboardLinkType.Link)
      .url(linkTo(link))
      .targetBlank(false),
  ]);
}

/** Lines over time, by legend and expression. */
export function graph(about: About, series: Readonly<Record<string, string>>): timeseries.PanelBuilder {
  return head(new timeseries.PanelBuilder(), about, 12, 8)
    .datasource(PROMETHEUS)
    .targets(lines(series))
    .min(0)
    .lineWidth(1)
    .fillOpacity(8)
    .showPoints(common.VisibilityMode.Never)
    .legend(legend('lastNotNull', 'max'))
    .tooltip(allSeries);
}

/** States over time: 1 good, 0 bad. */
export function states(
  about: About,
  series: Readonly<Record<string, string>>,
  names: { readonly good: string; readonly bad: string },
): statetimeline.PanelBuilder {
  return head(new statetimeline.PanelBuilder(), about, 24, 8)
    .datasource(PROMETHEUS)
    .targets(lines(series))
    .mappings([
      {
        type: dashboard.MappingType.ValueToText,
        options: {
          '0': { text: names.bad, color: 'red', index: 0 },
          '1': { text: names.good, color: 'green', index: 1 },
        },
      },
    ])
    .showValue(common.VisibilityMode.Never)
    .mergeValues(true)
    .rowHeight(0.8)
    .legend(legend());
}

/** A column of a table: its name, and how its values are shown. */
export interface Shown {
  readonly name: string;
  readonly unit?: string;
  readonly steps?: readonly Step[];
  readonly width?: number;
}

/** The columns of an expiry in tables of the JSON data source. */
export const EXPIRY: readonly Shown[] = [
  { name: 'Expires', unit: 'dateTimeAsIso' },
  { name: 'Days left', unit: 'd', steps: DAYS_LEFT },
];

/** Column names for the labels of the metrics. */
const labelNames: Readonly<Record<string, string>> = {
  vendor_license: 'Vendor license',
  feature: 'Feature',
  version: 'Version',
  package: 'Package',
  feature_type: 'Type',
};

/** The dashboard that a name links to. */
const links: Readonly<Record<string, string>> = {
  'Vendor license': 'license-vendor-license',
  Product: 'license-vendor-license',
  Feature: 'license-feature',
};

/** The address of another dashboard with the selected variables of this one. */
const linkTo = (uid: string): string => `/d/${uid}?\${__url_time_range}&\${__all_variables}`;

/** The address of the dashboard for the vendor license or feature of a row. */
function rowLink(uid: string, owner: string): string {
  const kept = ['prometheus_datasource', 'json', 'job', 'instance'].map((name) => `\${${name}:queryparam}`).join('&');
  const field = (name: string): string => `\${__data.fields["${name}"]:percentencode}`;
  const feature = uid === 'license-feature' ? `&var-feature=${field('Feature')}` : '';
  return `/d/${uid}?\${__url_time_range}&${kept}&var-vendor_license=${field(owner)}${feature}`;
}

const linkOverride = (name: string, owner: string): { id: string; value: unknown }[] => [
  { id: 'links', value: [{ title: `Show \${__value.text}`, url: rowLink(links[name] ?? '', owner) }] },
];

const shownOverride = ({ unit, steps, width }: Shown): { id: string; value: unknown }[] => [
  ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
  ...(width === undefined ? [] : [{ id: 'custom.width', value: width }]),
  ...(steps === undefined
    ? []
    : [
        { id: 'thresholds', value: { mode: 'absolute', steps: steps.map(([value, color]) => ({ value, color })) } },
        { id: 'custom.cellOptions', value: { type: 'color-text' } },
      ]),
];

function tablePanel(about: About, targets: readonly Builder<Dataquery>[]): table.PanelBuilder {
  return head(new table.PanelBuilder(), about, 12, 8, '')
    .targets([...targets])
    .filterable(true)
    .cellHeight(common.TableCellHeight.Sm);
}

/**
 * A table of series: their labels, and the value of each query in a column of its own.
 *
 * @param sortBy name of a column; `-` before it sorts the largest first
 */
export function seriesTable(
  about: About,
  queries: readonly (Shown & { readonly expression: string })[],
  labels: readonly string[],
  sortBy?: string,
): table.PanelBuilder {
  const values = queries.map(
    ({ name }, i) => [queries.length > 1 ? `Value #${'ABCDEFGHIJ'[i]}` : 'Value', name] as const,
  );
  const hidden = Object.keys(labelNames).filter((label) => !labels.includes(label));
  const names = labels.map((label) => [label, labelNames[label] ?? label] as const);
  const panel = tablePanel(about, instant(queries.map(({ expression }) => expression)))
    .datasource(PROMETHEUS)
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: {
        excludeByName: Object.fromEntries(['Time', '__name__', ...hidden].map((name) => [name, true])),
        indexByName: Object.fromEntries([...names, ...values].map(([field], i) => [field, i])),
        renameByName: Object.fromEntries([...names, ...values]),
      },
    });
  for (const [, name] of names)
    if (links[name] !== undefined) panel.overrideByName(name, linkOverride(name, 'Vendor license'));
  for (const query of queries) panel.overrideByName(query.name, shownOverride(query));
  if (sortBy === undefined) return panel;
  return panel.sortBy([
    new common.TableSortByFieldStateBuilder().displayName(sortBy.replace(/^-/, '')).desc(sortBy.startsWith('-')),
  ]);
}

/** A table of the JSON data source. */
export function jsonTable(about: About, query: JsonQuery, shown: readonly Shown[], owner?: string): table.PanelBuilder {
  const panel = tablePanel(about, [query]).datasource(JSON_SOURCE);
  for (const column of shown) {
    const link = owner !== undefined && links[column.name] !== undefined ? linkOverride(column.name, owner) : [];
    panel.overrideByName(column.name, [...shownOverride(column), ...link]);
  }
  return panel;
}

/** GetHistory as the API defines it: Max Available as a line, Elapsed Time and Denials as columns. */
export function trend(about: About, payload: string): timeseries.PanelBuilder {
  return head(new timeseries.PanelBuilder(), about, 24, 9, NO_HISTORY)
    .datasource(JSON_SOURCE)
    .withTarget(new JsonQuery('history', payload))
    .min(0)
    .legend(legend('max', 'sum'))
    .tooltip(allSeries)
    .overrideByName('Max Available', [{ id: 'custom.drawStyle', value: 'line' }])
    .overrideByName('Elapsed Time', [
      { id: 'custom.drawStyle', value: 'bars' },
      { id: 'custom.fillOpacity', value: 40 },
      { id: 'custom.axisPlacement', value: 'right' },
      { id: 'custom.axisLabel', value: 'license-hours per day' },
    ])
    .overrideByName('Denials', [
      { id: 'custom.drawStyle', value: 'bars' },
      { id: 'custom.fillOpacity', value: 80 },
      { id: 'color', value: { mode: 'fixed', fixedColor: 'red' } },
    ]);
}

/** GetHistoryReserved by local day. */
export function reserved(about: About, payload: string): timeseries.PanelBuilder {
  return head(new timeseries.PanelBuilder(), about, 12, 9, NO_HISTORY)
    .datasource(JSON_SOURCE)
    .withTarget(new JsonQuery('reserved', payload))
    .min(0)
    .legend(legend('max'))
    .tooltip(allSeries)
    .overrideByName('Reserved Licenses', [
      { id: 'custom.lineInterpolation', value: 'stepAfter' },
      { id: 'custom.fillOpacity', value: 25 },
    ]);
}

/** GetEfficiency: hours by number of licenses in use at once, with lines at 5 and 1 % of the longest. */
export function efficiency(about: About, payload: string): barchart.PanelBuilder {
  return head(new barchart.PanelBuilder(), about, 12, 9, 'not in use within this time')
    .datasource(JSON_SOURCE)
    .withTarget(new JsonQuery('efficiency', payload))
    .min(0)
    .xField('Category')
    .legend(legend())
    .thresholds(
      thresholds(
        [
          [null, 'blue'],
          [1, 'orange'],
          [5, 'green'],
        ],
        dashboard.ThresholdsMode.Percentage,
      ),
    )
    .thresholdsStyle(new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Line));
}

/** GetHeatMap as a table with coloured cells, which every version of Grafana shows. */
export function busyHours(about: About, payload: string): table.PanelBuilder {
  return head(new table.PanelBuilder(), about, 24, 9, '')
    .datasource(JSON_SOURCE)
    .withTarget(new JsonQuery('heatmap', payload))
    .min(0)
    .colorScheme(new dashboard.FieldColorBuilder().mode(dashboard.FieldColorModeId.ContinuousBlPu))
    .cellHeight(common.TableCellHeight.Sm)
    .cellOptions({
      type: 'color-background',
      mode: common.TableCellBackgroundDisplayMode.Basic,
    } as common.TableCellOptions)
    .overrideByName('Weekday', [
      { id: 'custom.cellOptions', value: { type: 'auto' } },
      { id: 'custom.width', value: 90 },
    ]);
}

/** GetHeatMap as a heatmap panel, for Grafana 9.4 and later. */
export function busyHoursMap(about: About, payload: string): heatmap.PanelBuilder {
  return head(new heatmap.PanelBuilder(), about, 12, 9, NO_HISTORY)
    .datasource(JSON_SOURCE)
    .withTarget(new JsonQuery('heatmap', payload))
    .calculate(false)
    .rowsFrame(new heatmap.RowsHeatmapOptionsBuilder().layout(common.HeatmapCellLayout.Unknown))
    .yAxis(new heatmap.YAxisConfigBuilder().reverse(true))
    .color(new heatmap.HeatmapColorOptionsBuilder().scheme('Oranges'))
    .filterValues(new heatmap.FilterValueRangeBuilder().le(1e-9));
}

const HELP = `**No data? Check:**

1. *Prometheus data source* above is the one that scrapes license-exporter: \`up{job="license-exporter"}\` is 1 in Explore.
2. *Job*, *Instance* and the other variables above have values. They come from the metrics, so the first values appear after the first scrape.
3. *JSON data source* above is of the type simpod-json-datasource, and *Save & test* succeeds. If not, its message gives the reason.
4. License-exporter reaches the analyzer: \`license_up\` is 1, see the dashboard *Licenses / Exporter*.`;

/** What to check when panels stay empty. */
export const help = (): text.PanelBuilder =>
  new text.PanelBuilder()
    .title('No data?')
    .description('What to check when panels stay empty.')
    .mode(text.TextMode.Markdown)
    .content(HELP)
    .span(24)
    .height(5);
