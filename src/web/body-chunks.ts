/** Bytes. The system gets one chunk at a time, so that it shows whether a slow client takes any. */
const CHUNK = 64 * 1024;

/** Whether an answer is worth cutting into chunks. */
export const isLong = ({ length }: string | Buffer): boolean => length > CHUNK;

/** The same bytes in chunks of at most 64 KiB, not copied. */
export async function* chunksOf(buffers: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const buffer of buffers) {
    for (let from = 0; from < buffer.length; from += CHUNK) yield buffer.subarray(from, from + CHUNK);
  }
}
