import { parentPort, workerData } from 'node:worker_threads';
import { QueryError } from '../model/failure.ts';
import { decodeAnswer } from './decode.ts';
import type { WorkerInput, WorkerReply } from './decoder.ts';

/**
 * The thread that decodes one large answer. JSON.parse cannot be interrupted, so a body of many megabytes would stop
 * scrapes and health checks for as long as it takes. Long lists go back in slices, each only when the last was taken
 * over: taking them over costs time on the main thread too.
 */
const SLICE = 500;

const { endpoint, body, permanentAfter } = workerData as WorkerInput;

function reply(message: WorkerReply): void {
  parentPort?.postMessage(message);
}

interface LongList {
  /** Empty, and still in its place in the answer. */
  readonly place: unknown[];
  readonly items: readonly unknown[];
}

/** Empties the long lists within a value. */
function takeLongLists(value: unknown): LongList[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value) && value.length > SLICE) return [{ place: value, items: value.splice(0) }];
  return Object.values(value).flatMap(takeLongLists);
}

function* slices(answer: unknown): Generator<WorkerReply> {
  const lists = takeLongLists(answer);
  // in one message a list and its place in the answer stay the same object
  yield { answer, lists: lists.map(({ place }) => place) };
  for (const [list, { items }] of lists.entries()) {
    for (let at = 0; at < items.length; at += SLICE) yield { list, items: items.slice(at, at + SLICE) };
  }
}

function send(replies: Generator<WorkerReply>): void {
  const sendNext = (): void => {
    const { value, done } = replies.next();
    reply(done === true ? 'done' : value);
  };
  parentPort?.on('message', sendNext);
  sendNext();
}

try {
  send(slices(decodeAnswer(endpoint, Buffer.from(body.buffer, body.byteOffset, body.byteLength), permanentAfter)));
} catch (error) {
  if (!(error instanceof QueryError)) throw error;
  reply({
    failure: { kind: error.kind, message: error.message, ...(error.code !== undefined && { code: error.code }) },
  });
}
