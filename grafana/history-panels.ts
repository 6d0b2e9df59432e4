import * as barchart from '@grafana/grafana-foundation-sdk/barchart';
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { type About, allSeries, head, legend } from './panels.ts';
import { JSON_SOURCE, JsonQuery, type Payload } from './queries.ts';

/** Panels of the history endpoints. */

/** For a chart of one series whose title says what it shows. */
export const NO_LEGEND = new common.VizLegendOptionsBuilder()
  .showLegend(false)
  .displayMode(common.LegendDisplayMode.Hidden)
  .placement(common.LegendPlacement.Bottom)
  .calcs([]);

type Property = { readonly id: string; readonly value: unknown };

const colored = (color: string): Property => ({ id: 'color', value: { mode: 'fixed', fixedColor: color } });
const bars: Property = { id: 'custom.drawStyle', value: 'bars' };
const shown = (name: string): Property => ({ id: 'displayName', value: name });

/** Only some of the series of GetHistory. The name of a series ends with the feature if there are several. */
const only = (...names: readonly string[]) => ({
  id: 'filterFieldsByName',
  options: { include: { pattern: `^(Time|${names.join('|')})` } },
});

/** By local day: bought licenses of GetHistory, and the peak, the users and the reservations of GetHistoryReserved. */
export function peaks(about: About, payload: Payload): timeseries.PanelBuilder {
  return head(new timeseries.PanelBuilder(), about, 12, 9)
    .datasource(JSON_SOURCE)
    .withTarget(new JsonQuery('history', payload, 'A'))
    .withTarget(new JsonQuery('reserved', { ...payload, shape: 'timeseries' }, 'B'))
    .withTransformation(only('Max Available', 'Max In Use', 'Distinct Users', 'Reserved Licenses'))
    .min(0)
    .legend(legend())
    .tooltip(allSeries)
    .overrideByName('Max Available', [
      shown('bought'),
      { id: 'custom.lineInterpolation', value: 'stepAfter' },
      colored('text'),
    ])
    .overrideByName('Max In Use', [
      shown('peak in use'),
      bars,
      { id: 'custom.fillOpacity', value: 40 },
      colored('blue'),
    ])
    .overrideByName('Distinct Users', [shown('users at one time'), colored('purple')])
    .overrideByName('Reserved Licenses', [
      shown('reserved'),
      { id: 'custom.lineInterpolation', value: 'stepAfter' },
      colored('orange'),
    ]);
}

/** Bars of one of the series of GetHistory, with their sum. */
export function daily(
  about: About,
  payload: Payload,
  { series, as, color }: { readonly series: 'Elapsed Time' | 'Denials'; readonly as: string; readonly color: string },
): timeseries.PanelBuilder {
  return head(new timeseries.PanelBuilder(), about, 6, 9)
    .datasource(JSON_SOURCE)
    .withTarget(new JsonQuery('history', payload))
    .withTransformation(only(series))
    .min(0)
    .decimals(0)
    .drawStyle(common.GraphDrawStyle.Bars)
    .fillOpacity(60)
    .axisSoftMax(4)
    .legend(legend('max', 'sum'))
    .overrideByName(series, [shown(as), colored(color)]);
}

/** GetEfficiency: hours in which at least 1, 2, 3, … licenses were in use at once. */
export function efficiency(about: About, payload: Payload): barchart.PanelBuilder {
  return (
    head(new barchart.PanelBuilder(), about, 12, 9)
      .datasource(JSON_SOURCE)
      .withTarget(new JsonQuery('efficiency', payload))
      .xField('Category')
      .legend(NO_LEGEND)
      .showValue(common.VisibilityMode.Never)
      .xTickLabelMaxLength(6)
      .xTickLabelSpacing(50)
      // not for the names of the bars
      .overrideByFieldType('number', [
        { id: 'unit', value: 'suffix: h' },
        { id: 'min', value: 0 },
        colored('blue'),
        { id: 'decimals', value: 0 },
      ])
      .overrideByFieldType('string', [{ id: 'noValue', value: '' }])
  );
}

/** `show` is for versions before 10.2, which do not know `mode`. */
const CELL_TOOLTIP = { mode: common.TooltipDisplayMode.Single, yHistogram: false, showColorScale: true, show: true };

/** GetHeatMap: weekdays by hours of the day. An hour without data stays empty, and is not drawn as 0. */
export function busyHours(about: About, payload: Payload): heatmap.PanelBuilder {
  return (
    head(new heatmap.PanelBuilder(), about, 24, 9)
      .datasource(JSON_SOURCE)
      .withTarget(new JsonQuery('heatmap', payload))
      .calculate(false)
      .rowsFrame(
        new heatmap.RowsHeatmapOptionsBuilder().layout(common.HeatmapCellLayout.Unknown).value('in use at once'),
      )
      .yAxis(new heatmap.YAxisConfigBuilder().reverse(true).axisPlacement(common.AxisPlacement.Left))
      // without steps, the panel fails
      .color(
        new heatmap.HeatmapColorOptionsBuilder()
          .mode(heatmap.HeatmapColorMode.Scheme)
          .scheme('YlGnBu')
          .scale(heatmap.HeatmapColorScale.Linear)
          .exponent(0.5)
          .fill('blue')
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
