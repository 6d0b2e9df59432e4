import { labelValue } from '../../base/model/label-value.ts';

/**
 * The label sets of the rows that families share, escaped and encoded once. `arena[offsets[i] .. offsets[i + 1]]` is the text
 * between the name and the value of row `i`.
 */
export interface Rows {
  readonly count: number;
  readonly arena: Buffer;
  readonly offsets: Uint32Array;
}

/** Escaping of label values in both formats: backslash, line feed, double quote. */
function escapeLabel(value: string): string {
  if (!/[\\\n"]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** Label names with values as `a="b",c="d"`. */
const formatLabelPairs = (names: readonly string[], values: readonly string[]): string =>
  names.map((name, i) => `${name}="${escapeLabel(labelValue((values[i] ?? '').toWellFormed()))}"`).join(',');

/** Label names with values as `{a="b",c="d"}`; empty without labels. */
export const formatLabels = (names: readonly string[], values: readonly string[]): string =>
  names.length === 0 ? '' : `{${formatLabelPairs(names, values)}}`;

/** Rows of their finished texts. */
function rowsOfTexts(texts: readonly string[]): Rows {
  const offsets = new Uint32Array(texts.length + 1);
  for (const [row, text] of texts.entries()) offsets[row + 1] = (offsets[row] as number) + Buffer.byteLength(text);
  return { count: texts.length, arena: Buffer.from(texts.join('')), offsets };
}

/** Encodes the labels of rows. @param labels the label values of each row, in the order of `names` */
export const buildRows = (names: readonly string[], labels: readonly (readonly string[])[]): Rows =>
  rowsOfTexts(labels.map((values) => formatLabels(names, values)));

/** Encodes rows that have different labels. */
export const buildLabeledRows = (labels: readonly Readonly<Record<string, string>>[]): Rows =>
  rowsOfTexts(labels.map((each) => formatLabels(Object.keys(each), Object.values(each))));

/** Rows between two yields. */
const SLICE = 250;

/** Encodes the labels of many rows, in slices. @param labelsOf the label values of a row, in the order of `names` */
export function* buildRowsInSlices<Row>(
  names: readonly string[],
  rows: readonly Row[],
  labelsOf: (row: Row) => readonly string[],
): Generator<void, Rows> {
  const parts: Buffer[] = [];
  const offsets = new Uint32Array(rows.length + 1);
  for (let from = 0; from < rows.length; from += SLICE) {
    const part = buildRows(names, rows.slice(from, from + SLICE).map(labelsOf));
    const before = offsets[from] as number;
    for (let i = 1; i <= part.count; i += 1) offsets[from + i] = before + (part.offsets[i] as number);
    parts.push(part.arena);
    yield;
  }
  return { count: rows.length, arena: Buffer.concat(parts), offsets };
}

/** The single row of a metric without labels. */
export const noLabels: Rows = { count: 1, arena: Buffer.alloc(0), offsets: new Uint32Array(2) };
