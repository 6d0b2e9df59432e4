import { DatasourceError } from './errors.ts';
import { type Column, hasRows, keyOf, type Table, type TargetAnswer, table } from './panel-data.ts';
import type { Query } from './query.ts';

/**
 * The column `Note` of rows: what otherwise only notices and errors say. Infinity shows neither, so that nothing, what is not
 * known, and what is not served would look the same.
 */

/** The column in which rows say what an answer lacks: Infinity shows no notices. */
export const NOTE: Column = { text: 'Note', type: 'string' };
const NOTE_KEY = keyOf(NOTE.text);

/** The text for no row, if the request has none. */
const NOTHING = 'Nothing';
/** Warnings that are shown in rows. */
const MOST_WARNINGS = 3;

/** Lists. A line, a map, a figure or an event has no place for a sentence. */
const notedShapes: readonly string[] = ['table', 'months', 'long', 'periods', 'steps'];

/** Targets whose totals are a list, too. */
const notedTotals: readonly string[] = ['history', 'blocked'];

/** Errors about what this daemon does not have, rather than about the request or the analyzer. */
const notedErrors: readonly string[] = ['users_not_served', 'not_ready'];

/** Whether the name of a column is that of the note, and the rows can have one. */
export const isNote = ({ isForRows, target, shape }: Query, name: string): boolean =>
  isForRows &&
  keyOf(name) === NOTE_KEY &&
  (notedShapes.includes(shape) || (notedTotals.includes(target) && shape === 'totals'));

/** Whether a query names the column of notes. */
export const asksNote = (query: Query): boolean =>
  (query.values.lists.columns ?? []).some((name) => isNote(query, name));

/** What is said in place of rows. */
export const noRowText = (none: string, unknown: string | undefined): string =>
  unknown === undefined ? none : `None is known, but there is no data about ${unknown}`;

function warningsOf({ notices }: TargetAnswer): readonly string[] {
  const texts = notices.filter(({ severity }) => severity !== 'info').map(({ text }) => text);
  const more = texts.length - MOST_WARNINGS;
  return [...texts.slice(0, MOST_WARNINGS), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** The notes of an answer, each a row. */
function notesOf({ values: { none = NOTHING } }: Query, answer: TargetAnswer): readonly string[] {
  const { items, incomplete, unknown, whyNone, cut } = answer;
  const warnings = [...warningsOf(answer), ...(cut === undefined ? [] : [cut])];
  if (incomplete !== undefined || items.some(hasRows)) return warnings;
  // the warning about what is not known is the same sentence
  if (unknown !== undefined && whyNone === undefined) return [noRowText(none, unknown)];
  return [...warnings, whyNone ?? none];
}

/** The same answer with its notes as rows before the others. */
export function withNotes(query: Query, answer: TargetAnswer): TargetAnswer {
  if (!asksNote(query)) return answer;
  const notes = notesOf(query, answer);
  const items = (answer.items as readonly Table[]).map(({ name, columns, rows }) =>
    table(name, columns, [...notes.map((text) => columns.map((column) => (column === NOTE ? text : null))), ...rows]),
  );
  return { ...answer, items };
}

/** An error as the only row, if the rows have notes. @throws the error otherwise */
export function asNote(query: Query, error: unknown): TargetAnswer {
  if (!(error instanceof DatasourceError) || !notedErrors.includes(error.code) || !asksNote(query)) throw error;
  const { message } = error;
  const columns = (query.values.lists.columns ?? []).map((name) =>
    isNote(query, name) ? NOTE : ({ text: name, type: 'string' } as const),
  );
  const row = columns.map((column) => (column === NOTE ? message : null));
  return { items: [table(query.target, columns, [row])], notices: [{ severity: 'warning', text: message }], total: 0 };
}
