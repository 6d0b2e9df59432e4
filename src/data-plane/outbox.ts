import type { Worker } from 'node:worker_threads';
import { ownMemory } from '../decoding/chunk-memory.ts';
import type { PlaneMessage } from './messages.ts';

/** Sends messages to a thread, in order. */
export interface Outbox {
  post(message: PlaneMessage): void;
  /** Hands over bytes of an answer. They are collected, because each message has a cost. */
  write(id: number, chunk: Buffer): void;
}

/** Bytes that are collected before they are sent. */
const BATCH_BYTES = 1024 * 1024;

export function createOutbox(worker: Worker): Outbox {
  /** Bytes by answer. */
  const collected = new Map<number, { chunks: ArrayBuffer[]; bytes: number }>();

  const flush = (id: number): void => {
    const batch = collected.get(id);
    if (batch === undefined) return;
    collected.delete(id);
    const { chunks } = batch;
    worker.postMessage({ type: 'write', id, chunks } satisfies PlaneMessage, chunks);
  };

  return {
    post: (message) => {
      if ('id' in message) flush(message.id);
      worker.postMessage(message);
    },
    write: (id, chunk) => {
      const owned = ownMemory(chunk);
      const batch = collected.get(id) ?? { chunks: [], bytes: 0 };
      batch.chunks.push(owned);
      batch.bytes += owned.byteLength;
      collected.set(id, batch);
      if (batch.bytes >= BATCH_BYTES) flush(id);
    },
  };
}
