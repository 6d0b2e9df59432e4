import * as common from '@grafana/grafana-foundation-sdk/common';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import {
  type About,
  head,
  linksOf,
  ordered,
  PLAIN,
  type Rows,
  type Step,
  thresholds,
  withNames,
  withSteps,
} from './panels.ts';
import { OF_VENDOR_LICENSES, type Parameters, type Read, ROWS, RowsQuery } from './queries.ts';

/** Totals of right-sizing, with links to their rows. */

function panel(
  about: About,
  parameters: Parameters,
  columns: readonly Read[],
  links: readonly Rows[],
): stat.PanelBuilder {
  const query = new RowsQuery('rightsizing', { ...OF_VENDOR_LICENSES, shape: 'totals', ...parameters }, columns);
  return withNames(head(new stat.PanelBuilder(), about, 4, 3))
    .datasource(ROWS)
    .withTarget(query)
    .decimals(0)
    .colorMode(common.BigValueColorMode.Value)
    .graphMode(common.BigValueGraphMode.None)
    .thresholds(thresholds(PLAIN))
    .links(linksOf(links));
}

const reduced = (values: boolean, fields: string): common.ReduceDataOptionsBuilder =>
  new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(values).fields(`/^(${fields})$/`);

/** Figures of all advice: columns of the totals, by the name of the figure. */
export function totals(
  about: About,
  figures: Readonly<Record<string, { readonly of: string; readonly steps?: readonly Step[] }>>,
  ...links: readonly Rows[]
): stat.PanelBuilder {
  const names = Object.keys(figures);
  const columns = Object.entries(figures).map(([as, { of }]): Read => ({ name: of, as, type: 'number' }));
  const built = panel(about, {}, columns, links)
    .reduceOptions(reduced(false, names.join('|')))
    .withTransformation(ordered(names));
  return withSteps(
    built,
    Object.fromEntries(Object.entries(figures).map(([name, { steps = PLAIN }]) => [name, steps])),
  );
}

/** A sum of money for each currency. There is a row for each; none for those without a sum. */
export const amounts = (about: About, of: string, ...links: readonly Rows[]): stat.PanelBuilder =>
  panel(about, { with: [of] }, [{ name: 'Currency' }, { name: of, type: 'number' }], links).reduceOptions(
    reduced(true, of),
  );
