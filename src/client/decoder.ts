import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Failure, QueryError } from '../model/failure.ts';
import type { Answer, DiscardReason } from '../model/records.ts';
import type { EndpointName } from '../query-api/endpoints.ts';
import { type Answers, decodeAnswer } from './decode.ts';

/** The endpoints whose answers are lists of records: only these grow with the site. */
export type BulkEndpoint = 'GetProducts' | 'GetFeatures' | 'GetUsers' | 'GetServerDown' | 'GetExpirationFeatures';

const bulkEndpoints: ReadonlySet<string> = new Set<BulkEndpoint>([
  'GetProducts',
  'GetFeatures',
  'GetUsers',
  'GetServerDown',
  'GetExpirationFeatures',
]);

/** What the thread is started with; every message to it asks for the next slice. */
export interface WorkerInput {
  readonly endpoint: BulkEndpoint;
  readonly body: Uint8Array;
  readonly permanentAfter: number;
}

/** A slice of records, with the tally on the last one, or why the answer is not usable. */
export type WorkerReply =
  | { readonly records: readonly unknown[]; readonly discarded?: Readonly<Record<DiscardReason, number>> }
  | { readonly failure: Failure };

/** Bodies up to this size are decoded on the main thread; parsing one takes less time than handing it over. */
const MAIN_THREAD_BYTES = 1024 * 1024;

export interface Decoder {
  /**
   * Decodes the body of an answer; large bodies in a thread of their own, one at a time. The body must not be used
   * afterwards.
   *
   * @throws QueryError of kind `parse` or `schema`, or `aborted` after `close`
   */
  decode<E extends EndpointName>(endpoint: E, body: Buffer): Promise<Answers[E]>;
  /** Ends the thread; what is being decoded or waits for it fails. */
  close(): Promise<void>;
}

export function createDecoder(permanentAfter: number): Decoder {
  let running: Worker | undefined;
  let closed = false;
  /** Tail of the queue: one body at a time, for the sake of memory. */
  let queue: Promise<unknown> = Promise.resolve();

  /** The thread ends with its body: what it leaves behind would otherwise stay in memory until the next one. */
  const decodeInThread = async (workerData: WorkerInput): Promise<Answer<unknown>> => {
    if (closed) throw new QueryError('aborted', 'the client is closed');
    // run from source (.ts) or from a build (.js)
    const worker = new Worker(new URL(`./decode-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      transferList: [workerData.body.buffer as ArrayBuffer],
    });
    running = worker;
    const ended = new AbortController();
    worker.once('exit', () => ended.abort());
    // an error rejects what is waited for; without a listener a later one would end the process
    worker.on('error', () => undefined);
    const records: unknown[] = [];
    try {
      for (;;) {
        const [reply] = (await once(worker, 'message', { signal: ended.signal })) as [WorkerReply];
        if ('failure' in reply) throw new QueryError(reply.failure.kind, reply.failure.message);
        for (const record of reply.records) records.push(record);
        if (reply.discarded !== undefined) return { records, discarded: reply.discarded };
        worker.postMessage('next');
      }
    } catch (error) {
      if (error instanceof QueryError) throw error;
      throw new QueryError('parse', 'decoding the answer failed', { cause: error });
    } finally {
      void worker.terminate();
    }
  };

  return {
    decode: <E extends EndpointName>(endpoint: E, body: Buffer): Promise<Answers[E]> => {
      if (body.byteLength <= MAIN_THREAD_BYTES || !bulkEndpoints.has(endpoint)) {
        return Promise.resolve().then(() => decodeAnswer(endpoint, body, permanentAfter));
      }
      // a copy, unless the body owns its memory: pooled memory cannot be handed over
      const owned = body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body);
      const input: WorkerInput = { endpoint: endpoint as BulkEndpoint, body: owned, permanentAfter };
      const decoded = queue.then(() => decodeInThread(input));
      queue = decoded.catch(() => undefined);
      return decoded as Promise<Answers[E]>;
    },
    close: async () => {
      closed = true;
      await running?.terminate();
    },
  };
}
