import type { Backend } from '../answers/backend.ts';
import { DatasourceError } from '../answers/errors.ts';
import { asNote, withNotes } from '../answers/notes.ts';
import {
  type Frame,
  flatRows,
  type LazyList,
  type Notice,
  type PanelData,
  type Table,
  type TargetAnswer,
  table,
} from '../answers/panel-data.ts';
import { type Query, readRange } from '../answers/query.ts';
import { readQuery } from '../answers/read-query.ts';
import { viewAnswer } from '../answers/table-view.ts';
import { answerTarget, type Target, type TargetName, targets } from '../answers/targets.ts';

/** Flat rows for Infinity, curl and scripts. */

/** Flat rows, and what is said about them. */
export interface RowAnswer {
  readonly rows: Iterable<object>;
  readonly notices: readonly Notice[];
  /** Rows before `top` cut them. */
  readonly total: number;
}

type Values = string | readonly string[];
type Parameters = Readonly<Record<string, Values>>;

/** The texts of a JSON array; `undefined` for any other text, which stands for itself. */
function textsOf(value: string): readonly string[] | undefined {
  if (!value.startsWith('[')) return undefined;
  try {
    const texts: unknown = JSON.parse(value);
    return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? texts : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Values of a parameter of a URL: repeated, as a JSON array, or as `{a,b}` in the glob format of Grafana. Only the JSON array can
 * have any name: a glob cannot have one with a comma.
 */
export function rowValues(raw: Values): Values {
  const values = [raw]
    .flat()
    .flatMap((value) => textsOf(value) ?? (/^\{.*,.*\}$/s.test(value) ? value.slice(1, -1).split(',') : [value]));
  return values.length === 1 ? (values[0] ?? '') : values;
}

/** For the message of a missing parameter. */
export const SEMICOLON_HINT = '; in a URL, write ";" as %3B';

const names = [
  ['product', 'vendor license'],
  ['feature', 'feature'],
] as const;

/**
 * A name that is there but empty is a variable of Grafana without a value. It must not mean every name: the advice on another
 * feature would be shown.
 */
function requireNames(target: TargetName, payload: Parameters): void {
  const { keys }: Target = targets[target];
  for (const [key, noun] of names) {
    const given = payload[key];
    if (given === undefined || !keys.includes(key) || [given].flat().some((name) => name.trim() !== '')) continue;
    throw new DatasourceError('missing_parameter', `${target}: ${key} is empty: no ${noun} is chosen`);
  }
}

/** Who holds a license longest is first, unless the analyzer is asked for another order. */
function ordered(query: Query): Query {
  const { target, values } = query;
  const isOrdered = target !== 'users' || values.sort !== undefined || values.sortdatafield !== undefined;
  return isOrdered ? query : { ...query, values: { ...values, sort: 'Since' } };
}

function queryOf(target: TargetName, { from, to, ...payload }: Parameters): Query {
  requireNames(target, payload);
  const query = readQuery({
    target,
    payload,
    range: readRange({ from, to }, ''),
    filters: [],
    prefix: '',
    hint: SEMICOLON_HINT,
    isForRows: true,
  });
  return ordered(query);
}

/** Events as a table. None of them has an end. */
const eventTable = ({ name, fields }: Frame): Table => {
  const shown = fields.filter((field) => field.name !== 'timeEnd');
  const columns = shown.map((field) => ({ text: field.name, type: field.type }));
  const rows = (shown[0]?.values ?? []).map((_, i) => shown.map(({ values }) => values[i] ?? null));
  return table(name, columns, rows);
};

const isFrame = (item: PanelData): item is Frame => 'fields' in item;

/** The answer in tables, and the number of their rows if nothing has counted them. */
function tabulated(query: Query, answer: TargetAnswer): TargetAnswer & { readonly total: number } {
  const { items } = answer;
  const viewed = items.some(isFrame)
    ? viewAnswer(query, { ...answer, items: items.map((item) => (isFrame(item) ? eventTable(item) : item)) })
    : answer;
  let { total } = viewed;
  if (total !== undefined) return { ...viewed, total };
  total = 0;
  for (const { rows } of viewed.items as readonly Table[]) {
    for (const _ of rows) {
      total += 1;
    }
  }
  return { ...viewed, total };
}

/**
 * The rows of one target, as a route of a URL has them. What is not known of them is in the notices.
 *
 * @throws DatasourceError if nothing is known
 */
export async function answerRows(
  target: TargetName,
  parameters: Parameters,
  backend: Backend,
  signal: AbortSignal,
): Promise<RowAnswer> {
  const payload = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, rowValues(value)]));
  const query = queryOf(target, payload);
  const work = async (): Promise<TargetAnswer> => {
    const answer = await answerTarget(query, backend, signal);
    return withNotes(query, tabulated(query, answer));
  };
  const { items, notices, total = 0 } = await work().catch((error: unknown) => asNote(query, error));
  return { rows: flatRows(items as readonly Table[]), notices, total };
}

/**
 * The rows of one target for a page that has no place for notices.
 *
 * @throws DatasourceError also if the answer is incomplete
 */
export async function completeRows(
  target: TargetName,
  parameters: Parameters,
  backend: Backend,
  signal: AbortSignal,
): Promise<LazyList<object>> {
  const query = queryOf(target, { ...parameters, complete: 'true' });
  const { items } = await answerTarget(query, backend, signal);
  return flatRows(items as readonly Table[]);
}
