import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Access } from './access.ts';
import { createAdmission, type Decision } from './admission.ts';
import { createConnections } from './connections.ts';
import { createWebCounts, type WebLimits } from './limits.ts';
import { createPasswordCheck, type PasswordCheck } from './password-check.ts';
import { createProxyReader } from './trusted-proxy.ts';

/** The hash of a random password, without its cost. */
const NOBODY = '5NmZrsCC9ZrJvRmQ18oxGu8/YEwKME8zIN2HTl9xNvjd6URtTTO76';
/** Maximum number of remembered wrong passwords. */
const MAX_WRONG = 100;
/** Maximum number of remembered correct passwords of a user. bcrypt uses 72 bytes, so several can be correct. */
const MAX_RIGHT = 4;

export interface Logon {
  readonly result: 'accepted' | 'unauthorized' | 'busy';
  /** The name of an accepted user; `undefined` if no authentication is required. */
  readonly user?: string;
}

/** Known passwords of a user. They are kept while the hash is in the web config. */
interface Proven {
  readonly hash: string;
  readonly digests: string[];
}

const digestOf = (...texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('base64');

/**
 * The hash with which an unknown user takes as long as a known one: of the cost that one of the known users has, always the same
 * one for a name.
 */
function hashOfNobody(name: string, users: Access['users']): string {
  const hashes = [...users.values()];
  const chosen = Number.parseInt(createHash('sha256').update(name).digest('hex').slice(0, 8), 16) % hashes.length;
  const [, cost = '10'] = /^\$2[a-z]?\$(\d\d)\$/.exec(hashes[chosen] ?? '') ?? [];
  return `$2b$${cost}$${NOBODY}`;
}

/**
 * Checks `Authorization: Basic`. A password that was correct before is not hashed again, so it never waits. All others are
 * hashed one at a time, and addresses take turns. What is remembered of a name, known or not, says nothing about another one.
 */
export function createAuthenticator(limits: WebLimits['logons'], { compare }: Pick<PasswordCheck, 'compare'>) {
  const proven = new Map<string, Proven>();
  const wrong = new Set<string>();
  const running = new Map<string, Promise<boolean | undefined>>();
  const queue = createAdmission(limits);
  let seen: Access['users'] | undefined;

  /** Forgets users whose hash has changed or was removed. */
  const prune = (users: Access['users']): void => {
    if (users === seen) return;
    seen = users;
    for (const [name, { hash }] of proven) if (users.get(name) !== hash) proven.delete(name);
  };

  const keep = (isRight: boolean, name: string, hash: string, digest: string): void => {
    if (!isRight) {
      const [oldest] = wrong;
      if (wrong.size >= MAX_WRONG && oldest !== undefined) wrong.delete(oldest);
      wrong.add(digest);
      return;
    }
    // the web config may have changed while the hash was computed
    if (seen?.get(name) !== hash) return;
    const { digests } = proven.get(name) ?? { digests: [] };
    proven.set(name, { hash, digests: [digest, ...digests].slice(0, MAX_RIGHT) });
  };

  /** Waits for its turn and compares; `undefined` if the queue is full, or if that cannot be found out now. */
  const compareInTurn = async (password: string, hash: string, address: string): Promise<boolean | undefined> => {
    const turn = Promise.withResolvers<boolean>();
    const leave = queue.enter(address, Number.POSITIVE_INFINITY, (decision) => turn.resolve(decision === 'admitted'));
    try {
      return (await turn.promise) ? await compare(password, hash) : undefined;
    } catch {
      // the thread is lost: the next logon starts another one
      return undefined;
    } finally {
      leave();
    }
  };

  const check = async (name: string, password: string, hash: string, address: string): Promise<boolean | undefined> => {
    const digest = digestOf(name, password, hash);
    if (proven.get(name)?.digests.includes(digest)) return true;
    if (wrong.has(digest)) return false;
    // the panels of a dashboard send their requests together
    const key = JSON.stringify([address, digest]);
    const known = running.get(key);
    if (known !== undefined) return known;
    const checked = compareInTurn(password, hash, address);
    running.set(key, checked);
    try {
      const isRight = await checked;
      if (isRight !== undefined) keep(isRight, name, hash, digest);
      return isRight;
    } finally {
      running.delete(key);
    }
  };

  return async (users: Access['users'], header: string | undefined, address: string): Promise<Logon> => {
    if (users.size === 0) return { result: 'accepted' };
    prune(users);
    const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header ?? '')?.[1];
    if (encoded === undefined) return { result: 'unauthorized' };
    const [, name = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    const isRight = await check(name, password, users.get(name) ?? hashOfNobody(name, users), address);
    if (isRight === undefined) return { result: 'busy' };
    return isRight && users.has(name) ? { result: 'accepted', user: name } : { result: 'unauthorized' };
  };
}

/** How often time limits are checked while anything is answered, milliseconds. */
const SWEEP_MS = 1_000;

/** What `createGuard` returns: checks users before a request is admitted. */
export type Guard = ReturnType<typeof createGuard>;

/** Limits and authentication. All listeners share one guard, because the limits apply to the process. */
export function createGuard(limits: WebLimits) {
  const counts = createWebCounts();
  const now = (): number => performance.now();
  const onCut = (reason: keyof typeof counts.cut): void => {
    counts.cut[reason] += 1;
  };
  let sweeping: NodeJS.Timeout | undefined;
  const beginSweeps = (): void => {
    sweeping ??= setInterval(sweep, Math.min(SWEEP_MS, limits.stalledMs / 4)).unref();
  };
  const endSweeps = (): void => {
    clearInterval(sweeping);
    sweeping = undefined;
  };
  const connections = createConnections(limits, onCut, now, beginSweeps);
  const admissions = { scrapes: createAdmission(limits.scrapes), requests: createAdmission(limits.requests) };
  /**
   * Waits until a request is admitted. Its place is free again when the response is closed. Scrapes and other requests have separate
   * queues.
   *
   * @param waitMs maximum time to wait, milliseconds
   */
  const enter = async (
    kind: keyof typeof admissions,
    address: string,
    waitMs: number,
    response: Pick<ServerResponse, 'closed' | 'once'>,
  ): Promise<'admitted' | 'refused' | 'gone'> => {
    // the client closed the connection during authentication
    if (response.closed) return 'gone';
    const decided = Promise.withResolvers<Decision | 'gone'>();
    const leave = admissions[kind].enter(address, now() + waitMs, decided.resolve);
    response.once('close', () => {
      leave();
      decided.resolve('gone');
    });
    const decision = await decided.promise;
    if (decision === 'admitted' || decision === 'gone') return decision;
    counts.refused[decision === 'late' ? 'deadline' : kind === 'scrapes' ? 'scrapes' : 'queue_full'] += 1;
    return 'refused';
  };
  const passwords = createPasswordCheck();
  // what waits to be admitted is an answer too
  const sweep = (): void => {
    for (const admission of Object.values(admissions)) admission.expire(now());
    if (!connections.sweep(now())) endSweeps();
  };
  return {
    limits,
    counts,
    connections,
    enter,
    authenticate: createAuthenticator(limits.logons, passwords),
    viewerOf: createProxyReader(),
    stop: async (): Promise<void> => {
      endSweeps();
      await passwords.close();
    },
  };
}
