import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { ReadInput } from '../manager.ts';
import type { Manager } from '../managers.ts';
import type { Parsed } from '../parsed.ts';

/** A text that another thread is asked to read. */
export interface ReadQuestion {
  readonly id: number;
  readonly manager: Manager;
  readonly input: ReadInput;
}

/** What an output says, with the pools of each vendor license in bytes. */
export interface ReadElsewhere {
  readonly parsed: Parsed;
  /** By vendor license, in parts that are quick to take over. */
  readonly pools: readonly (readonly Uint8Array[])[];
}

/** Why an output could not be read, between threads. */
export type ReadFailure = Pick<SourceFailure, 'kind' | 'message' | 'members'>;

/** What the other thread read, or why it could not. */
export interface ReadAnswer {
  readonly id: number;
  readonly answer: ReadElsewhere | { readonly failure: ReadFailure };
}

/** The thread that reads large outputs, one after the other. */
export interface ReadingThread {
  /** Rejects if the thread is lost. */
  read(manager: Manager, input: ReadInput): Promise<ReadAnswer['answer']>;
  close(): Promise<void>;
}

/** Milliseconds without work after which the thread ends. A source that is read each minute keeps it: a new one costs 0.2 s. */
const IDLE_MS = 120_000;

/** Starts the thread with the first output that needs it. An idle one does not keep the process alive. */
export function createReadingThread(): ReadingThread {
  const waiting = new Map<number, PromiseWithResolvers<ReadAnswer['answer']>>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let asked = 0;

  const lose = (lost: Worker, error: Error): void => {
    if (worker !== lost) return;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const close = async (): Promise<void> => {
    clearTimeout(idle);
    await worker?.terminate();
  };

  const start = (): Worker => {
    // .ts when run from source, .js when run from a build
    const started = new Worker(new URL(`./reading-worker${extname(import.meta.url)}`, import.meta.url));
    started.on('message', ({ id, answer }: ReadAnswer) => {
      waiting.get(id)?.resolve(answer);
      waiting.delete(id);
      if (waiting.size > 0) return;
      started.unref();
      idle = setTimeout(() => void close(), IDLE_MS).unref();
    });
    started.on('error', (error) => lose(started, error as Error));
    started.on('exit', () => lose(started, new Error('the thread that reads outputs has ended')));
    return started;
  };

  return {
    read: (manager, input) => {
      clearTimeout(idle);
      worker ??= start();
      worker.ref();
      asked += 1;
      const turn = Promise.withResolvers<ReadAnswer['answer']>();
      waiting.set(asked, turn);
      worker.postMessage({ id: asked, manager, input } satisfies ReadQuestion);
      return turn.promise;
    },
    close,
  };
}
