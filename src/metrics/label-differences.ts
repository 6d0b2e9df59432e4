import { labelCount } from '../inventory/feature-columns.ts';

/**
 * The differences of each row's text from the row before, in order: some bytes are the same, then some are new. After the
 * last difference, the rest is the same. They are found once for each layout, because every family describes its lines by them.
 */
export interface Differences {
  /** The differences of row `i` are at the positions from `starts[i]` up to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  readonly same: Uint32Array;
  readonly fresh: Uint32Array;
  /** How many bytes the text gets longer by the difference. */
  readonly growth: Int32Array;
  /** The bytes after the last difference, by row. */
  readonly rest: Uint32Array;
}

/**
 * @param openings the number of bytes before each label value, which are the same in all rows
 * @param lengths the length of each label value, `labelCount` for each row
 * @param shared how many bytes of each are the same as in the row before
 */
export function createDifferences(openings: readonly number[], lengths: Uint32Array, shared: Uint32Array): Differences {
  const count = lengths.length / labelCount;
  const starts = new Uint32Array(count + 1);
  const same = new Uint32Array(lengths.length);
  const fresh = new Uint32Array(lengths.length);
  const growth = new Int32Array(lengths.length);
  const rest = new Uint32Array(count);
  let end = 0;
  for (let row = 0; row < count; row += 1) {
    starts[row] = end;
    let equal = 0;
    for (let label = 0; label < labelCount; label += 1) {
      const at = row * labelCount + label;
      const length = lengths[at] as number;
      const before = row === 0 ? 0 : (lengths[at - labelCount] as number);
      const alike = shared[at] as number;
      equal += (openings[label] as number) + alike;
      if (alike === length && length === before) continue;
      same[end] = equal;
      fresh[end] = length - alike;
      growth[end] = length - before;
      end += 1;
      equal = 0;
    }
    rest[row] = equal;
  }
  starts[count] = end;
  return { starts, same: same.slice(0, end), fresh: fresh.slice(0, end), growth: growth.slice(0, end), rest };
}
