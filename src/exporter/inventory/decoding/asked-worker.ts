import { parentPort, workerData } from 'node:worker_threads';
import { plainFailure, QueryError } from '../../../base/model/failure.ts';
import type { AskedInput, AskedReply, AskedSettings } from './asked-messages.ts';
import type { IncomingAnswer } from './decoder.ts';
import { createLocalDecoder } from './local-decoder.ts';
import { packAnswer } from './paged-lists.ts';

/**
 * The thread that decodes what Grafana asks for. JSON.parse cannot be interrupted: on the main thread it would block
 * scrapes, health checks and polls. If it fails, nothing else does.
 */

const decoder = createLocalDecoder(workerData as AskedSettings);

/** The answers that are arriving. Input for any other one is late: it has failed or nobody waits for it. */
const arriving = new Map<number, IncomingAnswer<unknown>>();

function reply(message: AskedReply, memory: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, memory);
}

function replyAnswer(id: number, answer: unknown): void {
  const { lists, memory } = packAnswer(answer);
  reply({ id, answer, lists }, memory);
}

function replyFailure(id: number, error: unknown): void {
  arriving.delete(id);
  // any other error ends the thread
  if (!(error instanceof QueryError)) throw error;
  reply({ id, failure: plainFailure(error) });
}

function take(input: AskedInput): void {
  if ('aborted' in input) {
    arriving.get(input.aborted)?.abort();
    arriving.delete(input.aborted);
    return;
  }
  const { id, endpoint, chunks, isFirst, isLast } = input;
  if (isFirst) {
    const answer = decoder.open(endpoint);
    arriving.set(id, answer);
    answer.result.then((decoded) => replyAnswer(id, decoded)).catch((error: unknown) => replyFailure(id, error));
  }
  const answer = arriving.get(id);
  for (const chunk of chunks) answer?.write(Buffer.from(chunk));
  if (!isLast) return;
  answer?.end();
  arriving.delete(id);
}

parentPort?.on('message', take);
