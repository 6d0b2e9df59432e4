import { Readable } from 'node:stream';
import { inTurn, SLICE_MS } from './slices.ts';

/** Long texts are written in slices: a scrape or a health check waits for one slice at most. */

/** Characters of a chunk. */
const CHUNK = 64 * 1024;
/** Characters of an answer that is sent as a whole, with its length. */
const WHOLE = 1024 * 1024;

/** Joins parts to the next chunk. It is `undefined` after the last one. */
function nextChunk(parts: Iterator<string>): string | undefined {
  const started = performance.now();
  let chunk: string | undefined;
  do {
    const { value, done } = parts.next();
    if (done === true) return chunk;
    chunk = (chunk ?? '') + value;
  } while (chunk.length < CHUNK && performance.now() - started < SLICE_MS);
  return chunk;
}

/** What was begun, and the chunks that are left, as the client reads them. */
function streamOf(begun: string, rest: Iterator<string>): Readable {
  let next: string | undefined = begun;
  const read = async (): Promise<string | undefined> => {
    // a stream that is read faster than it is written would keep the thread busy
    const chunk = next ?? (await inTurn(() => nextChunk(rest)));
    next = undefined;
    return chunk;
  };
  return new Readable({
    read() {
      read().then(
        (chunk) => this.push(chunk ?? null),
        (error: Error) => this.destroy(error),
      );
    },
  });
}

/**
 * The body of an answer: its text, or a stream if it is long, which is written as the client reads it.
 *
 * @param signal stops the writing of the text
 */
export async function slicedBody(parts: Iterable<string>, signal?: AbortSignal): Promise<string | Readable> {
  const rest = parts[Symbol.iterator]();
  let text = '';
  while (text.length <= WHOLE) {
    const chunk = await inTurn(() => nextChunk(rest));
    signal?.throwIfAborted();
    if (chunk === undefined) return text;
    text += chunk;
  }
  return streamOf(text, rest);
}
