import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import * as text from '@grafana/grafana-foundation-sdk/text';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { SATURATED } from '../src/site/grafana/answers/feature-use.ts';
import { FIGURE, instant, lines, named, once, PROMETHEUS, select } from './queries.ts';

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
const thresholds = (
  steps: readonly Step[],
  mode = dashboard.ThresholdsMode.Absolute,
): dashboard.ThresholdsConfigBuilder =>
  new dashboard.ThresholdsConfigBuilder().mode(mode).steps(steps.map(([value, color]) => ({ value, color })));

/** The colours of figures: that of texts, unless a value needs action. */
export const PLAIN: readonly Step[] = [[null, 'text']];
export const GOOD_BELOW = (bad: number, color = 'red'): readonly Step[] => [
  [null, 'text'],
  [bad, color],
];
/** 0 is bad. The lowest colour is that of the text for no data. */
export const GOOD_AT_ONE: readonly Step[] = [
  [null, 'text'],
  [0, 'red'],
  [1, 'text'],
];
/** Weaker than texts, in both themes: what is not known asks for nothing. */
export const QUIET = '#8a8a94';
/** The text of a value that is not known. */
const UNKNOWN_NAME: dashboard.ValueMapping = {
  type: dashboard.MappingType.SpecialValue,
  options: { match: dashboard.SpecialValueMatch.NullAndNan, result: { text: 'unknown', color: QUIET } },
};
/** The same in a strip: hollow. */
const UNKNOWN_TIME: dashboard.ValueMapping = {
  type: dashboard.MappingType.SpecialValue,
  options: { match: dashboard.SpecialValueMatch.NullAndNan, result: { text: 'unknown', color: 'transparent' } },
};

/** Days to an expiry: the colours change at 7 and 30. */
export const DAYS_LEFT: readonly Step[] = [
  [null, 'text'],
  [-1e6, 'red'],
  [7, 'orange'],
  [30, 'text'],
];
/** Names for what days cannot say: 0 days left can be 1 hour or 12. */
export const DAYS_LEFT_NAMES: readonly dashboard.ValueMapping[] = [
  {
    type: dashboard.MappingType.RangeToText,
    options: { from: null, to: -0.001, result: { text: 'expired', index: 0 } },
  },
  { type: dashboard.MappingType.RangeToText, options: { from: 0, to: 0.999, result: { text: '< 1', index: 1 } } },
  // longer than any license lasts: a metric is +Inf
  {
    type: dashboard.MappingType.RangeToText,
    options: { from: 100_000, to: null, result: { text: 'permanent', color: 'text', index: 2 } },
  },
];
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

/** Colours by the value from which they apply, of one field. */
export const absolute = (steps: readonly Step[]): dashboard.ThresholdsConfig =>
  ({ mode: 'absolute', steps: steps.map(([value, color]) => ({ value, color })) }) as dashboard.ThresholdsConfig;

/** Figures with their names, one below the other. */
const withNames = (panel: stat.PanelBuilder): stat.PanelBuilder =>
  panel
    .textMode(common.BigValueTextMode.ValueAndName)
    .orientation(common.VizOrientation.Vertical)
    // beside its name, a value would be nearer to the name of the next one
    .wideLayout(false)
    // on a narrow screen, Grafana would choose sizes too small to read
    .text(new common.VizTextDisplayOptionsBuilder().titleSize(12).valueSize(18));

/** How a figure is shown. */
export interface FigureLook {
  readonly steps?: readonly Step[];
  /** Grafana's id of its unit, if it is not that of the panel. */
  readonly unit?: string;
  readonly decimals?: number;
  /** Names that are shown for values, beside `unknown`. */
  readonly names?: readonly dashboard.ValueMapping[];
}

/** A panel of figures. Each has a name, and a look of its own. */
export function figurePanel(
  about: About,
  looks: Readonly<Record<string, FigureLook>>,
  links: readonly Rows[],
): stat.PanelBuilder {
  const panel = withNames(head(new stat.PanelBuilder(), about, 4, 3))
    .thresholds(thresholds(PLAIN))
    .colorMode(common.BigValueColorMode.Value)
    .graphMode(common.BigValueGraphMode.None)
    .mappings([UNKNOWN_NAME])
    .links(linksOf(links));
  for (const [name, { steps = PLAIN, unit, decimals, names }] of Object.entries(looks)) {
    panel.overrideByName(name, [
      { id: 'thresholds', value: absolute(steps) },
      ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
      ...(decimals === undefined ? [] : [{ id: 'decimals', value: decimals }]),
      ...(names === undefined ? [] : [{ id: 'mappings', value: [...names, UNKNOWN_NAME] }]),
    ]);
  }
  return panel;
}

/** A name that stays in a panel while nothing of it is known. */
export const orNaN = (expression: string): string => `${expression} or vector(NaN)`;

/** The fields in this order: Infinity sorts them by name, and Prometheus not at all. */
export const ordered = (names: readonly string[]): dashboard.DataTransformerConfig => ({
  id: 'organize',
  options: { indexByName: Object.fromEntries(names.map((name, i) => [name, i])) },
});

/** A figure, and its expression, which has no labels. */
export interface Figure extends FigureLook {
  readonly of: string;
}

/** Figures of one query. One that is not known keeps its name. */
export function figures(
  about: About,
  shown: Readonly<Record<string, Figure>>,
  ...links: readonly Rows[]
): stat.PanelBuilder {
  const expressions = Object.entries(shown).map(([name, { of }]) => named(FIGURE, name, `(${orNaN(of)})`));
  return figurePanel(about, shown, links)
    .datasource(PROMETHEUS)
    .targets(instant([expressions.join(' or ')]))
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false).fields(''))
    .withTransformation({
      id: 'rowsToFields',
      options: {
        mappings: [
          { fieldName: 'Time', handlerKey: '__ignore' },
          { fieldName: FIGURE, handlerKey: 'field.name' },
          { fieldName: 'Value', handlerKey: 'field.value' },
        ],
      },
    })
    .withTransformation(ordered(Object.keys(shown)));
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
        UNKNOWN_TIME,
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
