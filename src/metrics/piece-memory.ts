import { Retired } from '../inventory/columns/retired.ts';
import type { Deflated } from './gzip.ts';

/** The memory of a piece has a multiple of this size, so that another piece of about the same length fits, bytes. */
const UNIT = 1024;

/**
 * Memory for the pieces of a page, which all threads can read. The memory of replaced pieces is used again as soon as no response
 * needs them. Otherwise each poll of a large site would leave megabytes to the garbage collector of the main thread, and its
 * pauses would delay scrapes.
 */
export class PieceMemory {
  /** Memory without a piece, the oldest first. */
  #spare: SharedArrayBuffer[] = [];
  readonly #retired = new Retired<SharedArrayBuffer>();
  /** Number of pieces that are not retired. */
  #kept = 0;

  /** How much memory waits for pieces, for measurements. */
  get spare(): number {
    return this.#spare.length;
  }

  /** Moves the bytes of a piece, which nobody else uses, and frees their memory. */
  store(piece: Deflated): Deflated {
    const { length } = piece.bytes;
    const bytes = new Uint8Array(this.#take(length), 0, length);
    bytes.set(piece.bytes);
    (piece.bytes.buffer as ArrayBuffer).transfer(0);
    this.#kept += 1;
    return { ...piece, bytes };
  }

  /** The page that is being rendered does not show this stored piece any more. */
  retire({ bytes }: Deflated): void {
    this.#retired.add(bytes.buffer as SharedArrayBuffer);
    this.#kept -= 1;
  }

  /** The pieces that were retired since the last call are shown in this version of the page, and in older ones. */
  close(version: number): void {
    this.#retired.close(version);
  }

  /** Frees the pieces that no version of the page from `oldest` on shows. */
  free(oldest: number): void {
    this.#spare.push(...this.#retired.before(oldest));
    // drops what no piece fitted into for a long time
    this.#spare.splice(0, this.#spare.length - this.#kept);
  }

  #take(length: number): SharedArrayBuffer {
    let best = -1;
    let bestLength = 2 * (length + UNIT);
    for (const [i, { byteLength }] of this.#spare.entries()) {
      if (byteLength < length || byteLength >= bestLength) continue;
      best = i;
      bestLength = byteLength;
    }
    const [found] = best === -1 ? [] : this.#spare.splice(best, 1);
    return found ?? new SharedArrayBuffer(Math.ceil(length / UNIT) * UNIT);
  }
}
