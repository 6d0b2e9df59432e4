import { createHash } from 'node:crypto';
import { compare } from 'bcryptjs';
import type { Access } from './access.ts';
import { createAdmission } from './admission.ts';
import type { WebLimits } from './limits.ts';

/** The hash of a random password: an unknown name takes as long as a wrong password. */
const NOBODY = '$2b$10$5NmZrsCC9ZrJvRmQ18oxGu8/YEwKME8zIN2HTl9xNvjd6URtTTO76';
/** Wrong passwords that are remembered. */
const MAX_WRONG = 100;
/** Right passwords of one user that are remembered: bcrypt sees 72 bytes, so there can be several. */
const MAX_RIGHT = 4;

export type LogonResult = 'accepted' | 'unauthorized' | 'busy';

/** What is known of a user's password, as long as its hash is in the web config. */
interface Proven {
  readonly hash: string;
  readonly digests: string[];
}

const digestOf = (password: string, hash: string): string =>
  createHash('sha256')
    .update(JSON.stringify([password, hash]))
    .digest('base64');

/**
 * Checks `Authorization: Basic` against the users. A password that was right before is not hashed again, so it never
 * waits; all others are hashed one at a time, in turn by address.
 */
export function createAuthenticator(limits: WebLimits['logons']) {
  const proven = new Map<string, Proven>();
  const wrong = new Set<string>();
  const running = new Map<string, Promise<boolean | undefined>>();
  const queue = createAdmission(limits);
  let seen: Access['users'] | undefined;

  /** Forgets users whose hash has changed or gone. */
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
    // the web config may have changed while the hash was made
    if (seen?.get(name) !== hash) return;
    const { digests } = proven.get(name) ?? { digests: [] };
    proven.set(name, { hash, digests: [digest, ...digests].slice(0, MAX_RIGHT) });
  };

  /** Waits for its turn and compares; undefined where there is no place to wait. */
  const compareInTurn = async (password: string, hash: string, address: string): Promise<boolean | undefined> => {
    const turn = Promise.withResolvers<boolean>();
    const leave = queue.enter(address, Number.POSITIVE_INFINITY, (decision) => turn.resolve(decision === 'admitted'));
    try {
      return (await turn.promise) ? await compare(password, hash) : undefined;
    } finally {
      leave();
    }
  };

  const check = async (name: string, password: string, hash: string, address: string): Promise<boolean | undefined> => {
    const digest = digestOf(password, hash);
    if (proven.get(name)?.digests.includes(digest)) return true;
    if (wrong.has(digest)) return false;
    // panels of one dashboard ask all at once
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

  return async (users: Access['users'], header: string | undefined, address: string): Promise<LogonResult> => {
    if (users.size === 0) return 'accepted';
    prune(users);
    const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header ?? '')?.[1];
    if (encoded === undefined) return 'unauthorized';
    const [, name = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    const isRight = await check(name, password, users.get(name) ?? NOBODY, address);
    if (isRight === undefined) return 'busy';
    return isRight && users.has(name) ? 'accepted' : 'unauthorized';
  };
}
