import { DatasourceError } from './errors.ts';
import { isNote, NOTE } from './notes.ts';
import { type Cell, type Column, keyOf, type Notice, type Table, type TargetAnswer, table } from './panel-data.ts';
import { type Query, show } from './query.ts';
import { comparing, firstOf, type Sorting } from './sliced-sort.ts';
import { countedText, countText } from './texts.ts';

/** The keys `sort`, `top`, `columns` and `with` of every table. Large tables are sorted in slices. */

/** Maximum number of rows without `top`. More are of no use in a table of Grafana. */
const MAX_ROWS = 10_000;

/** Rows made between two yields. */
const SLICE = 32;

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

export interface TableContent<T> {
  readonly name: string;
  readonly cells: Cells<T>;
  /** `undefined` is no row: it lets a long search pause where it finds nothing. */
  readonly items: Iterable<T | undefined>;
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

/** Items, and what of them is not known, after they have been read. */
type Kept<T> = Required<Pick<TableContent<T>, 'items' | 'unknown'>>;

/** The items that the key `with` keeps. The others become `undefined`, so that a long search can pause. */
function keptItems<T>(query: Query, { cells, items, unknown }: TableContent<T>): Kept<T> {
  const columns = (query.values.lists.with ?? []).map((name) => columnOf(query, cells, 'with', name));
  const reads = columns.map(([, read]) => read);
  const names = columns.map(([{ text }]) => text.toLowerCase()).join(', ');
  const noun = cells.some(([{ text }]) => text === 'Feature') ? 'feature' : 'row';
  if (reads.length === 0) return { items, unknown: unknown ?? (() => undefined) };
  let withoutValue = 0;
  const isKept = (item: T): boolean => {
    const values = reads.map((read) => read(item));
    if (values.includes(null)) withoutValue += 1;
    return values.every((value) => value !== null && value !== 0 && value !== '');
  };
  return {
    items: Iterator.from(items).map((item) => (item !== undefined && isKept(item) ? item : undefined)),
    // a table that says what is not known also has cells without a value that are known to have none
    unknown: unknown ?? (() => (withoutValue === 0 ? undefined : `${names} of ${countedText(withoutValue, noun)}`)),
  };
}

interface NamedSorting<T> extends Sorting<T> {
  /** The name of the column. */
  readonly name: string;
}

function sortingOf<T>(query: Query, { cells, order }: TableContent<T>): NamedSorting<T> | undefined {
  const { sort } = query.values;
  if (sort === undefined) {
    const { name = '', keyOf: read } = order ?? {};
    return read === undefined ? undefined : { name, keyOf: read, compare: comparing(1) };
  }
  const isDescending = sort.startsWith('-');
  const [{ text }, read] = columnOf(query, cells, 'sort', isDescending ? sort.slice(1) : sort);
  return { name: text, keyOf: read, compare: comparing(isDescending ? -1 : 1) };
}

/**
 * A table as the payload asks for it: sorted, cut, and with its columns.
 *
 * @throws DatasourceError for a name that is not a column
 */
export function* viewTable<T>(query: Query, content: TableContent<T>): Generator<void, TargetAnswer> {
  const cells = shownColumns(query, content.cells);
  const sorting = sortingOf(query, content);
  const { top } = query.values;
  const { skip, limit } = content.page ?? { skip: 0, limit: Math.min(Number(top ?? MAX_ROWS), MAX_ROWS) };
  const kept = keptItems(query, content);
  const { items, total } = yield* firstOf(kept.items, skip + limit, sorting);
  const unknown = kept.unknown();
  const rows: (readonly Cell[])[] = [];
  for (const item of items.slice(skip)) {
    rows.push(cells.map(([, read]) => read(item)));
    if (rows.length % SLICE === 0) yield;
  }
  const by = sorting?.name ?? content.order?.name;
  const count = `${countText(rows.length)} of ${countText(total)} rows`;
  const isCut = content.page === undefined && total > rows.length;
  // a cut that was asked for leaves the answer complete
  const asked: Notice[] =
    isCut && top !== undefined ? [{ severity: 'info', text: by === undefined ? count : `${count}, by ${by}` }] : [];
  const cut =
    isCut && top === undefined
      ? [
          new DatasourceError(
            'too_many',
            `${count} are shown${by === undefined ? '' : `, by ${by}`}; narrow the selection`,
          ),
        ]
      : [];
  const [incomplete, ...more] = [...(content.problems ?? []), ...cut];
  const items_ = [
    table(
      content.name,
      cells.map(([column]) => column),
      rows,
    ),
  ];
  const seen = { items: items_, total, ...(unknown !== undefined && { unknown }) };
  if (incomplete === undefined) return { ...seen, notices: asked };
  const notices = [incomplete, ...more].map(({ message }): Notice => ({ severity: 'warning', text: message }));
  return { ...seen, notices: [...notices, ...asked], incomplete };
}

const isTable = (item: object): item is Table => 'type' in item && item.type === 'table';

/** The same for an answer whose tables are already made. Charts are left as they are. */
export function* viewAnswer(query: Query, answer: TargetAnswer): Generator<void, TargetAnswer> {
  const { sort, top, lists } = query.values;
  if (sort === undefined && top === undefined && lists.columns === undefined && lists.with === undefined) return answer;
  const items: TargetAnswer['items'][number][] = [];
  const notices = [...answer.notices];
  let { incomplete, unknown } = answer;
  let total = 0;
  for (const item of answer.items) {
    if (!isTable(item)) {
      items.push(item);
      continue;
    }
    const cells = item.columns.map((column, i) => [column, (row: readonly Cell[]): Cell => row[i] ?? null] as const);
    const viewed = yield* viewTable(query, { name: item.name, cells, items: item.rows });
    items.push(...viewed.items);
    notices.push(...viewed.notices);
    total += viewed.total ?? 0;
    incomplete ??= viewed.incomplete;
    unknown ??= viewed.unknown;
  }
  return {
    ...answer,
    items,
    notices,
    total,
    ...(incomplete !== undefined && { incomplete }),
    ...(unknown !== undefined && { unknown }),
  };
}
