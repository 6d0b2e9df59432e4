import { countText, numberText } from '../../../base/texts.ts';
import { DatasourceError } from './errors.ts';
import { isNote, NOTE } from './notes.ts';
import {
  type Cell,
  type Column,
  keyOf,
  LazyList,
  type Notice,
  type Table,
  type TargetAnswer,
  table,
} from './panel-data.ts';
import { type Query, show } from './query.ts';

/** The keys `sort`, `top`, `columns` and `with` of every table. */

/** Maximum number of rows without `top`. More are of no use in a table of Grafana. */
const MAX_ROWS = 10_000;

/** Items that are kept beyond those that can be shown, before a long list is sorted and cut. */
const MARGIN = 1000;

/** `asked`: only if `columns` names it. `never`: the name is valid, but there is nothing to show. */
type Shown = 'always' | 'asked' | 'never';

/** A column, how its value is read from an item, and whether it is shown. */
export type Cells<T> = readonly (readonly [Column, read: (item: T) => Cell, shown?: Shown])[];

/** The order of a table that the payload does not sort. */
export interface Order<T> {
  /** For the notice of a table that is cut. */
  readonly name: string;
  /** Smallest first, `null` last; without it, the items are in order. */
  readonly keyOf?: (item: T) => Cell;
}

/** The items of a table before they are chosen, sorted and cut. */
export interface TableContent<T> {
  readonly name: string;
  readonly cells: Cells<T>;
  readonly items: Iterable<T>;
  /** Called once for each item, in their order; without it, all are asked for. */
  readonly isAskedFor?: (item: T) => boolean;
  /** Whether the items may be read after the answer was returned: then rows are made when they are written. */
  readonly areLasting?: true;
  readonly order?: Order<T>;
  /** Why the table is incomplete. */
  readonly problems?: readonly DatasourceError[];
  /** What of the asked rows is not known; read after the items. */
  readonly unknown?: () => string | undefined;
  /** A page of the table: rows before it, and rows of it. It replaces the limits of the payload. */
  readonly page?: { readonly skip: number; readonly limit: number };
}

const named = ({ target }: Query, message: string): DatasourceError =>
  new DatasourceError('bad_parameter', `${target}: ${message}`);

/** A column by its name in the answer, or by its key in `/rows`. */
function columnOf<T>(query: Query, cells: Cells<T>, key: string, name: string): Cells<T>[number] {
  const found =
    cells.find(([{ text }]) => text === name) ?? cells.find(([{ text }]) => keyOf(text) !== '' && keyOf(text) === name);
  if (found !== undefined) return found;
  const names = cells.map(([{ text }]) => text).join(', ');
  throw named(query, `${key} ${show(name)} is not a column; valid are ${names}`);
}

function shownColumns<T>(query: Query, cells: Cells<T>): Cells<T> {
  const asked = query.values.lists.columns ?? [];
  if (asked.length === 0) return cells.filter(([, , shown = 'always']) => shown === 'always');
  const note = [NOTE, () => null] as const;
  return asked
    .map((name) => (isNote(query, name) ? note : columnOf(query, cells, 'columns', name)))
    .filter(([, , shown]) => shown !== 'never');
}

/** Which items are shown by the key `with`, and what of the others is not known, after they have been read. */
function keptBy<T>(query: Query, { cells, unknown, isAskedFor = () => true }: TableContent<T>) {
  const columns = (query.values.lists.with ?? []).map((name) => columnOf(query, cells, 'with', name));
  if (columns.length === 0) return { isKept: isAskedFor, unknown: unknown ?? (() => undefined) };
  const names = columns.map(([{ text }]) => text.toLowerCase()).join(', ');
  const noun = cells.some(([{ text }]) => text === 'Feature') ? 'feature' : 'row';
  let withoutValue = 0;
  const isKept = (item: T): boolean => {
    if (!isAskedFor(item)) return false;
    const values = columns.map(([, read]) => read(item));
    if (values.includes(null)) withoutValue += 1;
    return values.every((value) => value !== null && value !== 0 && value !== '');
  };
  return {
    isKept,
    // a table that says what is not known also has cells without a value that are known to have none
    unknown: unknown ?? (() => (withoutValue === 0 ? undefined : `${names} of ${countText(withoutValue, noun)}`)),
  };
}

type Compare = (a: Cell, b: Cell) => number;

const collator = new Intl.Collator('en', { numeric: true });

/** Numbers in texts count as numbers: `sim-2` comes before `sim-10`. */
const compareValues = (a: Exclude<Cell, null>, b: Exclude<Cell, null>): number =>
  typeof a === 'string' && typeof b === 'string' ? collator.compare(a, b) : Number(a) - Number(b);

/** Unknown values are last in both directions. */
const comparing =
  (direction: 1 | -1): Compare =>
  (a, b) => {
    // two infinite ones have no difference
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? 1 : -1;
    return direction * compareValues(a, b);
  };

interface Entry<T> {
  readonly key: Cell;
  readonly item: T;
}

interface Sorting<T> {
  /** The name of the column. */
  readonly name: string;
  readonly keyOf: (item: T) => Cell;
  readonly compare: Compare;
}

/**
 * The first items in order, and their number before the cut.
 *
 * @param sorting without it, the items are in order
 */
function firstOf<T>(
  items: Iterable<T>,
  isKept: (item: T) => boolean,
  limit: number,
  sorting: Sorting<T> | undefined,
): { readonly items: readonly T[]; readonly total: number } {
  const compare = sorting === undefined ? () => 0 : (a: Entry<T>, b: Entry<T>) => sorting.compare(a.key, b.key);
  let kept: Entry<T>[] = [];
  /** An item that is not before it is not shown. */
  let last: Entry<T> | undefined;
  let total = 0;
  for (const item of items) {
    if (!isKept(item)) continue;
    total += 1;
    const key = sorting === undefined ? null : sorting.keyOf(item);
    if (last !== undefined && compare({ key, item }, last) >= 0) continue;
    kept.push({ key, item });
    if (kept.length < 2 * limit + MARGIN) continue;
    kept = kept.sort(compare).slice(0, limit);
    last = kept.at(-1);
  }
  kept.sort(compare);
  return { items: kept.slice(0, limit).map(({ item }) => item), total };
}

function sortingOf<T>(query: Query, { cells, order }: TableContent<T>): Sorting<T> | undefined {
  const { sort } = query.values;
  if (sort === undefined) {
    return order?.keyOf && { name: order.name, keyOf: order.keyOf, compare: comparing(1) };
  }
  const isDescending = sort.startsWith('-');
  const [{ text }, read] = columnOf(query, cells, 'sort', isDescending ? sort.slice(1) : sort);
  return { name: text, keyOf: read, compare: comparing(isDescending ? -1 : 1) };
}

/** The items that a table shows, in order. */
export interface View<T> {
  readonly cells: Cells<T>;
  readonly items: readonly T[];
  /** Items before the cut. */
  readonly total: number;
  /** What they are sorted by. */
  readonly by: string | undefined;
  readonly unknown: string | undefined;
}

/** @throws DatasourceError for a name that is not a column */
export function viewOf<T>(query: Query, content: TableContent<T>): View<T> {
  const cells = shownColumns(query, content.cells);
  const sorting = sortingOf(query, content);
  const { skip, limit } = content.page ?? { skip: 0, limit: Math.min(Number(query.values.top ?? MAX_ROWS), MAX_ROWS) };
  const { isKept, unknown } = keptBy(query, content);
  const { items, total } = firstOf(content.items, isKept, skip + limit, sorting);
  return {
    cells,
    items: items.slice(skip),
    total,
    by: sorting?.name ?? content.order?.name,
    unknown: unknown(),
  };
}

/** The table of a view. */
export function tableAnswer<T>({ values }: Query, content: TableContent<T>, view: View<T>): TargetAnswer {
  const { cells, items, total, unknown } = view;
  const rowOf = (item: T): readonly Cell[] => cells.map(([, read]) => read(item));
  const rows = content.areLasting === true ? new LazyList(() => items.values().map(rowOf)) : items.map(rowOf);
  const by = view.by === undefined ? '' : `, by ${view.by}`;
  const count = `${numberText(items.length)} of ${numberText(total)} rows`;
  const isCut = content.page === undefined && total > items.length;
  // a cut that was asked for leaves the answer complete
  const isAsked = values.top !== undefined;
  const asked: Notice[] = isCut && isAsked ? [{ severity: 'info', text: `${count}${by}` }] : [];
  const saidCut = isCut && isAsked ? { cut: `${count}${by}` } : {};
  const cut =
    isCut && !isAsked ? [new DatasourceError('too_many', `${count} are shown${by}; narrow the selection`)] : [];
  const [incomplete, ...more] = [...(content.problems ?? []), ...cut];
  const columns = cells.map(([column]) => column);
  const seen = {
    items: [table(content.name, columns, rows)],
    total,
    ...saidCut,
    ...(unknown !== undefined && { unknown }),
  };
  if (incomplete === undefined) return { ...seen, notices: asked };
  const notices = [incomplete, ...more].map(({ message }): Notice => ({ severity: 'warning', text: message }));
  return { ...seen, notices: [...notices, ...asked], incomplete };
}

/**
 * A table as the payload asks for it: sorted, cut, and with its columns.
 *
 * @throws DatasourceError for a name that is not a column
 */
export const viewTable = <T>(query: Query, content: TableContent<T>): TargetAnswer =>
  tableAnswer(query, content, viewOf(query, content));

const isTable = (item: object): item is Table => 'type' in item && item.type === 'table';

/**
 * The same for an answer whose tables are already made. Charts are left as they are.
 *
 * @param saidUnknown see `TableContent`
 */
export function viewAnswer(
  query: Query,
  answer: TargetAnswer,
  saidUnknown?: TableContent<never>['unknown'],
): TargetAnswer {
  const { sort, top, lists } = query.values;
  if (sort === undefined && top === undefined && lists.columns === undefined && lists.with === undefined) return answer;
  const items: TargetAnswer['items'][number][] = [];
  const notices = [...answer.notices];
  let { incomplete, unknown, cut } = answer;
  let total = 0;
  for (const item of answer.items) {
    if (!isTable(item)) {
      items.push(item);
      continue;
    }
    const cells = item.columns.map((column, i) => [column, (row: readonly Cell[]): Cell => row[i] ?? null] as const);
    const content = { name: item.name, cells, items: item.rows };
    const viewed = viewTable(query, saidUnknown === undefined ? content : { ...content, unknown: saidUnknown });
    items.push(...viewed.items);
    notices.push(...viewed.notices);
    total += viewed.total ?? 0;
    incomplete ??= viewed.incomplete;
    unknown ??= viewed.unknown;
    cut ??= viewed.cut;
  }
  return {
    ...answer,
    items,
    notices,
    total,
    ...(incomplete !== undefined && { incomplete }),
    ...(unknown !== undefined && { unknown }),
    ...(cut !== undefined && { cut }),
  };
}
