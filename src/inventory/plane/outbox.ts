import type { Worker } from 'node:worker_threads';
import { ownMemory } from '../decoding/chunk-memory.ts';
import type { PlaneMessage } from './serve-plane.ts';

/** Bytes that are collected before they are sent, because each message has a cost. */
const BATCH_BYTES = 1024 * 1024;

/**
 * More bytes of an answer are accepted, but should wait. Otherwise a whole body would be in memory at once. Half of it must be
 * more than the bytes that are collected here, and those that the thread has read but not reported yet.
 */
const MAX_UNREAD_BYTES = 16 * BATCH_BYTES;

/** The bytes of one answer on their way to the thread. */
interface Flow {
  chunks: ArrayBuffer[];
  /** Bytes in `chunks`. */
  collected: number;
  /** Bytes that the thread has not read yet. */
  unread: number;
  drain: PromiseWithResolvers<void> | undefined;
}

/**
 * Sends messages to a thread, in order. They are sent when the present call stack has ended: undici looks at a chunk once
 * more after its handler, which must not find its memory gone.
 */
export class Outbox {
  readonly #worker: Worker;
  #due: PlaneMessage[] = [];
  /** By answer. */
  readonly #flows = new Map<number, Flow>();

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  post(message: PlaneMessage): void {
    if ('id' in message) this.#flush(message.id);
    this.#sendSoon(message);
  }

  /** Hands over bytes of an answer. Returns as `IncomingAnswer.write`. */
  write(id: number, chunk: Buffer): Promise<void> | undefined {
    const flow = this.#flows.get(id) ?? { chunks: [], collected: 0, unread: 0, drain: undefined };
    this.#flows.set(id, flow);
    flow.chunks.push(ownMemory(chunk));
    flow.collected += chunk.byteLength;
    flow.unread += chunk.byteLength;
    if (flow.collected >= BATCH_BYTES) this.#flush(id);
    if (flow.unread <= MAX_UNREAD_BYTES) return undefined;
    flow.drain ??= Promise.withResolvers();
    return flow.drain.promise;
  }

  /** The thread has read bytes of an answer. */
  read(id: number, bytes: number): void {
    const flow = this.#flows.get(id);
    if (flow === undefined) return;
    flow.unread -= bytes;
    if (flow.unread > MAX_UNREAD_BYTES / 2) return;
    flow.drain?.resolve();
    flow.drain = undefined;
  }

  /** No more bytes of an answer are sent. */
  forget(id: number): void {
    this.#flows.get(id)?.drain?.resolve();
    this.#flows.delete(id);
  }

  #sendSoon(message: PlaneMessage): void {
    if (this.#due.push(message) > 1) return;
    queueMicrotask(() => {
      const due = this.#due;
      this.#due = [];
      for (const each of due) this.#worker.postMessage(each, each.type === 'write' ? each.chunks : []);
    });
  }

  #flush(id: number): void {
    const flow = this.#flows.get(id);
    if (flow === undefined || flow.chunks.length === 0) return;
    const { chunks } = flow;
    flow.chunks = [];
    flow.collected = 0;
    this.#sendSoon({ type: 'write', id, chunks });
  }
}
