import { parentPort, workerData } from 'node:worker_threads';
import type { IncomingAnswer } from '../decoding/decoder.ts';
import { QueryError } from '../model/failure.ts';
import { DataPlane, type Opening, type Rendered } from './data-plane.ts';
import type { PlaneMessage, PlaneReply, PlaneStart } from './messages.ts';

/** The thread of the data plane: applies messages in their order. */

const plane = new DataPlane((workerData as PlaneStart).firstHandle);
const incoming = new Map<number, IncomingAnswer<unknown>>();

function reply(message: PlaneReply, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

function replyError(id: number, error: unknown): void {
  if (error instanceof QueryError) {
    const { kind, message, code } = error;
    reply({ id, failure: { kind, message, ...(code !== undefined && { code }) } });
  } else {
    reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

/** The memory of new chunks, which the main thread takes over. */
const memoryOf = ({ updates }: Rendered): ArrayBuffer[] =>
  [updates.expirations, updates.features]
    .flatMap(({ chunks }) => chunks)
    .flatMap((chunk) => (typeof chunk === 'number' ? [] : [chunk.bytes.buffer as ArrayBuffer]));

function open(id: number, opening: Opening): void {
  const answer = plane.open(opening);
  incoming.set(id, answer);
  answer.result
    .then(
      (value) => reply({ id, value }),
      (error: unknown) => replyError(id, error),
    )
    .finally(() => incoming.delete(id));
}

function apply(message: PlaneMessage): void {
  switch (message.type) {
    case 'bytes': {
      const { id, opening, chunks, isLast } = message;
      if (opening !== undefined) open(id, opening);
      const answer = incoming.get(id);
      for (const chunk of chunks) answer?.write(Buffer.from(chunk));
      if (isLast) answer?.end();
      return;
    }
    case 'abort':
      incoming.get(message.id)?.abort();
      return;
    case 'keep':
      plane.keep(message.endpoint, message.handles);
      return;
    case 'derive':
      reply({ id: message.id, value: plane.derive(message.request, message.oldestInUse) });
      return;
    case 'render': {
      const rendered = plane.render(message.rendering);
      reply({ id: message.id, value: rendered }, memoryOf(rendered));
    }
  }
}

parentPort?.on('message', (message: PlaneMessage) => {
  try {
    apply(message);
  } catch (error) {
    // only requests with an id can be answered; an error without one ends the thread
    if (!('id' in message)) throw error;
    replyError(message.id, error);
  }
});
