import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import * as text from '@grafana/grafana-foundation-sdk/text';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { SATURATED } from '../src/site/grafana/answers/feature-use.ts';
import { current, instant, lines, once, PERIOD, PROMETHEUS, SOME, saturated, select, sumOf } from './queries.ts';

/** Kinds of panels that several dashboards use. */

export interface About {
  readonly title: string;
  /** What the panel shows and what to do about it. */
  readonly description: string;
  /** Grafana's id of the unit. Tables have units of columns instead. */
  readonly unit?: string;
  /** Of 24 columns. */
  readonly width?: number;
  readonly height?: number;
}

/** The text of a panel without data. It is also shown while nothing is scraped, so it must not sound like good news. */
const NO_DATA = 'unknown';
/** The same in a panel of rows. What is nothing, the daemon says in a row. */
export const NO_ANSWER = 'no answer';
/** The same in a chart of rows: without a recorded value it has no row. */
export const NOT_RECORDED = 'nothing recorded, or no answer';

export type Step = readonly [from: number | null, color: string];

/** Colours by the value from which they apply. */
export const thresholds = (
  steps: readonly Step[],
  mode = dashboard.ThresholdsMode.Absolute,
): dashboard.ThresholdsConfigBuilder =>
  new dashboard.ThresholdsConfigBuilder().mode(mode).steps(steps.map(([value, color]) => ({ value, color })));

/** The colours of figures: that of texts, unless a value needs action. */
export const PLAIN: readonly Step[] = [[null, 'text']];
/** 0 is bad. The lowest colour is that of the text for no data. */
export const GOOD_AT_ONE: readonly Step[] = [
  [null, 'text'],
  [0, 'red'],
  [1, 'text'],
];
export const GOOD_BELOW = (bad: number, color = 'red'): readonly Step[] => [
  [null, 'text'],
  [bad, color],
];
/** The text of a value that is not known. */
export const UNKNOWN_NAME: dashboard.ValueMapping = {
  type: dashboard.MappingType.SpecialValue,
  options: { match: dashboard.SpecialValueMatch.NullAndNan, result: { text: 'unknown', color: 'text' } },
};

/** The text of a number of features of which not even the number is known. */
export const SOME_NAME: dashboard.ValueMapping = {
  type: dashboard.MappingType.ValueToText,
  options: { [SOME]: { text: 'some', color: 'text', index: 0 } },
};

/** Days to an expiry: the colours change at 7 and 30. */
export const DAYS_LEFT: readonly Step[] = [
  [null, 'text'],
  [-1e6, 'red'],
  [7, 'orange'],
  [30, 'text'],
];
/** Names for what days cannot say: 0 days left can be 1 hour or 12. */
const daysLeftNames = (lastDay: string, permanent: string): readonly dashboard.ValueMapping[] => [
  {
    type: dashboard.MappingType.RangeToText,
    options: { from: null, to: -0.001, result: { text: 'expired', index: 0 } },
  },
  { type: dashboard.MappingType.RangeToText, options: { from: 0, to: 0.999, result: { text: lastDay, index: 1 } } },
  // longer than any license lasts: a metric is +Inf
  {
    type: dashboard.MappingType.RangeToText,
    options: { from: 100_000, to: null, result: { text: permanent, color: 'text', index: 2 } },
  },
];
export const DAYS_LEFT_NAMES = daysLeftNames('< 1', 'permanent');
/** For a figure beside another one, where long words are cut. */
export const SHORT_DAYS_LEFT_NAMES = [...daysLeftNames('< 1 d', 'never'), UNKNOWN_NAME];
/** Share of the licenses in use. */
export const SATURATION: readonly Step[] = [
  [null, 'text'],
  [SATURATED, 'orange'],
];

/** A legend below the panel: a table with these calculations, or a list without any. */
export const legend = (...calcs: string[]): common.VizLegendOptionsBuilder =>
  new common.VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(calcs.length > 0 ? common.LegendDisplayMode.Table : common.LegendDisplayMode.List)
    .placement(common.LegendPlacement.Bottom)
    .calcs(calcs);

/** A tooltip with all series. */
export const allSeries = new common.VizTooltipOptionsBuilder()
  .mode(common.TooltipDisplayMode.Multi)
  .sort(common.SortOrder.Descending);

/** What every kind of panel has. */
interface AnyPanel {
  title(title: string): this;
  description(description: string): this;
  span(columns: number): this;
  height(rows: number): this;
}

/** A panel whose values are all of one kind. */
interface Measured extends AnyPanel {
  unit(unit: string): this;
  noValue(text: string): this;
}

/** A panel with its title and its size. */
export const place = <P extends AnyPanel>(panel: P, about: About, width: number, height: number): P =>
  panel
    .title(about.title)
    .description(about.description)
    .span(about.width ?? width)
    .height(about.height ?? height);

/** A panel with its title, its size, its unit and its text for no data. */
export const head = <P extends Measured>(panel: P, about: About, width: number, height: number): P =>
  place(panel, about, width, height)
    .unit(about.unit ?? 'none')
    .noValue(NO_DATA);

/** Where a figure leads: the rows that it counts. */
export interface Rows {
  readonly title: string;
  readonly url: string;
}

/** The links of a panel. */
export const linksOf = (rows: readonly Rows[]): dashboard.DashboardLinkBuilder[] =>
  rows.map(({ title, url }) =>
    new dashboard.DashboardLinkBuilder(title).type(dashboard.DashboardLinkType.Link).url(url).targetBlank(false),
  );

/** A single figure, and links to what it is about. */
export function figure(
  about: About,
  expression: string,
  steps: readonly Step[],
  ...rows: readonly Rows[]
): stat.PanelBuilder {
  return head(new stat.PanelBuilder(), about, 4, 3)
    .datasource(PROMETHEUS)
    .targets(instant([expression], PromQueryFormat.TimeSeries))
    .thresholds(thresholds(steps))
    .colorMode(common.BigValueColorMode.Value)
    .graphMode(common.BigValueGraphMode.None)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false).fields(''))
    .links(linksOf(rows));
}

/** Colours by the value from which they apply, of one field. */
export const absolute = (steps: readonly Step[]): dashboard.ThresholdsConfig =>
  ({ mode: 'absolute', steps: steps.map(([value, color]) => ({ value, color })) }) as dashboard.ThresholdsConfig;

/** Figures with their names, one below the other. */
export const withNames = (panel: stat.PanelBuilder): stat.PanelBuilder =>
  panel
    .textMode(common.BigValueTextMode.ValueAndName)
    .orientation(common.VizOrientation.Vertical)
    // beside its name, a value would be nearer to the name of the next one
    .wideLayout(false)
    // on a narrow screen, Grafana would choose sizes too small to read
    .text(new common.VizTextDisplayOptionsBuilder().titleSize(12).valueSize(18));

/** Figures with colours of their own, by their names. */
export function withSteps(
  panel: stat.PanelBuilder,
  steps: Readonly<Record<string, readonly Step[]>>,
): stat.PanelBuilder {
  for (const [name, colors] of Object.entries(steps)) {
    panel.overrideByName(name, [{ id: 'thresholds', value: absolute(colors) }]);
  }
  return panel;
}

/** A name that stays in a panel while nothing of it is known. */
export const orNaN = (expression: string): string => `${expression} or vector(NaN)`;

/** Figures with their names, and a link to what they are about. */
export function namedFigures(
  about: About,
  figures: Readonly<Record<string, readonly [expression: string, steps: readonly Step[]]>>,
  ...rows: readonly Rows[]
): stat.PanelBuilder {
  const expressions = Object.fromEntries(
    Object.entries(figures).map(([name, [expression]]) => [name, orNaN(expression)]),
  );
  const panel = withNames(figure(about, '', PLAIN, ...rows))
    .targets(current(expressions))
    .mappings([UNKNOWN_NAME]);
  return withSteps(panel, Object.fromEntries(Object.entries(figures).map(([name, [, steps]]) => [name, steps])));
}

/** Where the next user may be denied, and who waits. @param rows the features */
export const SATURATED_AND_WAITING = (matchers: string, rows: Rows): stat.PanelBuilder =>
  namedFigures(
    {
      title: 'Saturated, waiting',
      description:
        'Features with at least 95 % of their licenses in use now: the next user may be denied. And the maximum number of waiting requests since the previous collection, summed over the features.',
      unit: 'none',
      width: 6,
    },
    {
      'features, ≥ 95 %': [saturated(matchers), GOOD_BELOW(1, 'orange')],
      'requests waiting': [sumOf('license_feature_max_queued', matchers), GOOD_BELOW(1, 'orange')],
    },
    rows,
  );

/** The fields in this order: Infinity sorts them by name, and Prometheus not at all. */
export const ordered = (names: readonly string[]): dashboard.DataTransformerConfig => ({
  id: 'organize',
  options: { indexByName: Object.fromEntries(names.map((name, i) => [name, i])) },
});

/** Figures of one query, by the name of their period. */
export function split(
  about: About,
  expression: string,
  figures: Readonly<Record<string, readonly Step[]>>,
  rows: Rows,
): stat.PanelBuilder {
  const panel = withNames(figure(about, '', PLAIN, rows))
    .targets(instant([expression]))
    .withTransformation({
      id: 'rowsToFields',
      options: {
        mappings: [
          { fieldName: 'Time', handlerKey: '__ignore' },
          { fieldName: PERIOD, handlerKey: 'field.name' },
          { fieldName: 'Value', handlerKey: 'field.value' },
        ],
      },
    })
    .withTransformation(ordered(Object.keys(figures)));
  return withSteps(panel, figures);
}

/** A line that is often equal to another one, which is then seen between the dashes. */
export const DASHED = { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 6] } } as const;

/**
 * Lines over time, by legend and expression.
 *
 * @param calcs of a legend that is a table; it shows three lines, so it is for few series
 */
export function graph(
  about: About,
  series: Readonly<Record<string, string>>,
  ...calcs: readonly string[]
): timeseries.PanelBuilder {
  return (
    head(new timeseries.PanelBuilder(), about, 12, 8)
      .datasource(PROMETHEUS)
      .targets(lines(series))
      .min(0)
      .lineWidth(1)
      .fillOpacity(8)
      // a line of one sample is a point
      .showPoints(common.VisibilityMode.Auto)
      .mappings([UNKNOWN_NAME])
      .legend(legend(...calcs))
      .tooltip(allSeries)
  );
}

/** States over time: 1 good, 0 bad. */
export function states(
  about: About,
  series: Readonly<Record<string, string>>,
  names: { readonly good: string; readonly bad: string },
): statetimeline.PanelBuilder {
  return (
    head(new statetimeline.PanelBuilder(), about, 24, 8)
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
        // without a series, the panel complains about its fields
        UNKNOWN_NAME,
      ])
      .showValue(common.VisibilityMode.Never)
      // with the colours of thresholds, the legend would not name the states
      .colorScheme(new dashboard.FieldColorBuilder().mode(dashboard.FieldColorModeId.Fixed))
      .mergeValues(true)
      .rowHeight(0.8)
      .legend(legend())
  );
}

/** A strip that says when a server was down. Marks in charts hide the data of a server that is often down. */
export const SERVER_OVER_TIME = (matchers: string): statetimeline.PanelBuilder =>
  states(
    {
      title: 'Server over time',
      description: 'Whether the license server and its daemon sent data. During a gap, the state is not known.',
      height: 4,
    },
    { server: orNaN(`max(${once(`min_over_time(${select('license_server_up', matchers)}[$__rate_interval])`)})`) },
    { good: 'up', bad: 'down' },
  );

const HELP = `1. The dashboard *Licenses / Exporter* shows the data sources, *Job* and *Instance*. Choose them there, and go on with its menu *Licenses*, which keeps them.
2. The Prometheus data source is the one that scrapes license-exporter: \`up{job="license-exporter"}\` is 1 in Explore.
3. The Infinity data source has the URL of license-exporter, and *Save & test* succeeds. If not, its message gives the reason.
4. License-exporter reaches the analyzer: \`license_up\` is 1.`;

/** What to check when panels stay empty: a closed row at the end of each dashboard. */
export const help = (): dashboard.RowBuilder =>
  new dashboard.RowBuilder('No data?')
    .collapsed(true)
    .withPanel(
      new text.PanelBuilder()
        .title('What to check when panels stay empty')
        .description('What to check when panels stay empty.')
        .mode(text.TextMode.Markdown)
        .content(HELP)
        .span(24)
        .height(6),
    );
