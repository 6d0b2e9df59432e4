import type { Worker } from 'node:worker_threads';
import type { PlaneMessage } from './messages.ts';

/** Sends messages to a thread, in order. */
export interface Outbox {
  post(message: PlaneMessage): void;
  /** Hands over bytes of an answer. They are collected, because each message has a cost. */
  write(id: number, chunk: Buffer): void;
}

/** Bytes that are collected before they are sent. */
const BATCH_BYTES = 1024 * 1024;

/** Whether nothing else can lie in the memory of the chunk, so that it can be moved instead of copied. */
const ownsMemory = ({ buffer, byteLength }: Buffer): boolean =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;

export function createOutbox(worker: Worker): Outbox {
  /** Bytes by answer. */
  const collected = new Map<number, { chunks: Uint8Array[]; bytes: number }>();

  const flush = (id: number): void => {
    const batch = collected.get(id);
    if (batch === undefined) return;
    collected.delete(id);
    const { chunks } = batch;
    worker.postMessage(
      { type: 'write', id, chunks } satisfies PlaneMessage,
      chunks.map(({ buffer }) => buffer as ArrayBuffer),
    );
  };

  return {
    post: (message) => {
      if ('id' in message) flush(message.id);
      worker.postMessage(message);
    },
    write: (id, chunk) => {
      const owned = ownsMemory(chunk) ? chunk : new Uint8Array(chunk);
      const batch = collected.get(id) ?? { chunks: [], bytes: 0 };
      batch.chunks.push(owned);
      batch.bytes += owned.byteLength;
      collected.set(id, batch);
      if (batch.bytes >= BATCH_BYTES) flush(id);
    },
  };
}
