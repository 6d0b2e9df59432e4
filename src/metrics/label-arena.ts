import { type FeatureColumns, labelCount, labelId } from '../inventory/feature-columns.ts';
import { featureLabels } from './metric.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

/** The bytes before each label value: `{vendor_license="`, `",feature="`, … */
const openings = featureLabels.map((name, label) => Buffer.from(`${label === 0 ? '{' : '",'}${name}="`));
const openingsLength = openings.reduce((sum, { length }) => sum + length, 0);

/**
 * The labels of all rows, escaped and encoded once, because a poll usually changes only values. The text of a row goes up to
 * its last label value, without the quote that closes it.
 */
export interface LabelArena {
  readonly bytes: Uint8Array;
  /** `bytes[offsets[i] .. offsets[i + 1]]` is the text of row `i`. */
  readonly offsets: Uint32Array;
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

/** Where the text of each row begins and the last one ends. */
function measure(columns: FeatureColumns): Uint32Array {
  const offsets = new Uint32Array(columns.count + 1);
  let end = 0;
  for (let row = 0; row < columns.count; row += 1) {
    end += openingsLength;
    for (let label = 0; label < labelCount; label += 1) {
      const { memory, from, to } = columns.texts.range(labelId(columns, label, row));
      end += escapedLength(memory, from, to);
    }
    offsets[row + 1] = end;
  }
  return offsets;
}

/** Encodes the labels of a layout. */
export function createLabelArena(columns: FeatureColumns): LabelArena {
  const offsets = measure(columns);
  const bytes = new Uint8Array(offsets[columns.count] as number);
  let end = 0;
  for (let row = 0; row < columns.count; row += 1) {
    for (const [label, opening] of openings.entries()) {
      bytes.set(opening, end);
      const { memory, from, to } = columns.texts.range(labelId(columns, label, row));
      end = writeEscaped(bytes, end + opening.length, memory, from, to);
    }
  }
  return { bytes, offsets };
}
