import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib';

/** CRC-32 and length of a plain text, which the end of a gzip stream states. */
interface Checksum {
  readonly crc: number;
  /** Bytes. */
  readonly length: number;
}

/**
 * A piece of one gzip stream, with the checksum of its plain text: deflated bytes that end on a byte boundary without closing
 * the stream. Pieces can be joined in any order. Concatenated gzip members would be simpler, but curl fails on them.
 */
export interface Deflated extends Checksum {
  readonly bytes: Uint8Array;
}

/** A fast level: pages are compressed only once per poll, but can have hundreds of megabytes. */
const LEVEL = 1;
/** Memory for the output of a text, bytes: more than most need. A longer one takes another step. */
const OUTPUT_BYTES = 64 * 1024;
/** A text up to this many bytes is deflated in about 0.1 ms. To wake a thread for it costs more. */
const SHORT_BYTES = 16 * 1024;
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);

const deflateInPool = promisify(deflateRaw);

/** Deflates a text, a long one in the thread pool. It must not change until then. */
export async function deflateText(text: Uint8Array): Promise<Deflated> {
  const options = { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH, chunkSize: OUTPUT_BYTES };
  const bytes = await (text.length <= SHORT_BYTES ? deflateRawSync(text, options) : deflateInPool(text, options));
  // a copy, because the memory of the output is larger
  return { bytes: new Uint8Array(bytes), crc: crc32(text), length: text.length };
}

/** Multiplies a 32×32 bit matrix over GF(2) with a vector. */
function times(matrix: Uint32Array, vector: number): number {
  let result = 0;
  for (let bit = 0, rest = vector; rest !== 0; bit += 1, rest >>>= 1) {
    if ((rest & 1) !== 0) result ^= matrix[bit] ?? 0;
  }
  return result >>> 0;
}

const square = (matrix: Uint32Array): Uint32Array => matrix.map((column) => times(matrix, column));

/** Matrices that advance a CRC by 1, 2, 4, … zero bytes. Their squares advance it by twice the number. */
const advances: readonly Uint32Array[] = (() => {
  // one zero bit
  let advance = Uint32Array.from({ length: 32 }, (_, i) => (i === 0 ? 0xedb88320 : 2 ** (i - 1)));
  const squares: Uint32Array[] = [];
  for (let bits = 1; bits <= 2 ** 50; bits *= 2) {
    if (bits >= 8) squares.push(advance);
    advance = Uint32Array.from(square(advance));
  }
  return squares;
})();

/** CRC-32 of two joined texts. */
function combineCrc(first: number, second: Checksum): number {
  let crc = first;
  for (let rest = second.length, i = 0; rest > 0; rest = Math.floor(rest / 2), i += 1) {
    if (rest % 2 === 1) crc = times(advances[i] as Uint32Array, crc);
  }
  return (crc ^ second.crc) >>> 0;
}

/** The checksum of joined texts. */
export function combineChecksums(parts: readonly Checksum[]): Checksum {
  return parts.reduce<Checksum>((all, part) => ({ crc: combineCrc(all.crc, part), length: all.length + part.length }), {
    crc: 0,
    length: 0,
  });
}

/** Pieces with the checksum of all of them. */
export interface Joined extends Checksum {
  readonly pieces: readonly Deflated[];
}

/** Deflates a short text that ends the stream. */
export const deflateEnd = (text: Buffer): Deflated => ({
  bytes: deflateRawSync(text, { level: LEVEL }),
  crc: crc32(text),
  length: text.length,
});

/** The parts of one gzip stream. @param end closes the stream */
export function assembleGzip(parts: readonly Joined[], end: Deflated): readonly Uint8Array[] {
  const { crc, length } = combineChecksums([...parts, end]);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return [HEADER, ...parts.flatMap(({ pieces }) => pieces.map(({ bytes }) => bytes)), end.bytes, trailer];
}

const inflateInPool = promisify(inflateRaw);

/** Inflates pieces one after the other, in the thread pool. */
export async function* inflatePieces(pieces: readonly Deflated[]): AsyncGenerator<Buffer> {
  for (const { bytes } of pieces) yield await inflateInPool(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}
