import { parentPort } from 'node:worker_threads';
import { QueryError } from '../model/failure.ts';
import type { Answer } from '../model/records.ts';
import { decodeAnswer } from './decode.ts';
import type { BulkEndpoint, WorkerReply, WorkerRequest } from './decoder.ts';

/**
 * The thread that decodes large answers. JSON.parse cannot be interrupted, so a body of many megabytes would stop
 * scrapes and health checks for as long as it takes. Records go back in slices, each only when the last was taken over:
 * taking them over costs time on the main thread too.
 */
const SLICE = 500;

/** The records of the answer in work and how many of them were sent. */
let current: { answer: Answer<unknown>; sent: number } | undefined;

function reply(message: WorkerReply): void {
  parentPort?.postMessage(message);
}

function sendSlice(): void {
  if (current === undefined) return;
  const { answer, sent } = current;
  const records = answer.records.slice(sent, sent + SLICE);
  const done = sent + records.length >= answer.records.length;
  current = done ? undefined : { answer, sent: sent + records.length };
  reply(done ? { records, discarded: answer.discarded } : { records });
}

function begin(endpoint: BulkEndpoint, body: Uint8Array, permanentAfter: number): void {
  try {
    const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    current = { answer: decodeAnswer(endpoint, buffer, permanentAfter), sent: 0 };
    sendSlice();
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    reply({ failure: { kind: error.kind, message: error.message } });
  }
}

parentPort?.on('message', (request: WorkerRequest) => {
  if (request === 'next') sendSlice();
  else begin(request.endpoint, request.body, request.permanentAfter);
});
