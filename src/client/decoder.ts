import { once } from 'node:events';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { answerFault } from '../decoding/answer-faults.ts';
import { type Answers, decodeAnswer } from '../decoding/decode.ts';
import { type Failure, QueryError } from '../model/failure.ts';
import type { EndpointName } from '../query-api/endpoints.ts';

/** The start data of the thread. Each message to it requests the next reply. */
export interface WorkerInput {
  readonly endpoint: EndpointName;
  readonly body: Uint8Array;
  readonly permanentAfter: number;
}

/** First the answer with its long lists emptied, then slices of these lists. On failure, why the answer is not usable. */
export type WorkerReply =
  | { readonly answer: unknown; readonly lists: readonly unknown[][] }
  | { readonly list: number; readonly items: readonly unknown[] }
  | 'done'
  | { readonly failure: Failure };

/** Bodies up to this size, in bytes, are decoded on the main thread: parsing takes less time than the transfer. */
const MAIN_THREAD_BYTES = 1024 * 1024;

/** Endpoints that are requested only for charts and lists of users. */
const questions: ReadonlySet<EndpointName> = new Set([
  'GetUsers',
  'GetHistory',
  'GetHistoryReserved',
  'GetEfficiency',
  'GetHeatMap',
]);

/**
 * The heap limit of a thread, megabytes. If JSON.parse reaches this limit, V8 ends the whole process. The limit is
 * therefore above the need of the worst body that `limitsOf` allows (1.4 GB, and two bytes per character of its text).
 * It ends a thread that takes too much memory after parsing.
 */
const heapFor = (bytes: number): number => Math.ceil(2048 + (2.5 * bytes) / 2 ** 20);

export interface Decoder {
  /**
   * Decodes the body of an answer. Large bodies are decoded in a separate thread, one at a time. Charts and users have
   * their own queue and do not delay the others. The body must not be used afterwards.
   *
   * @throws QueryError of kind `parse`, `schema` or `too_large`, or `aborted` after `close`
   */
  decode<E extends EndpointName>(endpoint: E, body: Buffer): Promise<Answers[E]>;
  /** Ends the threads. Running and waiting calls of `decode` fail. */
  close(): Promise<void>;
}

/** Assembles the answer from the replies of the thread. */
async function takeOver(worker: Worker, signal: AbortSignal): Promise<unknown> {
  let answer: unknown;
  let lists: readonly unknown[][] = [];
  for (;;) {
    const [reply] = (await once(worker, 'message', { signal })) as [WorkerReply];
    if (reply === 'done') return answer;
    if ('failure' in reply) throw new QueryError(reply.failure.kind, reply.failure.message, reply.failure);
    if ('answer' in reply) ({ answer, lists } = reply);
    else for (const item of reply.items) lists[reply.list]?.push(item);
    // without this turn of the event loop, up to 1000 messages are received at once
    await setImmediate();
    worker.postMessage('next');
  }
}

/** @param heapLimit returns the heap limit in megabytes for a body size in bytes */
export function createDecoder(permanentAfter: number, heapLimit = heapFor): Decoder {
  const running = new Set<Worker>();
  let closed = false;
  /** Tails of the queues. One body is decoded at a time, to limit memory. */
  const queues: Record<'poll' | 'questions', Promise<unknown>> = {
    poll: Promise.resolve(),
    questions: Promise.resolve(),
  };

  /** Each body gets a new thread: the garbage of a finished one would stay in memory until the next body. */
  const decodeInThread = async (workerData: WorkerInput): Promise<unknown> => {
    if (closed) throw new QueryError('aborted', 'the client is closed');
    // .ts when run from source, .js when run from a build
    const worker = new Worker(new URL(`./decode-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      transferList: [workerData.body.buffer as ArrayBuffer],
      resourceLimits: { maxOldGenerationSizeMb: heapLimit(workerData.body.byteLength) },
    });
    running.add(worker);
    const ended = new AbortController();
    worker.once('exit', () => ended.abort());
    // a pending `once` rejects on an error; without this listener, a later error would end the process
    worker.on('error', () => undefined);
    try {
      return await takeOver(worker, ended.signal);
    } catch (error) {
      if (error instanceof QueryError) throw error;
      const { code } = error as { code?: unknown };
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') throw answerFault('ANSWER_TOO_MUCH_MEMORY', undefined, error);
      throw new QueryError('parse', 'decoding the answer failed', { cause: error });
    } finally {
      running.delete(worker);
      void worker.terminate();
    }
  };

  return {
    decode: <E extends EndpointName>(endpoint: E, body: Buffer): Promise<Answers[E]> => {
      if (body.byteLength <= MAIN_THREAD_BYTES) {
        return Promise.resolve().then(() => decodeAnswer(endpoint, body, permanentAfter));
      }
      // copied unless the body owns its memory, because pooled memory cannot be transferred
      const owned = body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body);
      const queue = questions.has(endpoint) ? 'questions' : 'poll';
      const decoded = queues[queue].then(() => decodeInThread({ endpoint, body: owned, permanentAfter }));
      queues[queue] = decoded.catch(() => undefined);
      return decoded as Promise<Answers[E]>;
    },
    close: async () => {
      closed = true;
      await Promise.all([...running].map((worker) => worker.terminate()));
    },
  };
}
