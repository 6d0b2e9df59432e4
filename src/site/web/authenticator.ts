import { createHash } from 'node:crypto';
import type { Access } from './access.ts';
import { createAdmission } from './admission.ts';
import type { WebLimits } from './limits.ts';
import type { PasswordCheck } from './password-check.ts';

/** The hash of a random password, without its cost. */
const NOBODY = '5NmZrsCC9ZrJvRmQ18oxGu8/YEwKME8zIN2HTl9xNvjd6URtTTO76';
/** Maximum number of remembered wrong passwords. */
const MAX_WRONG = 100;
/** Maximum number of remembered correct passwords of a user. bcrypt uses 72 bytes, so several can be correct. */
const MAX_RIGHT = 4;

/** The result of a logon. */
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
