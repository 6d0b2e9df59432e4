import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import { type About, head, PLAIN, type Rows, type Step, thresholds, withNames } from './panels.ts';
import { OF_VENDOR_LICENSES, type Read, ROWS, RowsQuery } from './queries.ts';

interface Total {
  /** A column of the totals of right-sizing. */
  readonly field: string;
  /** The column that names each row, if there can be several: a figure for each of them. */
  readonly label?: string;
  /** Colours from these values on. */
  readonly steps?: readonly Step[];
}

/** A total of the nightly pass, with a link to its rows. */
export function total(about: About, { field, label, steps = [] }: Total, { title, url }: Rows): stat.PanelBuilder {
  const named: readonly Read[] = label === undefined ? [] : [{ name: label }];
  // with a label there is a row for each: none for those without a figure
  const parameters = { ...OF_VENDOR_LICENSES, shape: 'totals', ...(label !== undefined && { with: [field] }) };
  const query = new RowsQuery('rightsizing', parameters, [...named, { name: field, type: 'number' }]);
  const panel = head(new stat.PanelBuilder(), about, 4, 4)
    .datasource(ROWS)
    .withTarget(query)
    .decimals(0)
    .colorMode(common.BigValueColorMode.Value)
    .graphMode(common.BigValueGraphMode.None)
    .links([
      new dashboard.DashboardLinkBuilder(title).type(dashboard.DashboardLinkType.Link).url(url).targetBlank(false),
    ]);
  return (label === undefined ? panel.textMode(common.BigValueTextMode.Value) : withNames(panel))
    .thresholds(thresholds([...PLAIN, ...steps]))
    .reduceOptions(
      new common.ReduceDataOptionsBuilder()
        .calcs(['lastNotNull'])
        .values(label !== undefined)
        .fields(`/^${field}$/`),
    );
}
