import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/** Long texts are written in slices: a scrape or a health check waits for one slice at most. */

/** Characters of a chunk. */
const CHUNK = 64 * 1024;
/** Duration of a slice, milliseconds. */
const SLICE_MS = 4;

/** Joins parts to chunks. Other work of the thread has its turn after each slice. */
async function* inChunks(parts: Iterable<string>): AsyncGenerator<string> {
  let text = '';
  let started = performance.now();
  for (const part of parts) {
    text += part;
    const isFull = text.length >= CHUNK;
    if (isFull) yield text;
    if (isFull) text = '';
    if (!isFull && performance.now() - started < SLICE_MS) continue;
    // a stream that is read faster than it is written would keep the thread busy
    await setImmediate();
    started = performance.now();
  }
  if (text !== '') yield text;
}

/** Characters of an answer that is sent as a whole, with its length. */
const WHOLE = 1024 * 1024;

/**
 * The body of an answer: its text, or a stream if it is long, which is written as the client reads it.
 *
 * @param signal stops the writing of the text
 */
export async function slicedBody(parts: Iterable<string>, signal?: AbortSignal): Promise<string | Readable> {
  const chunks = inChunks(parts);
  let text = '';
  for (;;) {
    signal?.throwIfAborted();
    const { value, done } = await chunks.next();
    if (done) return text;
    text += value;
    if (text.length > WHOLE) return Readable.from(continued(text, chunks), { objectMode: false });
  }
}

async function* continued(begun: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield begun;
  yield* rest;
}
