/** Bytes. The system gets one chunk at a time: this shows whether a slow client reads anything. */
export const CHUNK = 64 * 1024;

/** Whether a response is large enough for chunks. */
export const isLong = ({ length }: string | Buffer): boolean => length > CHUNK;

/** Splits a body into chunks of at most 64 KiB, without a copy. */
export async function* chunksOf(buffers: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const buffer of buffers) {
    for (let from = 0; from < buffer.length; from += CHUNK) yield buffer.subarray(from, from + CHUNK);
  }
}
