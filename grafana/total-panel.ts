import * as common from '@grafana/grafana-foundation-sdk/common';
import type * as stat from '@grafana/grafana-foundation-sdk/stat';
import { type About, type FigureLook, figurePanel, NO_ANSWER, ordered, type Rows } from './panels.ts';
import { type Parameters, type Read, ROWS, RowsQuery } from './queries.ts';

/** Totals that the daemon counts, with links to their rows. */

const reduced = (values: boolean, fields: string): common.ReduceDataOptionsBuilder =>
  new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(values).fields(`/^(${fields})$/`);

/** A query for the shape `totals` of a target. */
interface Totals {
  readonly target: ConstructorParameters<typeof RowsQuery>[0];
  readonly parameters: Parameters;
}

const queryOf = ({ target, parameters }: Totals, columns: readonly Read[]): RowsQuery =>
  new RowsQuery(target, { ...parameters, shape: 'totals' }, columns);

/** Figures of one row: its columns, by the name of the figure. */
export function totals(
  about: About,
  query: Totals,
  figures: Readonly<Record<string, FigureLook & { readonly of: string }>>,
  ...links: readonly Rows[]
): stat.PanelBuilder {
  const names = Object.keys(figures);
  const columns = Object.entries(figures).map(([as, { of }]): Read => ({ name: of, as, type: 'number' }));
  return figurePanel(about, figures, links)
    .datasource(ROWS)
    .withTarget(queryOf(query, columns))
    .noValue(NO_ANSWER)
    .decimals(0)
    .reduceOptions(reduced(false, names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')))
    .withTransformation(ordered(names));
}

/** A sum of money for each currency. There is a row for each; none for those without a sum. */
export const amounts = (about: About, query: Totals, of: string, ...links: readonly Rows[]): stat.PanelBuilder =>
  figurePanel(about, {}, links)
    .datasource(ROWS)
    .withTarget(
      queryOf({ ...query, parameters: { ...query.parameters, with: [of] } }, [
        { name: 'Currency' },
        { name: of, type: 'number' },
      ]),
    )
    .decimals(0)
    .reduceOptions(reduced(true, of));
