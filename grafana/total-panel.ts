import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import { type About, absolute, head, PLAIN, type Rows, type Step, thresholds, withNames } from './panels.ts';
import { JSON_SOURCE, JsonQuery, OF_VENDOR_LICENSES, type Payload } from './queries.ts';

interface Total {
  readonly target: 'rightsizing' | 'expirations' | 'features';
  /** Whose features are counted; those of the selected vendor licenses without it. */
  readonly payload?: Payload;
  /** A column of the totals. */
  readonly field: string;
  /** The column that names each row, if there can be several: a figure for each of them. */
  readonly label?: string;
  /** Colours from these values on. */
  readonly steps?: readonly Step[];
}

/** A stat of the shape `totals`. The daemon counts: Prometheus would read a series for each license. */
function statOf(about: About, query: JsonQuery, { title, url }: Rows): stat.PanelBuilder {
  return head(new stat.PanelBuilder(), about, 4, 3)
    .datasource(JSON_SOURCE)
    .withTarget(query)
    .decimals(0)
    .thresholds(thresholds(PLAIN))
    .colorMode(common.BigValueColorMode.Value)
    .graphMode(common.BigValueGraphMode.None)
    .links([
      new dashboard.DashboardLinkBuilder(title).type(dashboard.DashboardLinkType.Link).url(url).targetBlank(false),
    ]);
}

/** A total with a link to its rows. */
export function total(
  about: About,
  { target, payload: of = OF_VENDOR_LICENSES, field, label, steps = [] }: Total,
  rows: Rows,
): stat.PanelBuilder {
  const columns = label === undefined ? [field] : [label, field];
  // with a label there is a row for each: none for those without a figure
  const payload = { ...of, shape: 'totals', columns, ...(label !== undefined && { with: [field] }) };
  const panel = statOf(about, new JsonQuery(target, payload), rows);
  return (label === undefined ? panel.textMode(common.BigValueTextMode.Value) : withNames(panel))
    .thresholds(thresholds([...PLAIN, ...steps]))
    .reduceOptions(
      new common.ReduceDataOptionsBuilder()
        .calcs(['lastNotNull'])
        .values(label !== undefined)
        .fields(`/^${field}$/`),
    );
}

/** Two totals with their names, by column. */
export function totalPair(
  about: About,
  { target, payload = OF_VENDOR_LICENSES }: Pick<Total, 'target' | 'payload'>,
  figures: Readonly<Record<string, { readonly as: string; readonly steps: readonly Step[] }>>,
  rows: Rows,
): stat.PanelBuilder {
  const columns = Object.keys(figures);
  const query = new JsonQuery(target, { ...payload, shape: 'totals', columns });
  // a pattern of fields would be compared with the names that are shown
  const all = new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false).fields('');
  const panel = withNames(statOf(about, query, rows)).reduceOptions(all);
  for (const [column, { as, steps }] of Object.entries(figures)) {
    panel.overrideByName(column, [
      { id: 'displayName', value: as },
      { id: 'thresholds', value: absolute(steps) },
    ]);
  }
  return panel;
}
