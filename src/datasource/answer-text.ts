import type { Readable } from 'node:stream';
import { slicedBody } from '../scheduling/sliced-body.ts';

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

/** The body of an answer. The signal stops the writing of its text. */
export const answerBody = (answer: unknown, signal: AbortSignal): Promise<string | Readable> =>
  slicedBody(answerParts(answer), signal);
