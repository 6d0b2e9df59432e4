import { once } from 'node:events';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Failure, QueryError } from '../model/failure.ts';
import type { EndpointName } from '../query-api/endpoints.ts';
import { answerFault } from './answer-faults.ts';
import { type Answers, decodeAnswer } from './decode.ts';

/** What the thread is started with; every message to it asks for the next reply. */
export interface WorkerInput {
  readonly endpoint: EndpointName;
  readonly body: Uint8Array;
  readonly permanentAfter: number;
}

/** First the answer with its long lists emptied, then slices of these lists; or why the answer is not usable. */
export type WorkerReply =
  | { readonly answer: unknown; readonly lists: readonly unknown[][] }
  | { readonly list: number; readonly items: readonly unknown[] }
  | 'done'
  | { readonly failure: Failure };

/** Bodies up to this size are decoded on the main thread; parsing one takes less time than handing it over. */
const MAIN_THREAD_BYTES = 1024 * 1024;

/** Answers that only a person who looks at a chart or a list of users waits for. */
const questions: ReadonlySet<EndpointName> = new Set([
  'GetUsers',
  'GetHistory',
  'GetHistoryReserved',
  'GetEfficiency',
  'GetHeatMap',
]);

/**
 * Megabytes of heap that a thread may take. JSON.parse cannot be stopped: where it meets this limit, V8 ends the whole
 * process. So the limit is above what it takes for the worst body within the limits of `limitsOf` (1.4 GB and its text,
 * two bytes per character), and ends a thread that makes too much of it afterwards.
 */
const heapFor = (bytes: number): number => Math.ceil(2048 + (2.5 * bytes) / 2 ** 20);

export interface Decoder {
  /**
   * Decodes the body of an answer; large bodies in a thread of their own, one at a time. Those of charts and users do
   * not hold up the others. The body must not be used afterwards.
   *
   * @throws QueryError of kind `parse`, `schema` or `too_large`, or `aborted` after `close`
   */
  decode<E extends EndpointName>(endpoint: E, body: Buffer): Promise<Answers[E]>;
  /** Ends the threads; what is being decoded or waits for it fails. */
  close(): Promise<void>;
}

/** Puts the answer together from the replies of the thread. */
async function takeOver(worker: Worker, signal: AbortSignal): Promise<unknown> {
  let answer: unknown;
  let lists: readonly unknown[][] = [];
  for (;;) {
    const [reply] = (await once(worker, 'message', { signal })) as [WorkerReply];
    if (reply === 'done') return answer;
    if ('failure' in reply) throw new QueryError(reply.failure.kind, reply.failure.message, reply.failure);
    if ('answer' in reply) ({ answer, lists } = reply);
    else for (const item of reply.items) lists[reply.list]?.push(item);
    // without a turn of the event loop up to 1000 messages are taken in one go
    await setImmediate();
    worker.postMessage('next');
  }
}

/** @param heapLimit megabytes of heap for a body of so many bytes */
export function createDecoder(permanentAfter: number, heapLimit = heapFor): Decoder {
  const running = new Set<Worker>();
  let closed = false;
  /** Tails of the queues: one body at a time, for the sake of memory. */
  const queues: Record<'poll' | 'questions', Promise<unknown>> = {
    poll: Promise.resolve(),
    questions: Promise.resolve(),
  };

  /** The thread ends with its body: what it leaves behind would otherwise stay in memory until the next one. */
  const decodeInThread = async (workerData: WorkerInput): Promise<unknown> => {
    if (closed) throw new QueryError('aborted', 'the client is closed');
    // run from source (.ts) or from a build (.js)
    const worker = new Worker(new URL(`./decode-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      transferList: [workerData.body.buffer as ArrayBuffer],
      resourceLimits: { maxOldGenerationSizeMb: heapLimit(workerData.body.byteLength) },
    });
    running.add(worker);
    const ended = new AbortController();
    worker.once('exit', () => ended.abort());
    // an error rejects what is waited for; without a listener a later one would end the process
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
      // a copy, unless the body owns its memory: pooled memory cannot be handed over
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
