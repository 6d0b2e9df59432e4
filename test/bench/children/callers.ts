import { type Dispatcher, Pool, request } from 'undici';
import { createClient } from '../../support/harness.ts';
import { answerParent } from '../child.ts';
import type { CpuTime } from './daemon.ts';

/** Clients of the Query API that only send requests and receive the answers: ours, and undici without a logon. */

export interface Calls {
  readonly urls: readonly string[];
  /** Calls at once. */
  readonly concurrency: number;
}

export interface CallTime {
  /** Milliseconds for all calls. */
  readonly ms: number;
  readonly cpu: CpuTime;
}

const cpuTime = ({ user, system }: NodeJS.CpuUsage): number => user + system;

async function measure({ urls, concurrency }: Calls, send: (url: string) => Promise<number>): Promise<CallTime> {
  const waiting = urls.values();
  const work = async (): Promise<void> => {
    for (const url of waiting) {
      const status = await send(url);
      if (status !== 200) throw new Error(`a request was answered with ${status}`);
    }
  };
  const all = process.cpuUsage();
  const main = process.threadCpuUsage();
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  return {
    ms: performance.now() - started,
    cpu: { all: cpuTime(process.cpuUsage(all)), main: cpuTime(process.threadCpuUsage(main)) },
  };
}

const through =
  (dispatcher: Dispatcher) =>
  async (url: string): Promise<number> => {
    const { statusCode, body } = await request(url, { dispatcher });
    await body.dump({ limit: 2 ** 30 });
    return statusCode;
  };

const dispatchers = new Map<string, Dispatcher>();

/** The dispatcher of earlier calls, with its connections. */
function kept(name: string, create: () => Dispatcher): Dispatcher {
  const dispatcher = dispatchers.get(name) ?? create();
  dispatchers.set(name, dispatcher);
  return dispatcher;
}

const originOf = ({ urls: [first = ''] }: Calls): string => new URL(first).origin;

const methods = {
  ours: (calls: Calls): Promise<CallTime> =>
    measure(calls, through(kept('ours', () => createClient(originOf(calls)).dispatcher))),
  /** To a server without a logon. */
  undici: (calls: Calls): Promise<CallTime> => {
    const create = () => new Pool(originOf(calls), { connections: calls.concurrency, pipelining: 1 });
    return measure(calls, through(kept('undici', create)));
  },
};

export type CallersMethods = typeof methods;

answerParent(methods);
