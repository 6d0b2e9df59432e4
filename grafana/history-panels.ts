import * as barchart from '@grafana/grafana-foundation-sdk/barchart';
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { type BlockedCause, blockedCauses } from '../src/base/model/observation/observation.ts';
import { causeTexts } from '../src/base/people.ts';
import { causeColumn } from '../src/site/grafana/answers/blocked-answers.ts';
import { type About, allSeries, DASHED, head, legend, NOT_RECORDED, ordered, QUIET, type Rows } from './panels.ts';
import { IN_RANGE, nameOf, type Parameters, type Read, ROWS, RowsQuery } from './queries.ts';

/** Panels of the history endpoints. */

/** For a chart of one series whose title says what it shows. */
const NO_LEGEND = new common.VizLegendOptionsBuilder()
  .showLegend(false)
  .displayMode(common.LegendDisplayMode.Hidden)
  .placement(common.LegendPlacement.Bottom)
  .calcs([]);

type Property = { readonly id: string; readonly value: unknown };

export const colored = (color: string): Property => ({ id: 'color', value: { mode: 'fixed', fixedColor: color } });

/** A series of which no value is known. Its legend would say 0. */
export const UNKNOWN_SERIES = {
  matcher: { id: 'byValue', options: { reducer: 'firstNotNull', op: 'eq', value: null } },
  properties: [{ id: 'custom.hideFrom', value: { viz: true, legend: true, tooltip: true } }],
};

/** The series of a day, with their colours: bought licenses, and the peak, the users and the reservations. */
export const days: readonly (Read & { readonly color: string; readonly fill?: number; readonly dashed?: true })[] = [
  { name: 'Max In Use', as: 'peak in use', color: 'blue', fill: 30 },
  { name: 'Distinct Users', as: 'users at one time', color: 'purple', dashed: true },
  { name: 'Reserved Licenses', as: 'reserved', color: 'orange' },
  // drawn last, over a peak that is equal
  { name: 'Max Available', as: 'bought', color: 'text', dashed: true },
];

/** A chart whose series are drawn as those of a day. */
export function drawn(panel: timeseries.PanelBuilder, shown: typeof days): timeseries.PanelBuilder {
  for (const { name, as = name, color, fill = 0, dashed } of shown) {
    panel.overrideByName(as, [
      colored(color),
      { id: 'custom.fillOpacity', value: fill },
      ...(dashed === true ? [DASHED] : []),
    ]);
  }
  return panel;
}

/**
 * Steps by local day of the analyzer. A day fills its part of the time range, so that hours and a year are drawn alike.
 *
 * @param shown of a sum over features, the analyzer adds up no users
 */
export function peaks(about: About, parameters: Parameters, shown = days): timeseries.PanelBuilder {
  const columns: readonly Read[] = [
    { name: 'Time', type: 'time' },
    ...shown.map(({ name, as }): Read => ({ name, as: as ?? name, type: 'number' })),
  ];
  const panel = head(new timeseries.PanelBuilder(), about, 12, 9)
    .datasource(ROWS)
    .withTarget(new RowsQuery('history', { ...parameters, ...IN_RANGE, shape: 'days' }, columns))
    .withTransformation(ordered(columns.map(nameOf)))
    .noValue(NOT_RECORDED)
    .min(0)
    .lineWidth(1)
    .lineInterpolation(common.LineInterpolation.StepAfter)
    .showPoints(common.VisibilityMode.Never)
    .legend(legend())
    .tooltip(allSeries)
    .withOverride(UNKNOWN_SERIES);
  return drawn(panel, shown);
}

/** What all charts with bars have. */
const bars = (about: About, query: RowsQuery, x: string, color: string, width: number): barchart.PanelBuilder =>
  head(new barchart.PanelBuilder(), about, width, 9)
    .datasource(ROWS)
    .withTarget(query)
    .noValue(NOT_RECORDED)
    .xField(x)
    // bars of a few days would lie
    .orientation(common.VizOrientation.Vertical)
    .xTickLabelMaxLength(10)
    .showValue(common.VisibilityMode.Never)
    .fillOpacity(70)
    .overrideByFieldType('number', [{ id: 'min', value: 0 }, { id: 'decimals', value: 0 }, colored(color)])
    // a label that is left out would be shown as no data
    .overrideByFieldType('string', [{ id: 'noValue', value: '' }]);

/** Bars of one of the series of GetHistory with their sum: days, for a long time range weeks or months. */
export function periods(
  about: About,
  parameters: Parameters,
  { series, as, color }: { readonly series: 'Elapsed Time' | 'Denials'; readonly as: string; readonly color: string },
): barchart.PanelBuilder {
  const columns: readonly Read[] = [{ name: 'Period' }, { name: series, as, type: 'number' }];
  const query = new RowsQuery('history', { ...parameters, ...IN_RANGE, shape: 'periods' }, columns);
  return (
    bars(about, query, 'Period', color, 6)
      .xTickLabelSpacing(90)
      // room for the half of the first label
      .axisWidth(52)
      .axisSoftMax(4)
      .legend(legend('max', 'sum'))
      .withOverride(UNKNOWN_SERIES)
  );
}

/** The colours of causes: those of licenses that are held, where a cause is such a one. */
export const CAUSE_COLORS: Readonly<Record<BlockedCause, string>> = {
  all_busy: 'red',
  held_idle: 'yellow',
  reserved_for_others: 'orange',
  free_elsewhere: 'blue',
  all_in_use: 'super-light-red',
  expired: 'purple',
  not_licensed: 'dark-purple',
  not_permitted: 'light-purple',
  other: 'text',
  unknown: QUIET,
};

/** A cause for which nobody waited: it has no place in a legend, but what is 0 is not unknown. */
export const NOBODY = {
  matcher: { id: 'byValue', options: { reducer: 'max', op: 'eq', value: 0 } },
  properties: [{ id: 'custom.hideFrom', value: { viz: false, legend: true, tooltip: true } }],
};

/** Minutes that people waited, by cause: days, for a long time range weeks or months. */
export function waits(about: About, parameters: Parameters): barchart.PanelBuilder {
  const causes = blockedCauses.map(
    (cause): Read => ({ name: causeColumn(cause), as: causeTexts[cause], type: 'number' }),
  );
  const query = new RowsQuery('blocked', { ...parameters, ...IN_RANGE, shape: 'periods' }, [
    { name: 'Period' },
    ...causes,
  ]);
  const panel = bars(about, query, 'Period', 'text', 12)
    .withTransformation(ordered(['Period', ...causes.map(nameOf)]))
    .stacking(common.StackingMode.Normal)
    .xTickLabelSpacing(90)
    .axisWidth(52)
    .axisSoftMax(4)
    .legend(legend('sum'))
    .tooltip(allSeries)
    .withOverride(UNKNOWN_SERIES)
    .withOverride(NOBODY);
  for (const cause of blockedCauses) panel.overrideByName(causeTexts[cause], [colored(CAUSE_COLORS[cause])]);
  return panel;
}

/** GetEfficiency: hours in which at least 1, 2, 3, … licenses were in use at once. */
export function efficiency(about: About, parameters: Parameters): barchart.PanelBuilder {
  const columns: readonly Read[] = [
    { name: 'Category', as: 'licenses' },
    { name: 'Total Duration', as: 'hours', type: 'number' },
  ];
  return bars(about, new RowsQuery('efficiency', parameters, columns), 'licenses', 'blue', 12)
    .legend(NO_LEGEND)
    .xTickLabelMaxLength(6)
    .xTickLabelSpacing(50)
    .overrideByName('hours', [{ id: 'unit', value: 'locale' }]);
}

/** Entries that expire, by month. A click on a bar leads to its licenses. */
export function months(about: About, parameters: Parameters, { title, url }: Rows): barchart.PanelBuilder {
  const columns: readonly Read[] = [
    { name: 'Month' },
    { name: 'Licenses expiring', as: 'features expiring', type: 'number' },
  ];
  const query = new RowsQuery('expirations', { ...parameters, status: ['upcoming'], shape: 'months' }, columns);
  return (
    bars(about, query, 'Month', 'blue', 24)
      .withTransformation({
        id: 'filterByValue',
        // they have no month
        options: {
          filters: [{ fieldName: 'Month', config: { id: 'equal', options: { value: 'permanent' } } }],
          type: 'exclude',
          match: 'any',
        },
      })
      .showValue(common.VisibilityMode.Always)
      .legend(NO_LEGEND)
      // counted from the end: without its label, the last bar would be taken for a month
      .xTickLabelSpacing(-75)
      .overrideByName('features expiring', [{ id: 'links', value: [{ title, url }] }])
  );
}

/** `show` is for versions before 10.2, which do not know `mode`. */
const CELL_TOOLTIP = { mode: common.TooltipDisplayMode.Single, yHistogram: false, showColorScale: true, show: true };

/** Its columns: hours, weekdays, and what was bought, so that the colours end there. */
const HOURS = ['Hour', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'Bought'];

/** GetHeatMap: weekdays by hours of the day. An hour without data stays empty, and is not drawn as 0. */
export function busyHours(about: About, parameters: Parameters): heatmap.PanelBuilder {
  const columns = HOURS.map((name): Read => ({ name, type: 'number' }));
  return (
    head(new heatmap.PanelBuilder(), about, 24, 9)
      .datasource(ROWS)
      .withTarget(new RowsQuery('heatmap', { ...parameters, shape: 'wide' }, columns))
      .withTransformation(ordered(HOURS))
      .noValue(NOT_RECORDED)
      .calculate(false)
      .rowsFrame(
        new heatmap.RowsHeatmapOptionsBuilder().layout(common.HeatmapCellLayout.Unknown).value('in use at once'),
      )
      .yAxis(new heatmap.YAxisConfigBuilder().reverse(true).axisPlacement(common.AxisPlacement.Left))
      // the schemes of Grafana turn round between its themes; without steps, the panel fails
      .color(
        new heatmap.HeatmapColorOptionsBuilder()
          .mode(heatmap.HeatmapColorMode.Opacity)
          .scheme('Oranges')
          .scale(heatmap.HeatmapColorScale.Linear)
          .exponent(0.5)
          .fill('dark-orange')
          .steps(64)
          .min(0),
      )
      .filterValues(new heatmap.FilterValueRangeBuilder().le(-1))
      .cellValues(new heatmap.CellValuesBuilder().unit('none').decimals(0))
      .showValue(common.VisibilityMode.Auto)
      .cellGap(2)
      .tooltip({ build: () => CELL_TOOLTIP })
  );
}
