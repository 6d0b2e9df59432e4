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

export type WorkerRequest =
  | 'next'
  | { readonly endpoint: BulkEndpoint; readonly body: Uint8Array; readonly permanentAfter: number };

/** A slice of records, with the tally on the last one, or why the answer is not usable. */
export type WorkerReply =
  | { readonly records: readonly unknown[]; readonly discarded?: Readonly<Record<DiscardReason, number>> }
  | { readonly failure: Failure };

/** Bodies up to this size are decoded on the main thread; parsing one takes less time than handing it over. */
const MAIN_THREAD_BYTES = 1024 * 1024;

interface Thread {
  readonly worker: Worker;
  /** Aborted when the thread is gone, so that nobody waits for its answer. */
  readonly ended: AbortSignal;
}

export interface Decoder {
  /**
   * Decodes the body of an answer; large bodies in a thread of their own, one at a time. The body must not be used
   * afterwards.
   *
   * @throws QueryError of kind `parse` or `schema`
   */
  decode<E extends EndpointName>(endpoint: E, body: Buffer): Promise<Answers[E]>;
  /** Ends the thread. */
  close(): Promise<void>;
}

export function createDecoder(permanentAfter: number): Decoder {
  let worker: Thread | undefined;
  /** Tail of the queue for the thread. */
  let queue: Promise<unknown> = Promise.resolve();

  const startWorker = (): Thread => {
    const ended = new AbortController();
    // run from source (.ts) or from a build (.js)
    const started = new Worker(new URL(`./decode-worker${extname(import.meta.url)}`, import.meta.url));
    const end = (): void => {
      if (worker?.worker === started) worker = undefined;
      ended.abort();
    };
    // an error also rejects the answer that is waited for; without a listener it would end the process
    started.on('error', end);
    started.once('exit', end);
    return { worker: started, ended: ended.signal };
  };

  const ask = async (thread: Thread, request: WorkerRequest, transfer: ArrayBuffer[] = []): Promise<WorkerReply> => {
    const answered = once(thread.worker, 'message', { signal: thread.ended });
    thread.worker.postMessage(request, transfer);
    return (await answered)[0] as WorkerReply;
  };

  const decodeInThread = async (endpoint: BulkEndpoint, body: Buffer): Promise<Answer<unknown>> => {
    worker ??= startWorker();
    const thread = worker;
    // a copy, unless the body owns its memory: pooled memory cannot be handed over
    const owned = body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body);
    const records: unknown[] = [];
    // an idle thread must not keep the process alive, a busy one must
    thread.worker.ref();
    try {
      let reply = await ask(thread, { endpoint, body: owned, permanentAfter }, [owned.buffer as ArrayBuffer]);
      for (;;) {
        if ('failure' in reply) throw new QueryError(reply.failure.kind, reply.failure.message);
        for (const record of reply.records) records.push(record);
        if (reply.discarded !== undefined) return { records, discarded: reply.discarded };
        reply = await ask(thread, 'next');
      }
    } catch (error) {
      if (error instanceof QueryError) throw error;
      throw new QueryError('parse', 'decoding the answer failed', { cause: error });
    } finally {
      thread.worker.unref();
    }
  };

  return {
    decode: <E extends EndpointName>(endpoint: E, body: Buffer): Promise<Answers[E]> => {
      if (body.byteLength <= MAIN_THREAD_BYTES || !bulkEndpoints.has(endpoint)) {
        return Promise.resolve().then(() => decodeAnswer(endpoint, body, permanentAfter));
      }
      const decoded = queue.then(() => decodeInThread(endpoint as BulkEndpoint, body));
      queue = decoded.catch(() => undefined);
      return decoded as Promise<Answers[E]>;
    },
    close: async () => {
      await worker?.worker.terminate();
    },
  };
}
