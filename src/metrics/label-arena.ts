import { type FeatureColumns, labelCount, labelId } from '../inventory/feature-columns.ts';
import { createDifferences, type Differences } from './label-differences.ts';
import { featureLabels } from './metric.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

/** The bytes before each label value: `{vendor_license="`, `",feature="`, … */
const openings = featureLabels.map((name, label) => Buffer.from(`${label === 0 ? '{' : '",'}${name}="`));
/** The length of each opening, bytes. */
export const openingLengths: readonly number[] = openings.map(({ length }) => length);
const openingsLength = openingLengths.reduce((sum, length) => sum + length, 0);

/**
 * The labels of all rows, escaped and encoded once, because a poll usually changes only values. The text of a row goes up to
 * its last label value, without the quote that closes it.
 */
export interface LabelArena {
  readonly bytes: Uint8Array;
  /** `bytes[offsets[i] .. offsets[i + 1]]` is the text of row `i`. */
  readonly offsets: Uint32Array;
  /** The length of each label value, `labelCount` for each row. */
  readonly lengths: Uint32Array;
  /** How many of these bytes are the same as in the row before. */
  readonly shared: Uint32Array;
  /** The differences of each row from the row before. */
  readonly differences: Differences;
}

/** The length of a label value after escaping. */
function escapedLength(memory: Uint8Array, from: number, to: number): number {
  let length = to - from;
  for (let at = from; at < to; at += 1) {
    const byte = memory[at];
    if (byte === QUOTE || byte === BACKSLASH || byte === LINE_FEED) length += 1;
  }
  return length;
}

/** Writes a label value with backslash, line feed and double quote escaped. Returns where it ends. */
export function writeEscaped(target: Uint8Array, start: number, memory: Uint8Array, from: number, to: number): number {
  let end = start;
  for (let at = from; at < to; at += 1) {
    const byte = memory[at] as number;
    if (byte === QUOTE || byte === BACKSLASH || byte === LINE_FEED) target[end++] = BACKSLASH;
    target[end++] = byte === LINE_FEED ? 0x6e : byte;
  }
  return end;
}

function measure(columns: FeatureColumns): { readonly offsets: Uint32Array; readonly lengths: Uint32Array } {
  const offsets = new Uint32Array(columns.count + 1);
  const lengths = new Uint32Array(columns.count * labelCount);
  let end = 0;
  for (let row = 0; row < columns.count; row += 1) {
    offsets[row] = end;
    end += openingsLength;
    for (let label = 0; label < labelCount; label += 1) {
      const { memory, from, to } = columns.texts.range(labelId(columns, label, row));
      const length = escapedLength(memory, from, to);
      lengths[row * labelCount + label] = length;
      end += length;
    }
  }
  offsets[columns.count] = end;
  return { offsets, lengths };
}

/** The number of equal bytes from two positions on. */
function countEqual(bytes: Uint8Array, a: number, b: number, limit: number): number {
  let equal = 0;
  while (equal < limit && bytes[a + equal] === bytes[b + equal]) equal += 1;
  return equal;
}

/** Encodes the labels of a layout. */
export function createLabelArena(columns: FeatureColumns): LabelArena {
  const { offsets, lengths } = measure(columns);
  const bytes = new Uint8Array(offsets[columns.count] ?? 0);
  const shared = new Uint32Array(lengths.length);
  /** Where the label values of the row before begin. */
  const starts = new Uint32Array(labelCount);
  let end = 0;
  for (let row = 0; row < columns.count; row += 1) {
    for (let label = 0; label < labelCount; label += 1) {
      const opening = openings[label] as Buffer;
      bytes.set(opening, end);
      const start = end + opening.length;
      const { memory, from, to } = columns.texts.range(labelId(columns, label, row));
      end = writeEscaped(bytes, start, memory, from, to);
      const at = row * labelCount + label;
      if (row > 0) {
        const limit = Math.min(lengths[at] as number, lengths[at - labelCount] as number);
        shared[at] = countEqual(bytes, starts[label] as number, start, limit);
      }
      starts[label] = start;
    }
  }
  const differences = createDifferences(openingLengths, lengths, shared);
  return { bytes, offsets, lengths, shared, differences };
}
