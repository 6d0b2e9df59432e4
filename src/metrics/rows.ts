/**
 * The label sets of the rows that families share. They are escaped and encoded once, because a poll usually changes only
 * values. `arena[offsets[i] .. offsets[i + 1]]` is the text between the name and the value of row `i`.
 */
export interface Rows {
  readonly count: number;
  readonly arena: Buffer;
  readonly offsets: Uint32Array;
  /** The keys of the rows, to detect whether the rows can be reused. */
  readonly keys: readonly string[];
}

/** Rows encoded between two yields. */
const SLICE = 500;

/** Escaping of label values in both formats: backslash, line feed, double quote. */
function escapeLabel(value: string): string {
  if (!/[\\\n"]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** Label names with values as `{a="b",c="d"}`; empty without labels. */
export function formatLabels(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return '';
  return `{${names.map((name, i) => `${name}="${escapeLabel((values[i] ?? '').toWellFormed())}"`).join(',')}}`;
}

function* isSame(a: readonly string[], b: readonly string[]): Generator<void, boolean> {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) {
    if (a[i] !== b[i]) return false;
    if (i % SLICE === 0) yield;
  }
  return true;
}

function* concat(pieces: readonly Buffer[], length: number): Generator<void, Buffer> {
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces) {
    at += piece.copy(whole, at);
    yield;
  }
  return whole;
}

/**
 * Encodes the labels of rows, or returns the previous rows if their keys have not changed.
 *
 * @param keys one text per row that identifies all its labels
 * @param labels the label values of a row, in the order of `names`
 */
export function* buildRows(
  names: readonly string[],
  keys: readonly string[],
  labels: (row: number) => readonly string[],
  previous?: Rows,
): Generator<void, Rows> {
  if (previous !== undefined && (yield* isSame(previous.keys, keys))) return previous;
  const offsets = new Uint32Array(keys.length + 1);
  const pieces: Buffer[] = [];
  let length = 0;
  for (let from = 0; from < keys.length; from += SLICE) {
    const to = Math.min(from + SLICE, keys.length);
    const texts: string[] = [];
    for (let row = from; row < to; row += 1) {
      const text = formatLabels(names, labels(row));
      offsets[row] = length;
      length += Buffer.byteLength(text);
      texts.push(text);
    }
    pieces.push(Buffer.from(texts.join('')));
    yield;
  }
  offsets[keys.length] = length;
  return { count: keys.length, arena: yield* concat(pieces, length), offsets, keys };
}

/** `buildRows` without pauses, for few rows. */
export function buildRowsNow(
  names: readonly string[],
  keys: readonly string[],
  labels: (row: number) => readonly string[],
): Rows {
  const building = buildRows(names, keys, labels);
  for (;;) {
    const step = building.next();
    if (step.done) return step.value;
  }
}

/** The single row of a metric without labels. */
export const noLabels: Rows = { count: 1, arena: Buffer.alloc(0), offsets: new Uint32Array(2), keys: [''] };
