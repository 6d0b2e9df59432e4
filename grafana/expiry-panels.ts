import * as barchart from '@grafana/grafana-foundation-sdk/barchart';
import * as common from '@grafana/grafana-foundation-sdk/common';
import { NO_LEGEND } from './history-panels.ts';
import { type About, head, type Rows } from './panels.ts';
import { JSON_SOURCE, JsonQuery, type Payload } from './queries.ts';

/** A calendar of expiries: a bar for each month. Its link leads to the licenses of the month. */
export function monthBars(about: About, payload: Payload, { title, url }: Rows): barchart.PanelBuilder {
  const columns = ['Month', 'Licenses expiring'];
  return (
    head(new barchart.PanelBuilder(), about, 24, 8)
      .datasource(JSON_SOURCE)
      .withTarget(new JsonQuery('expirations', { ...payload, status: ['upcoming'], shape: 'months', columns }))
      // they have no month
      .withTransformation({
        id: 'filterByValue',
        options: {
          filters: [{ fieldName: 'Month', config: { id: 'equal', options: { value: 'permanent' } } }],
          type: 'exclude',
          match: 'any',
        },
      })
      .xField('Month')
      .showValue(common.VisibilityMode.Always)
      .legend(NO_LEGEND)
      .fillOpacity(70)
      .xTickLabelMaxLength(10)
      .xTickLabelSpacing(75)
      // a label that is left out would be shown as no data
      .overrideByFieldType('string', [{ id: 'noValue', value: '' }])
      .overrideByName('Licenses expiring', [
        { id: 'color', value: { mode: 'fixed', fixedColor: 'blue' } },
        { id: 'min', value: 0 },
        { id: 'decimals', value: 0 },
        { id: 'links', value: [{ title, url }] },
      ])
  );
}
