import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Cleanup } from '../support/harness.ts';

/** Each case of a benchmark runs in a process of its own, which is controlled by calls over IPC. */

// biome-ignore lint/suspicious/noExplicitAny: arguments and results of each method are typed by its caller
type Methods = Readonly<Record<string, (...args: any[]) => unknown>>;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

interface Result {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** A process of `children`. The type parameter is the type of the methods that it answers. */
export interface Child<M extends Methods> {
  readonly pid: number;
  call<K extends keyof M & string>(method: K, ...args: Parameters<M[K]>): Promise<Awaited<ReturnType<M[K]>>>;
  stop(): Promise<void>;
}

/** Answers the calls of the parent. The process ends with its parent. */
export function answerParent(methods: Methods): void {
  process.on('message', ({ id, method, args }: Call) => {
    Promise.resolve()
      .then(() => methods[method]?.(...args))
      .then(
        (value) => process.send?.({ id, value }),
        (error: Error) => process.send?.({ id, error: error.stack ?? error.message }),
      );
  });
  process.once('disconnect', () => process.exit(0));
}

/**
 * Starts a script of `children`.
 *
 * @param execArgv options of Node
 */
export function startChild<M extends Methods>(
  cleanup: Cleanup,
  script: string,
  execArgv: readonly string[] = [],
): Child<M> {
  // every child would compile the same sources again
  const env = {
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/node-compile'),
    ...process.env,
  };
  const path = join(import.meta.dirname, 'children', script);
  return controlled(cleanup, fork(path, { execArgv: [...execArgv], stdio: 'inherit', env }), script);
}

/** A process that answers calls with `answerParent`. @param name what it is, for errors */
export function controlled<M extends Methods>(cleanup: Cleanup, child: ChildProcess, name: string): Child<M> {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      for (const { reject } of waiting.values()) reject(new Error(`${name} ended with ${code ?? signal}`));
      waiting.clear();
      resolve();
    });
  });
  child.on('message', ({ id, value, error }: Result) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(`${name}: ${error}`));
  });
  let calls = 0;
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  cleanup.add(stop);
  return {
    pid: child.pid ?? 0,
    stop,
    call: (method, ...args) =>
      new Promise((resolve, reject) => {
        calls += 1;
        waiting.set(calls, { resolve: resolve as (value: unknown) => void, reject });
        const call: Call = { id: calls, method, args };
        child.send(call);
      }),
  };
}
