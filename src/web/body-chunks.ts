/** Bytes. A slice at a time is handed to the system, so that it shows whether a slow client takes any. */
const SLICE = 64 * 1024;

/** Whether an answer is worth cutting into slices. */
export const isLong = ({ length }: string | Buffer): boolean => length > SLICE;

/** The same bytes in slices, not copied. */
export async function* slicesOf(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += SLICE) yield chunk.subarray(from, from + SLICE);
  }
}
