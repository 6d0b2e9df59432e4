import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import { type About, head, type Rows, type Step, thresholds } from './panels.ts';
import { JSON_SOURCE, JsonQuery, OF_VENDOR_LICENSES } from './queries.ts';

interface Total {
  readonly target: 'rightsizing' | 'expirations';
  /** A column of the totals. */
  readonly field: string;
  /** The column that names each row, if there can be several: a figure for each of them. */
  readonly label?: string;
  /** Colours from these values on. */
  readonly steps?: readonly Step[];
}

/** A figure of the shape `totals`, with a link to its rows. The daemon counts: Prometheus would read a series for each license. */
export function total(
  about: About,
  { target, field, label, steps = [] }: Total,
  { title, url }: Rows,
): stat.PanelBuilder {
  const columns = label === undefined ? [field] : [label, field];
  // with a label there is a row for each: none for those without a figure
  const rows = label === undefined ? {} : { with: [field] };
  const query = new JsonQuery(target, { ...OF_VENDOR_LICENSES, shape: 'totals', columns, ...rows });
  return head(new stat.PanelBuilder(), about, 6, 4, 'unknown')
    .datasource(JSON_SOURCE)
    .withTarget(query)
    .decimals(0)
    .thresholds(thresholds([[null, 'text'], ...steps]))
    .colorMode(common.BigValueColorMode.Value)
    .graphMode(common.BigValueGraphMode.None)
    .textMode(label === undefined ? common.BigValueTextMode.Value : common.BigValueTextMode.ValueAndName)
    .reduceOptions(
      new common.ReduceDataOptionsBuilder()
        .calcs(['lastNotNull'])
        .values(label !== undefined)
        .fields(`/^${field}$/`),
    )
    .links([
      new dashboard.DashboardLinkBuilder(title).type(dashboard.DashboardLinkType.Link).url(url).targetBlank(false),
    ]);
}
