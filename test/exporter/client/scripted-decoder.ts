import type { Decoder, IncomingAnswer } from '../../../src/exporter/inventory/decoding/decoder.ts';

/** A decoder that keeps what it gets, and settles when the test says so. */
export function createScriptedDecoder() {
  const events: string[] = [];
  const chunks: Buffer[] = [];
  const settle = Promise.withResolvers<string>();
  const written = Promise.withResolvers<void>();
  let held: Promise<void> | undefined;
  const incoming: IncomingAnswer<string> = {
    write: (chunk) => {
      events.push('write');
      chunks.push(chunk);
      written.resolve();
      return held;
    },
    end: () => void events.push('end'),
    abort: () => void events.push('abort'),
    result: settle.promise,
  };
  const decoder: Decoder<{ GetProducts: string; GetServerDown: string }> = {
    open: (endpoint, before) => {
      events.push(`${endpoint} after ${before}`);
      return incoming as IncomingAnswer<never>;
    },
    close: async () => undefined,
  };
  /** From now on, the next bytes should wait. @returns what ends that */
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  return { decoder, events, chunks, settle, written: written.promise, hold };
}
