import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Compares passwords with bcrypt hashes in another thread. */

/** A comparison that the thread is asked for. */
export interface PasswordQuestion {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}

/** The answer of the thread to one question. */
export interface PasswordVerdict {
  readonly id: number;
  readonly isRight: boolean;
}

/** Compares passwords in a thread of its own: bcrypt takes 50 ms. */
export interface PasswordCheck {
  /** Whether it is the password of the hash. Rejects if the thread is lost, and after `close`: then nothing is known. */
  compare(password: string, hash: string): Promise<boolean>;
  /** Ends the thread. It does not start again. */
  close(): Promise<void>;
}

type Turn = PromiseWithResolvers<boolean>;

/** Starts the thread with the first comparison. It does not keep the process alive. */
export function createPasswordCheck(): PasswordCheck {
  const waiting = new Map<number, Turn>();
  let worker: Worker | undefined;
  let asked = 0;
  let isClosed = false;

  const lose = (lost: Worker, error: Error): void => {
    if (worker !== lost) return;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const start = (): Worker => {
    // .ts when run from source, .js when run from a build
    const started = new Worker(new URL(`./password-worker${extname(import.meta.url)}`, import.meta.url));
    started.unref();
    started.on('message', ({ id, isRight }: PasswordVerdict) => {
      waiting.get(id)?.resolve(isRight);
      waiting.delete(id);
    });
    started.on('error', (error) => lose(started, error as Error));
    started.on('exit', () => lose(started, new Error('the thread that hashes passwords has ended')));
    return started;
  };

  return {
    compare: (password, hash) => {
      if (isClosed) return Promise.reject(new Error('passwords are not compared any more'));
      worker ??= start();
      asked += 1;
      const turn = Promise.withResolvers<boolean>();
      waiting.set(asked, turn);
      worker.postMessage({ id: asked, password, hash } satisfies PasswordQuestion);
      return turn.promise;
    },
    close: async () => {
      isClosed = true;
      await worker?.terminate();
    },
  };
}
