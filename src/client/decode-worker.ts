import { parentPort, workerData } from 'node:worker_threads';
import { decodeAnswer } from '../decoding/decode.ts';
import { QueryError } from '../model/failure.ts';
import type { WorkerInput, WorkerReply } from './decoder.ts';

/**
 * The thread that decodes one large answer. JSON.parse cannot be interrupted, so on the main thread a body of many
 * megabytes would block scrapes and health checks. Long lists are returned in slices, because receiving them also takes
 * time on the main thread. Each slice is sent when the previous one was received.
 */
const SLICE = 500;

const { endpoint, body, permanentAfter } = workerData as WorkerInput;

function reply(message: WorkerReply): void {
  parentPort?.postMessage(message);
}

interface LongList {
  /** The list in the answer, emptied. */
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
  // within one message, a list and its place in the answer remain the same object
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
