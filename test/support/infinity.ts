import { interpolate, type Target, type Values } from './dashboards.ts';

/** What Infinity 3.11 makes of a query: the request of its Go client, and the frame of its parser. */

export interface InfinityQuery {
  readonly url: string;
  readonly parser: string;
  readonly root_selector: string;
  readonly url_options: { readonly params: readonly { readonly key: string; readonly value: string }[] };
  readonly columns: readonly { readonly selector: string; readonly text: string; readonly type: string }[];
}

/** The query of a target of a dashboard. */
export const infinityQuery = (target: Target): InfinityQuery => target as unknown as InfinityQuery;

/** Epoch milliseconds of the time range of a panel. */
export interface PanelRange {
  readonly from: number;
  readonly to: number;
}

/** The path with its parameters: sorted by key, spaces as `+`, as Go writes them. Grafana's browser puts in variables before. */
export function pathOf({ url, url_options: { params } }: InfinityQuery, values: Values, range: PanelRange): string {
  const filled = params.map(({ key, value }): [string, string] => {
    const withTimes = value.replace(/\$\{__timeFrom\}/, String(range.from)).replace(/\$\{__timeTo\}/, String(range.to));
    return [key, interpolate(withTimes, { ...values, __from: `${range.from}`, __to: `${range.to}` }, 'glob')];
  });
  return `${url}?${new URLSearchParams(filled.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))}`;
}

const valueTypes: Readonly<Record<string, string>> = { string: 'string', number: 'number', timestamp_epoch: 'number' };

/** The cells of an answer, row by row, in the order of the columns. @throws Error for a cell that is not of the type of its column */
export function cellsOf(
  { columns }: InfinityQuery,
  rows: readonly Readonly<Record<string, unknown>>[],
): readonly (readonly unknown[])[] {
  return rows.map((row) =>
    columns.map(({ selector, type }) => {
      // without a mapping of owners, no row has one
      const value = selector === 'owner' ? (row[selector] ?? null) : row[selector];
      if (value === undefined) throw new Error(`a row has no ${selector}: ${JSON.stringify(row)}`);
      if (value !== null && typeof value !== valueTypes[type]) {
        throw new Error(`${selector} is ${JSON.stringify(value)}, not of the type ${type}`);
      }
      return value;
    }),
  );
}
