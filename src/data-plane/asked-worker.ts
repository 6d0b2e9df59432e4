import { parentPort, workerData } from 'node:worker_threads';
import { decodeAnswer } from '../decoding/decode.ts';
import { type Failure, QueryError } from '../model/failure.ts';
import { AskedBody } from './asked-body.ts';
import type { AskedInput, AskedReply, AskedSettings } from './asked-messages.ts';
import { packAnswer } from './paged-lists.ts';

/**
 * The thread that decodes what Grafana asks for. JSON.parse cannot be interrupted: on the main thread it would block
 * scrapes and health checks, and in the thread of the polled data it would delay polls. If it fails, nothing else does.
 */

const { permanentAfter, ...sizes } = workerData as AskedSettings;

/** The bodies that are arriving. Input for any other one is late: its answer has failed or nobody waits for it. */
const bodies = new Map<number, AskedBody>();

const failureOf = ({ kind, message, code }: QueryError): Failure => ({
  kind,
  message,
  ...(code !== undefined && { code }),
});

function reply(message: AskedReply, memory: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, memory);
}

function take(input: AskedInput): void {
  if ('aborted' in input) {
    bodies.delete(input.aborted);
    return;
  }
  const { id, endpoint, chunks, isFirst, isLast } = input;
  if (isFirst) bodies.set(id, new AskedBody(endpoint, sizes));
  const body = bodies.get(id);
  if (body === undefined) return;
  try {
    for (const chunk of chunks) body.push(chunk);
    if (!isLast) return;
    const answer = decodeAnswer(endpoint, body.take(), permanentAfter);
    const { lists, memory } = packAnswer(answer);
    reply({ id, answer, lists }, memory);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    reply({ id, failure: failureOf(error) });
    bodies.delete(id);
  }
  if (isLast) bodies.delete(id);
}

parentPort?.on('message', take);
