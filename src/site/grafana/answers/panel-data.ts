import { type Figure, unknown } from '../../../base/model/unknown.ts';
import type { DatasourceError } from './errors.ts';

/** The answer formats of `/query`. Grafana converts them into data frames, one or more for each target. */

/**
 * A long list whose items are made when the answer is written. The answer to one panel can have millions of points: as
 * arrays they would take hundreds of megabytes, and the collection of their garbage would block.
 */
export class LazyList<T> implements Iterable<T> {
  readonly #items: () => Iterator<T>;

  /** @param items begins a new iteration, each time with the same items */
  constructor(items: () => Iterator<T>) {
    this.#items = items;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items();
  }

  /** The items, for `JSON.stringify`. */
  toJSON(): T[] {
    return [...this];
  }
}

/** `null` means no data. Times are epoch milliseconds. */
export type Cell = string | number | boolean | null;

/** A column of a table, in the form of the JSON data source. */
export interface Column {
  readonly text: string;
  readonly type: 'time' | 'string' | 'number' | 'boolean';
  /** The id of a unit in Grafana. */
  readonly unit?: string;
}

/** A column of texts. */
export const text = (name: string): Column => ({ text: name, type: 'string' });
/** A column of numbers. */
export const number = (name: string): Column => ({ text: name, type: 'number' });
/** A column of epoch milliseconds. */
export const time = (name: string): Column => ({ text: name, type: 'time' });
/** A column of yes and no. */
export const flag = (name: string): Column => ({ text: name, type: 'boolean' });

/** A table of a panel. Its rows are made when they are read. */
export interface Table {
  readonly name: string;
  readonly type: 'table';
  readonly columns: readonly Column[];
  readonly rows: Iterable<readonly Cell[]>;
}

/** A line of a panel: values by epoch milliseconds, null for no data. */
export interface TimeSeries {
  readonly target: string;
  /** The name in the legend. Without it, Grafana would add the tags. */
  readonly title: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly datapoints: Iterable<readonly [value: number | null, at: number]>;
}

/** A data frame, the form that annotations of Grafana need. */
export interface Frame {
  readonly name: string;
  readonly meta?: { readonly type: string };
  readonly fields: readonly {
    readonly name: string;
    readonly type: Column['type'];
    readonly config?: object;
    readonly values: readonly Cell[];
  }[];
}

/** What a panel can show. */
export type PanelData = Table | TimeSeries | Frame;

/** Shown on the panel. */
export interface Notice {
  readonly severity: 'info' | 'warning' | 'error';
  readonly text: string;
}

export interface TargetAnswer {
  readonly items: readonly PanelData[];
  readonly notices: readonly Notice[];
  /** The requests to the analyzer, for the query inspector. */
  readonly executed?: string;
  /** Why the answer is incomplete. A page without a place for notices has it as an error. */
  readonly incomplete?: DatasourceError;
  /** What of the asked rows is not known. Then an answer without rows does not say that none exists. */
  readonly unknown?: string;
  /** Why no row can be given yet. It is said in place of the text for no row. */
  readonly whyNone?: string;
  /** What of a table is shown, if it was asked for less than there is: the number of rows, of how many, and their order. */
  readonly cut?: string;
  /** Rows of a table before it was cut. */
  readonly total?: number;
}

/** A table whose rows are read at most once. */
export const table = (name: string, columns: readonly Column[], rows: Table['rows']): Table => ({
  name,
  type: 'table',
  columns,
  rows,
});

/** A value that JSON can represent: null for one that is not known. */
export const cell = <T extends Cell>(value: T | typeof unknown | undefined): T | null =>
  value === undefined || value === unknown || (typeof value === 'number' && !Number.isFinite(value)) ? null : value;

/** Converts epoch seconds to milliseconds; null for an infinite or unknown time. */
export const millis = (seconds: Figure | undefined): number | null =>
  typeof seconds === 'number' ? cell(seconds * 1000) : null;

/** The name of a column as a key of `/rows`: `Max Available` is `max_available`. */
export const keyOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');

/** Whether there is anything to show. A chart without values is left out already. */
export const hasRows = (item: PanelData): boolean =>
  !('rows' in item) || item.rows[Symbol.iterator]().next().done !== true;

/** A text column has no numbers, which an analyzer may send in place of a text. */
const typed = ({ type }: Column, value: Cell = null): Cell =>
  type === 'string' && value !== null ? String(value) : value;

/** The rows of tables as flat objects. */
export const flatRows = (tables: readonly Table[]): LazyList<Readonly<Record<string, Cell>>> =>
  new LazyList(() =>
    tables.values().flatMap(({ columns, rows }) => {
      const keyed = columns.map((column) => [keyOf(column.text), column] as const);
      return Iterator.from(rows).map((row) =>
        Object.fromEntries(keyed.map(([key, column], i) => [key, typed(column, row[i])])),
      );
    }),
  );

/** An event that Grafana shows as an annotation. Times are epoch milliseconds. */
export interface Event {
  readonly time: number;
  readonly timeEnd?: number;
  readonly title: string;
  readonly text: string;
  /** Separated by commas. */
  readonly tags: string;
}

/** Events as an annotation frame of Grafana, sorted by time. */
export function annotations(events: readonly Event[]): Frame {
  const sorted = events.toSorted((a, b) => a.time - b.time || (a.text < b.text ? -1 : 1));
  return {
    name: 'annotations',
    fields: [
      { name: 'time', type: 'time', values: sorted.map((event) => event.time) },
      { name: 'timeEnd', type: 'time', values: sorted.map(({ timeEnd }) => timeEnd ?? null) },
      { name: 'title', type: 'string', values: sorted.map(({ title }) => title) },
      { name: 'text', type: 'string', values: sorted.map((event) => event.text) },
      { name: 'tags', type: 'string', values: sorted.map(({ tags }) => tags) },
    ],
  };
}
