import { Worker } from 'node:worker_threads';
import { QueryError } from '../../model/failure.ts';
import { noOwners, type OwnerEntry } from '../../model/owners.ts';
import { lastGood, type PolledAnswers, type Snapshot } from '../../model/snapshot.ts';
import type { FeatureSource } from '../current.ts';
import type { Decoder, IncomingAnswer } from '../decoding/decoder.ts';
import type { StoredEndpoint } from '../decoding/record-stream.ts';
import { openFeatures, type SharedFeatures } from '../feature-columns.ts';
import { createFeatureTable, type FeatureTable } from '../feature-table.ts';
import type { Derived } from '../features-request.ts';
import { Outbox } from './outbox.ts';
import type { PageRendering, PageUpdate } from './page-renderer.ts';
import type { PlaneMessage, PlaneReply, PlaneStart } from './serve-plane.ts';

/** Decodes polled answers, and derives and renders the features, in another thread. */
export interface PlaneThread<Rendering extends PageRendering, Update extends PageUpdate> extends FeatureSource {
  /** A decoder of polled answers. */
  decoder(permanentAfter: number): Decoder<PolledAnswers>;
  /** Frees the answers that a snapshot does not contain any more. Call it with each snapshot before the next one. */
  keep(snapshot: Snapshot): void;
  /** Renders the newest features. @param owners the same array as before unless they have changed */
  render(rendering: Rendering, owners: readonly OwnerEntry[]): Promise<Update>;
  close(): Promise<void>;
}

interface PlaneThreadOptions {
  /** The file of the thread, which calls `servePlane`. */
  readonly file: URL;
  /** Called when the thread has ended unexpectedly. All records are lost. */
  readonly onLost: (reason: QueryError) => void;
}

const storedEndpoints = ['GetFeatures', 'GetExpirationFeatures'] as const satisfies readonly StoredEndpoint[];

/**
 * Size of the part of the heap for new objects. The thread creates many objects that live shortly; with the default, 100
 * megabytes of memory without use stay with it.
 */
const YOUNG_MEGABYTES = 6;

/** Handles of one thread. No handle of a thread that has ended is valid in the next one. */
const HANDLES = 2 ** 40;

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What waits for a reply. The thread keeps the process alive only meanwhile. */
class PendingReplies {
  readonly #waiting = new Map<number, Pending>();
  readonly #worker: Worker;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.unref();
  }

  add(id: number, pending: Pending): void {
    if (this.#waiting.size === 0) this.#worker.ref();
    this.#waiting.set(id, pending);
  }

  /** Removes and returns what waits. */
  take(id: number): Pending | undefined {
    const pending = this.#waiting.get(id);
    if (this.#waiting.delete(id) && this.#waiting.size === 0) this.#worker.unref();
    return pending;
  }

  rejectAll(reason: Error): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}

/** The connection to one thread, which is used until the thread ends. */
interface Connection {
  readonly worker: Worker;
  readonly outbox: Outbox;
  readonly pending: PendingReplies;
  /** The entries that the thread has. */
  owners: readonly OwnerEntry[];
}

class Plane<Rendering extends PageRendering, Update extends PageUpdate> implements PlaneThread<Rendering, Update> {
  readonly #options: PlaneThreadOptions;
  #connection: Connection | undefined;
  #ids = 0;
  #threads = 0;
  #isClosed = false;
  /** Tables whose rows can still be read, by their generation. */
  readonly #inUse = new Map<FeatureTable, number>();
  readonly #kept = new Map<StoredEndpoint, unknown>();

  constructor(options: PlaneThreadOptions) {
    this.#options = options;
  }

  decoder(permanentAfter: number): Decoder<PolledAnswers> {
    return {
      open: (endpoint, question) => this.#open({ endpoint, question, permanentAfter }),
      // the thread outlives its decoders, because a reload keeps the records
      close: async () => undefined,
    };
  }

  keep(snapshot: Snapshot): void {
    for (const endpoint of storedEndpoints) {
      const state = snapshot.endpoints[endpoint];
      if (this.#kept.has(endpoint) && this.#kept.get(endpoint) === state) continue;
      this.#kept.set(endpoint, state);
      const readings = [...(state?.parts.values() ?? [])];
      const handles = readings.flatMap((reading) => lastGood(reading)?.value.handle ?? []);
      this.#connection?.outbox.post({ type: 'keep', endpoint, handles });
    }
  }

  async derive(request: Parameters<FeatureSource['derive']>[0]): Promise<Derived<FeatureTable>> {
    const oldestInUse = Math.min(...this.#inUse.values(), Number.MAX_SAFE_INTEGER);
    const derived = await this.#request<Derived<SharedFeatures>>((id) => ({
      type: 'derive',
      id,
      request,
      oldestInUse,
    }));
    const columns = createFeatureTable(openFeatures(derived.columns));
    this.#inUse.set(columns, derived.columns.generation);
    return { ...derived, columns };
  }

  holds(features: FeatureTable): boolean {
    return this.#inUse.has(features);
  }

  release(features: FeatureTable): void {
    this.#inUse.delete(features);
  }

  render(rendering: Rendering, owners: readonly OwnerEntry[]): Promise<Update> {
    this.#sendOwners(owners);
    return this.#request<Update>((id) => ({ type: 'render', id, rendering }));
  }

  #sendOwners(entries: readonly OwnerEntry[]): void {
    if (this.#isClosed) return;
    const connection = this.#connect();
    if (connection.owners === entries) return;
    connection.owners = entries;
    connection.outbox.post({ type: 'owners', entries });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    this.#lose(new QueryError('aborted', 'the program is stopping'));
    await connection?.worker.terminate();
  }

  #open<T>(opening: Extract<PlaneMessage, { type: 'open' }>['opening']): IncomingAnswer<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // a failure before the caller waits for the result must not end the process
    promise.catch(() => undefined);
    if (this.#isClosed) {
      reject(new QueryError('aborted', 'the client is closed'));
      return { write: () => undefined, end: () => undefined, abort: () => undefined, result: promise };
    }
    const { outbox, pending } = this.#connect();
    this.#ids += 1;
    const id = this.#ids;
    pending.add(id, { resolve: resolve as Pending['resolve'], reject });
    outbox.post({ type: 'open', id, opening });
    return {
      write: (chunk) => outbox.write(id, chunk),
      end: () => outbox.post({ type: 'end', id }),
      abort: () => {
        pending.take(id);
        outbox.forget(id);
        outbox.post({ type: 'abort', id });
      },
      result: promise,
    };
  }

  #request<T>(create: (id: number) => PlaneMessage): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#isClosed) {
      reject(new QueryError('aborted', 'the program is stopping'));
      return promise;
    }
    const { outbox, pending } = this.#connect();
    this.#ids += 1;
    pending.add(this.#ids, { resolve: resolve as Pending['resolve'], reject });
    outbox.post(create(this.#ids));
    return promise;
  }

  #connect(): Connection {
    if (this.#connection !== undefined) return this.#connection;
    const worker = new Worker(this.#options.file, {
      workerData: { firstHandle: this.#threads * HANDLES } satisfies PlaneStart,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.#threads += 1;
    const connection: Connection = {
      worker,
      outbox: new Outbox(worker),
      pending: new PendingReplies(worker),
      owners: noOwners.entries,
    };
    worker.on('message', (reply: PlaneReply) => receive(connection, reply));
    let cause: unknown;
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', (code) => {
      if (this.#connection !== connection) return;
      const reason = lossOf(cause, code);
      this.#lose(reason);
      this.#options.onLost(reason);
    });
    this.#connection = connection;
    return connection;
  }

  #lose(reason: QueryError): void {
    const lost = this.#connection;
    this.#connection = undefined;
    this.#kept.clear();
    this.#inUse.clear();
    lost?.pending.rejectAll(reason);
  }
}

function receive({ pending, outbox }: Connection, reply: PlaneReply): void {
  if ('read' in reply) {
    outbox.read(reply.id, reply.read);
    return;
  }
  outbox.forget(reply.id);
  const waiting = pending.take(reply.id);
  if (waiting === undefined) return;
  if ('failure' in reply) waiting.reject(new QueryError(reply.failure.kind, reply.failure.message, reply.failure));
  else if ('error' in reply) waiting.reject(new Error(reply.error));
  else waiting.resolve(reply.value);
}

function lossOf(cause: unknown, exitCode: number): QueryError {
  const isMemory = (cause as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const why = isMemory
    ? 'ran out of memory (set features.request: per_vendor_license)'
    : `ended with exit code ${exitCode}`;
  return new QueryError('parse', `the thread that decodes answers ${why}; a new one is started`, {
    code: 'DATA_PLANE_LOST',
    cause,
  });
}

/** Starts the thread that holds the data. @throws nothing: one that does not start fails the polls */
export const createPlaneThread = <Rendering extends PageRendering, Update extends PageUpdate>(
  options: PlaneThreadOptions,
): PlaneThread<Rendering, Update> => new Plane(options);
