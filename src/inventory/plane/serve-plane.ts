import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, plainFailure, QueryError } from '../../model/failure.ts';
import type { OwnerEntry } from '../../model/owners.ts';
import type { IncomingAnswer } from '../decoding/decoder.ts';
import { isStored, type StoredEndpoint } from '../decoding/record-stream.ts';
import type { SharedFeatures } from '../feature-columns.ts';
import type { Derived, FeaturesRequest } from '../features-request.ts';
import { DataPlane, type Opening } from './data-plane.ts';
import type { CreatePageRenderer, PageRendering, PageUpdate } from './page-renderer.ts';

/** The start data of the thread. */
export interface PlaneStart {
  /** Handles of answers, and versions of the page, are larger than this. */
  readonly firstHandle: number;
}

/** A message to the thread of the data plane. `id` identifies an answer or a request. */
export type PlaneMessage<Rendering extends PageRendering = PageRendering> =
  | { readonly type: 'open'; readonly id: number; readonly opening: Opening }
  | { readonly type: 'write'; readonly id: number; readonly chunks: readonly ArrayBuffer[] }
  | { readonly type: 'end'; readonly id: number }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'keep'; readonly endpoint: StoredEndpoint; readonly handles: readonly number[] }
  | { readonly type: 'owners'; readonly entries: readonly OwnerEntry[] }
  | { readonly type: 'derive'; readonly id: number; readonly request: FeaturesRequest; readonly oldestInUse: number }
  | { readonly type: 'render'; readonly id: number; readonly rendering: Rendering };

/**
 * A result, why an answer is not usable, the number of bytes that were read since the last such reply, or the text of an
 * unexpected error.
 */
export type PlaneReply =
  | { readonly id: number; readonly value: unknown | Derived<SharedFeatures> | PageUpdate }
  | { readonly id: number; readonly failure: Failure }
  | { readonly id: number; readonly read: number }
  | { readonly id: number; readonly error: string };

/** An answer that is arriving. */
interface Arriving {
  readonly answer: IncomingAnswer<unknown>;
  /** Whether the bytes of a chunk are not needed any more when it was written. */
  readonly isReadAtOnce: boolean;
  /** Bytes that were read and not reported yet. */
  unreported: number;
}

const arriving = new Map<number, Arriving>();

/** Bytes that are reported together, because each message has a cost. */
const REPORT_BYTES = 4 * 1024 * 1024;

function reply(message: PlaneReply): void {
  parentPort?.postMessage(message);
}

function replyError(id: number, error: unknown): void {
  if (error instanceof QueryError) reply({ id, failure: plainFailure(error) });
  else reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

function write(id: number, to: Arriving, chunks: readonly ArrayBuffer[]): void {
  for (const chunk of chunks) {
    to.unreported += chunk.byteLength;
    to.answer.write(Buffer.from(chunk));
    // frees the memory; the garbage collector would only do so after many megabytes, and use much more processor time
    if (to.isReadAtOnce) chunk.transfer(0);
  }
  if (to.unreported < REPORT_BYTES) return;
  reply({ id, read: to.unreported });
  to.unreported = 0;
}

function apply<Rendering extends PageRendering, Update extends PageUpdate>(
  plane: DataPlane<Rendering, Update>,
  message: PlaneMessage<Rendering>,
): void {
  switch (message.type) {
    case 'open': {
      const { id } = message;
      const answer = plane.open(message.opening);
      arriving.set(id, { answer, isReadAtOnce: isStored(message.opening.endpoint), unreported: 0 });
      answer.result
        .then(
          (value) => reply({ id, value }),
          (error: unknown) => replyError(id, error),
        )
        .finally(() => arriving.delete(id));
      return;
    }
    case 'write': {
      const to = arriving.get(message.id);
      if (to !== undefined) write(message.id, to, message.chunks);
      return;
    }
    case 'end':
      arriving.get(message.id)?.answer.end();
      return;
    case 'abort':
      arriving.get(message.id)?.answer.abort();
      // its result need not settle
      arriving.delete(message.id);
      return;
    case 'keep':
      plane.keep(message.endpoint, message.handles);
      return;
    case 'owners':
      plane.useOwners(message.entries);
      return;
    case 'derive':
      reply({ id: message.id, value: plane.derive(message.request, message.oldestInUse) });
      return;
    case 'render':
      reply({ id: message.id, value: plane.render(message.rendering) });
  }
}

/** Serves the main thread from this thread: applies its messages in their order. Call it once in a worker. */
export function servePlane<Rendering extends PageRendering, Update extends PageUpdate>(
  createRenderer: CreatePageRenderer<Rendering, Update>,
): void {
  const plane = new DataPlane(createRenderer, (workerData as PlaneStart).firstHandle);
  parentPort?.on('message', (message: PlaneMessage<Rendering>) => {
    try {
      apply(plane, message);
    } catch (error) {
      // only requests with an id can be answered; an error without one ends the thread
      if (!('id' in message)) throw error;
      replyError(message.id, error);
    }
  });
}
