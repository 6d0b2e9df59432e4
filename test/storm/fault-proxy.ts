import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { random as hash } from '../../src/analyzer/simulated/simulated-random.ts';
import { parseChallenges } from '../../src/base/ntlm/challenges.ts';
import { ntHash } from '../../src/base/ntlm/primitives.ts';
import { claimedUser, type ServerContext, verify } from '../../src/base/ntlm/verify.ts';
import type { Cleanup } from '../support/harness.ts';
import { writeAnswer } from './answer-writer.ts';
import type { Fault, PlannedFault, Scope } from './fault.ts';
import { createLogonLedger, type Logon, type LogonLedger } from './logon-ledger.ts';
import { createMessageReader, headerOf, type Message } from './message-reader.ts';

/**
 * A proxy that keeps one connection to the server for each connection of a client, as NTLM requires, and injects the
 * faults of a plan. The same seed injects the same faults into the same exchanges.
 */
export interface FaultProxy {
  /** Base URL of the Query API. */
  readonly url: string;
  readonly ledger: LogonLedger;
  /** The newest answer of the server to each request, before any fault, by its path from the endpoint on. */
  readonly answers: ReadonlyMap<string, Buffer>;
  /** Injects a fault from now on, until the returned function is called. */
  begin(fault: Fault, scope?: Scope): () => void;
  /** Runs a plan from now on. Resolves when its last fault is over; no fault ends before `seen`. */
  run(plan: readonly PlannedFault[], seen?: Promise<unknown>): Promise<void>;
  /** Resets every connection that is open now. */
  resetAll(): void;
  resetOne(): void;
  /** Number of open connections of clients. */
  readonly connections: number;
  /** Number of connections between NEGOTIATE and the verdict. */
  readonly openLogons: number;
}

interface Active {
  readonly fault: Fault;
  readonly scope: Scope;
  /** Resolves when the fault is over. */
  readonly over: Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The NTLM message of a request, or of an answer. */
function messageOf(head: Buffer, header = 'authorization'): Buffer {
  return Buffer.from(parseChallenges(headerOf(head, header))[0]?.token ?? '', 'base64');
}

/** Which password an AUTHENTICATE message proves. */
const provenBy = (passwords: readonly string[], message: Buffer, context: ServerContext): string | undefined =>
  passwords.findLast((password) => verify(message, context, { lookup: () => ntHash(password), now: 0 }).ok);

const typeOf = (message: Buffer): number => message[8] ?? 0;

function isIn(scope: Scope, head: Buffer, type: number): boolean {
  if (scope === 'all') return true;
  if (scope === 'verdicts') return type === 3;
  if (type === 1) return false;
  return scope === 'past_challenge' || head.toString('latin1').split('\r\n')[0]?.includes(`/${scope}`) === true;
}

const endpointPath = (head: Buffer): string => /\/api\/(\S+) HTTP/.exec(head.toString('latin1'))?.[1] ?? '';

/** A connection of a client, and its one connection to the server. */
interface Pair {
  readonly client: Socket;
  /** The logon whose answer the client did not receive yet. */
  unanswered?: Logon | undefined;
  /** What an AUTHENTICATE message of the client answers. */
  context: ServerContext;
  ask(request: Message): Promise<Message>;
}

function createPair(client: Socket, target: URL): Pair {
  const server = connect(Number(target.port), target.hostname);
  let waiting: ((answer: Message) => void)[] = [];
  server.on(
    'data',
    createMessageReader((answer) => waiting.shift()?.(answer)),
  );
  // when one side closes, the other is closed too: a new connection would be another logon context
  server.on('close', () => client.destroy());
  server.on('error', () => client.destroy());
  client.on('close', () => {
    server.destroy();
    waiting = [];
  });
  return {
    client,
    context: { negotiate: Buffer.alloc(0), challenge: Buffer.alloc(0), createdAt: 0 },
    ask: ({ head, body }) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        server.write(Buffer.concat([head, body]));
      }),
  };
}

/** Starts the proxy in front of the base URL of an analyzer. It ends with the test. */
export async function startFaultProxy(cleanup: Cleanup, behind: string, seed: number): Promise<FaultProxy> {
  const target = new URL(behind);
  const ledger = createLogonLedger();
  const clients = new Set<Socket>();
  const loggingOn = new Set<Socket>();
  const active = new Set<Active>();
  const answers = new Map<string, Buffer>();
  let draws = 0;
  const random = (): number => {
    draws += 1;
    return hash(seed, draws);
  };

  const serve = async (pair: Pair, request: Message): Promise<void> => {
    const message = messageOf(request.head);
    const type = typeOf(message);
    if (type === 1) loggingOn.add(pair.client);
    const logon =
      type === 3 ? ledger.add(claimedUser(message), provenBy(ledger.passwords, message, pair.context)) : undefined;
    if (logon !== undefined) pair.unanswered = logon;
    const met = [...active].find(({ scope }) => isIn(scope, request.head, type));
    const fault = met?.fault;
    if (fault?.kind === 'reset') {
      pair.client.resetAndDestroy();
      return;
    }
    if (fault?.kind === 'stall' && fault.forwards !== true) {
      if (fault.late !== true) return;
      await met?.over;
    }
    const answer = await pair.ask(request);
    if (answer.head.includes(' 200 ')) answers.set(endpointPath(request.head), answer.body);
    if (type === 1)
      pair.context = { negotiate: message, challenge: messageOf(answer.head, 'www-authenticate'), createdAt: 0 };
    if (logon !== undefined) logon.verdict = answer.head.includes(' 401 ') ? 'rejected' : 'good';
    if (fault?.kind === 'stall' && fault.forwards === true) {
      if (fault.late !== true) return;
      await met?.over;
    }
    await writeAnswer(pair.client, answer, fault, {
      random,
      onStatusSent: (status) => {
        const open = logon ?? pair.unanswered;
        if (open === undefined) return;
        // a request without a logon, behind one whose answer is lost, says by its own that it was accepted
        if (logon === undefined && (type !== 0 || status === 401)) return;
        ledger.answer(open, status);
        pair.unanswered = undefined;
        loggingOn.delete(pair.client);
      },
    });
  };

  const server = createServer((client) => {
    clients.add(client);
    client
      .on('error', () => undefined)
      .on('close', () => {
        clients.delete(client);
        loggingOn.delete(client);
      });
    const pair = createPair(client, target);
    let turn = Promise.resolve();
    client.on(
      'data',
      createMessageReader((request) => {
        turn = turn.then(() => serve(pair, request));
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const resetAll = (): void => {
    for (const client of clients) client.resetAndDestroy();
  };
  cleanup.add(async () => {
    resetAll();
    await new Promise((resolve) => server.close(resolve));
  });

  const begin = (fault: Fault, scope: Scope = 'all'): (() => void) => {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const entry: Active = { fault, scope, over };
    active.add(entry);
    if (fault.kind === 'reset') resetAll();
    return () => {
      active.delete(entry);
      resolve();
    };
  };

  const happen = async ({ atMs, forMs, fault, scope }: PlannedFault, seen?: Promise<unknown>): Promise<void> => {
    if (atMs > 0) await pause(atMs);
    const end = begin(fault, scope);
    await Promise.all([pause(forMs), seen]);
    end();
  };

  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${target.pathname}`,
    ledger,
    answers,
    begin,
    resetAll,
    resetOne: () => [...clients][0]?.resetAndDestroy(),
    get connections() {
      return clients.size;
    },
    get openLogons() {
      return loggingOn.size;
    },
    run: async (plan, seen) => {
      await Promise.all(plan.map((planned) => happen(planned, seen)));
    },
  };
}
