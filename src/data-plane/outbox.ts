import type { Worker } from 'node:worker_threads';
import { ownMemory } from '../decoding/chunk-memory.ts';
import type { Opening } from './data-plane.ts';
import type { AnswerBytes, PlaneMessage } from './messages.ts';

/** Bytes that are collected before they are sent. */
const BATCH_BYTES = 1024 * 1024;

/** Sends the bytes of one answer to the thread. They are collected, because a message costs more than a small answer. */
export class AnswerOutbox {
  readonly #worker: Worker;
  readonly #id: number;
  /** Until it is sent. */
  #opening: Opening | undefined;
  #chunks: ArrayBuffer[] = [];
  #bytes = 0;

  constructor(worker: Worker, id: number, opening: Opening) {
    this.#worker = worker;
    this.#id = id;
    this.#opening = opening;
  }

  write(chunk: Buffer): void {
    const owned = ownMemory(chunk);
    this.#chunks.push(owned);
    this.#bytes += owned.byteLength;
    if (this.#bytes >= BATCH_BYTES) this.#send(false);
  }

  end(): void {
    this.#send(true);
  }

  abort(): void {
    this.#chunks = [];
    // the thread does not know an answer that was not sent
    if (this.#opening === undefined) this.#worker.postMessage({ type: 'abort', id: this.#id } satisfies PlaneMessage);
  }

  #send(isLast: boolean): void {
    const chunks = this.#chunks;
    const opening = this.#opening;
    this.#chunks = [];
    this.#bytes = 0;
    this.#opening = undefined;
    const message: AnswerBytes = { type: 'bytes', id: this.#id, ...(opening && { opening }), chunks, isLast };
    this.#worker.postMessage(message, chunks);
  }
}
