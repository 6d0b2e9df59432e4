import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { QueryError } from '../../../base/model/failure.ts';
import type { EndpointName } from '../../../base/query-api/endpoints.ts';
import { createLimit } from '../../../base/scheduling/limit.ts';
import { runSliced } from '../../../base/scheduling/slices.ts';
import { answerFault } from './answer-faults.ts';
import type { AskedInput, AskedReply, AskedSettings } from './asked-messages.ts';
import type { Answers } from './decode.ts';
import type { Decoder, IncomingAnswer } from './decoder.ts';
import { fillLists } from './paged-lists.ts';

/**
 * The bytes of a chunk in memory of their own, which can be transferred to another thread.
 *
 * Node allocates memory for each read of a socket, TLS too, of the size that was read, and undici passes on parts of it. A part that
 * covers its whole memory is therefore all that was read, and nobody else uses it. Beside any other part there are headers,
 * the frames of the chunked encoding or parts of the same body, or it is in the pool of small buffers: it is copied. The analyzer in
 * this process makes each body for one question, and does not keep it.
 */
export function ownMemory({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  const memory = buffer as ArrayBuffer;
  // undici passes one empty buffer again and again
  return byteLength === memory.byteLength && byteLength > 0
    ? memory
    : memory.slice(byteOffset, byteOffset + byteLength);
}

/** How large answers may be that people ask for, and when their thread ends. */
export interface AskedDecoderOptions extends AskedSettings {
  /** The largest body that is received, bytes. */
  readonly maxResponseSize: number;
  /** How long the thread is kept without an answer to decode, milliseconds. */
  readonly idle?: number;
}

/**
 * The heap limit of the thread, megabytes. If JSON.parse reaches this limit, V8 ends the whole process. The limit is
 * therefore above the need of the worst body that `structureLimitsOf` allows (1.4 GB, and two bytes per character of its text).
 * It ends a thread that takes too much memory after parsing.
 */
const heapFor = (bytes: number): number => Math.ceil(2048 + (2.5 * bytes) / 2 ** 20);

/** An idle thread keeps the garbage of its last answer, and the panels of a dashboard send their requests together. */
const IDLE = 10_000;

/** An answer that is arriving, or being decoded. */
interface Asked {
  readonly id: number;
  readonly endpoint: EndpointName;
  readonly settle: (outcome: { readonly answer: unknown } | { readonly failure: QueryError }) => void;
  /** Received, but not sent to the thread. */
  chunks: Buffer[];
  isStarted: boolean;
  /** Whether the end has been received, but not sent. */
  isEnding: boolean;
}

function failureOf(error: unknown): QueryError {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return answerFault('ANSWER_TOO_MUCH_MEMORY', undefined, error);
  return new QueryError('parse', 'decoding the answer failed', { cause: error });
}

/**
 * Decodes what Grafana asks for in a thread of its own, which a bad answer may end. The thread is started for the first
 * answer, decodes one at a time, and ends when it is idle. If it fails, the answers in it fail, and the next one starts
 * a new thread.
 */
export class AskedDecoder implements Decoder<Answers> {
  readonly #options: AskedDecoderOptions;
  readonly #asked = new Map<number, Asked>();
  /** Decoded lists are taken over one after the other, because each step of each takes time. */
  readonly #takeOver = createLimit(1);
  #thread: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #nextId = 0;
  #isSending = false;
  #isClosed = false;

  constructor(options: AskedDecoderOptions) {
    this.#options = options;
  }

  open<E extends EndpointName>(endpoint: E): IncomingAnswer<Answers[E]> {
    const { promise, resolve, reject } = Promise.withResolvers<Answers[E]>();
    // a caller that still sends the body does not wait for the result yet
    promise.catch(() => undefined);
    const id = this.#nextId;
    this.#nextId += 1;
    const asked: Asked = {
      id,
      endpoint,
      settle: (outcome) => {
        if (!this.#remove(asked)) return;
        if ('failure' in outcome) reject(outcome.failure);
        else resolve(outcome.answer as Answers[E]);
      },
      chunks: [],
      isStarted: false,
      isEnding: false,
    };
    this.#add(asked);
    return {
      result: promise,
      write: (chunk) => {
        if (!this.#asked.has(id)) return undefined;
        asked.chunks.push(chunk);
        this.#sendSoon();
        return undefined;
      },
      end: () => {
        asked.isEnding = true;
        this.#sendSoon();
      },
      abort: () => {
        if (this.#remove(asked) && asked.isStarted) this.#post({ aborted: id });
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end(new QueryError('aborted', 'the client is closed'));
  }

  #add(asked: Asked): void {
    this.#asked.set(asked.id, asked);
    if (this.#isClosed) {
      asked.settle({ failure: new QueryError('aborted', 'the client is closed') });
      return;
    }
    clearTimeout(this.#idleTimer);
    this.#thread ??= this.#start();
    // a thread with work keeps the process alive, an idle one does not
    this.#thread.ref();
  }

  /** @returns whether the answer was still expected */
  #remove(asked: Asked): boolean {
    if (!this.#asked.delete(asked.id)) return false;
    asked.chunks = [];
    if (this.#asked.size === 0 && this.#thread !== undefined) {
      this.#thread.unref();
      clearTimeout(this.#idleTimer);
      this.#idleTimer = setTimeout(() => void this.#end(), this.#options.idle ?? IDLE).unref();
    }
    return true;
  }

  #start(): Worker {
    const { permanentAfter, maxResponseSize } = this.#options;
    // .ts when run from source, .js when run from a build
    const thread = new Worker(new URL(`./asked-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { permanentAfter } satisfies AskedSettings,
      resourceLimits: { maxOldGenerationSizeMb: heapFor(maxResponseSize) },
    });
    const fail = (error?: unknown): void => {
      if (this.#thread === thread) void this.#end(failureOf(error));
    };
    thread.on('message', (reply: AskedReply) => void this.#take(reply));
    thread.on('error', fail);
    thread.on('exit', () => fail());
    return thread;
  }

  /** Ends the thread. The next answer starts a new one. */
  async #end(failure?: QueryError): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    clearTimeout(this.#idleTimer);
    if (failure !== undefined) for (const { settle } of [...this.#asked.values()]) settle({ failure });
    await thread?.terminate();
  }

  /** Sends what has arrived until the end of this turn of the event loop in one message: messages cost more than bytes. */
  #sendSoon(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      for (const asked of this.#asked.values()) this.#send(asked);
    });
  }

  #send(asked: Asked): void {
    const { id, endpoint, isStarted, isEnding } = asked;
    if (asked.chunks.length === 0 && !isEnding) return;
    const chunks = asked.chunks.map(ownMemory);
    asked.chunks = [];
    asked.isStarted = true;
    asked.isEnding = false;
    this.#post({ id, endpoint, chunks, isFirst: !isStarted, isLast: isEnding }, chunks);
  }

  #post(input: AskedInput, memory: ArrayBuffer[] = []): void {
    this.#thread?.postMessage(input, memory);
  }

  async #take(reply: AskedReply): Promise<void> {
    const asked = this.#asked.get(reply.id);
    if (asked === undefined) return;
    if ('failure' in reply) {
      const { kind, message, code } = reply.failure;
      asked.settle({ failure: new QueryError(kind, message, code === undefined ? {} : { code }) });
      return;
    }
    await this.#takeOver(() => runSliced(this.#whileAsked(asked, fillLists(reply.lists))));
    asked.settle({ answer: reply.answer });
  }

  *#whileAsked(asked: Asked, work: Generator<void>): Generator<void, void> {
    while (this.#asked.has(asked.id) && !work.next().done) yield;
  }
}
