import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/** Answers as JSON text, written in slices: a scrape or a health check waits for one slice at most. */

/** Items that are written between two pauses. */
const ITEMS = 64;

const isList = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null';

function* listText(items: Iterable<unknown>): Generator<string> {
  let text = '[';
  let count = 0;
  for (const item of items) {
    text += count === 0 ? jsonOf(item) : `,${jsonOf(item)}`;
    count += 1;
    if (count % ITEMS > 0) continue;
    yield text;
    text = '';
  }
  yield `${text}]`;
}

/** An item of the answer. Its lists are written in parts. */
function* itemText(item: unknown): Generator<string> {
  if (isList(item)) {
    yield* listText(item);
    return;
  }
  if (typeof item !== 'object' || item === null || !Object.values(item).some(isList)) {
    yield jsonOf(item);
    return;
  }
  let separator = '{';
  for (const [name, value] of Object.entries(item)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    if (isList(value)) yield* listText(value);
    else yield jsonOf(value);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** The text of an answer in small parts: joined, the same as `JSON.stringify` returns. */
export function* answerParts(answer: unknown): Generator<string> {
  if (!isList(answer)) {
    yield* itemText(answer);
    return;
  }
  let separator = '[';
  for (const item of answer) {
    yield separator;
    yield* itemText(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

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
export const answerBody = (answer: unknown, signal: AbortSignal): Promise<string | Readable> =>
  slicedBody(answerParts(answer), signal);

/** The same for a text that is not JSON. */
export async function slicedBody(parts: Iterable<string>, signal: AbortSignal): Promise<string | Readable> {
  const chunks = inChunks(parts);
  let text = '';
  for (;;) {
    signal.throwIfAborted();
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
