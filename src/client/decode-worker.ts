import { parentPort, workerData } from 'node:worker_threads';
import { QueryError } from '../model/failure.ts';
import type { Answer } from '../model/records.ts';
import { decodeAnswer } from './decode.ts';
import type { WorkerInput, WorkerReply } from './decoder.ts';

/**
 * The thread that decodes one large answer. JSON.parse cannot be interrupted, so a body of many megabytes would stop
 * scrapes and health checks for as long as it takes. Records go back in slices, each only when the last was taken over:
 * taking them over costs time on the main thread too.
 */
const SLICE = 500;

const { endpoint, body, permanentAfter } = workerData as WorkerInput;

function reply(message: WorkerReply): void {
  parentPort?.postMessage(message);
}

function sendSlices({ records, discarded }: Answer<unknown>): void {
  let sent = 0;
  const sendNext = (): void => {
    const slice = records.slice(sent, sent + SLICE);
    sent += slice.length;
    reply(sent < records.length ? { records: slice } : { records: slice, discarded });
  };
  parentPort?.on('message', sendNext);
  sendNext();
}

try {
  sendSlices(decodeAnswer(endpoint, Buffer.from(body.buffer, body.byteOffset, body.byteLength), permanentAfter));
} catch (error) {
  if (!(error instanceof QueryError)) throw error;
  reply({ failure: { kind: error.kind, message: error.message } });
}
