import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { slicedBody } from '../../../base/scheduling/sliced-body.ts';
import { DatasourceError } from '../answers/errors.ts';

/** Answers as JSON text, written in slices: a scrape or a health check waits for one slice at most. */

/**
 * Runs work until the client has disconnected, or the deadline has passed.
 *
 * @param seconds of the whole request: they include its time in the queue
 */
export async function withDeadline<T>(
  reply: FastifyReply,
  seconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new DatasourceError('upstream_down', 'the client has disconnected')));
  const late = setTimeout(
    () => gone.abort(new DatasourceError('deadline', `the analyzer did not answer within ${seconds} s`)),
    seconds * 1000 - reply.elapsedTime,
  );
  try {
    return await work(gone.signal);
  } finally {
    clearTimeout(late);
  }
}

/** A text, or a list whose items are written one by one. */
type Part = string | Iterable<unknown>;

const isList = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null';

const partOf = (value: unknown): Part => (isList(value) ? value : jsonOf(value));

/** An item of the answer. Its lists are written in parts. */
function partsOf(item: unknown): readonly Part[] {
  if (isList(item) || typeof item !== 'object' || item === null || !Object.values(item).some(isList)) {
    return [partOf(item)];
  }
  const shown = Object.entries(item).filter(([, value]) => value !== undefined);
  const parts = shown.flatMap(([name, value], i) => [`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`, partOf(value)]);
  return [...parts, '}'];
}

/** Iterables one after another. */
function* chained<T>(...all: Iterable<T>[]): Generator<T> {
  for (const items of all) yield* items;
}

/** What the items of a list give, with commas between. */
const separated = <T>(items: Iterable<unknown>, give: (item: unknown) => readonly T[]): IteratorObject<T | string> =>
  Iterator.from(items).flatMap((item, i) => (i === 0 ? give(item) : [',', ...give(item)]));

/** The text of an answer in small parts: joined, the same as `JSON.stringify` returns. */
export function answerParts(answer: unknown): IteratorObject<string> {
  const parts = isList(answer) ? chained<Part>(['['], separated(answer, partsOf), [']']) : partsOf(answer).values();
  return parts.flatMap((part) =>
    typeof part === 'string'
      ? [part]
      : chained(
          ['['],
          separated(part, (item) => [jsonOf(item)]),
          [']'],
        ),
  );
}

/** The body of an answer. The signal stops the writing of its text. */
export const answerBody = (answer: unknown, signal: AbortSignal): Promise<string | Readable> =>
  slicedBody(answerParts(answer), signal);
