import type { Worker } from 'node:worker_threads';
import { compareSync, hashSync } from 'bcryptjs';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../src/site/web/guard.ts';
import { webLimits } from '../../../src/site/web/limits.ts';
import { createPasswordCheck, type PasswordCheck } from '../../../src/site/web/password-check.ts';

const NAME = 'prometheus';
const PASSWORD = 'right';
const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
const users = new Map([[NAME, hashSync(PASSWORD, 4)]]);
const tally = (verdicts: readonly string[]) => ({
  unauthorized: verdicts.filter((verdict) => verdict === 'unauthorized').length,
  busy: verdicts.filter((verdict) => verdict === 'busy').length,
});

/** Answers in a later turn of the event loop, as the thread does. */
const atOnce: Pick<PasswordCheck, 'compare'> = {
  compare: async (password, hash) => {
    await new Promise(setImmediate);
    return compareSync(password, hash);
  },
};

function start(check = atOnce) {
  const authenticator = createAuthenticator(webLimits.logons, check);
  const authenticate = async (...logon: Parameters<typeof authenticator>) => (await authenticator(...logon)).result;
  const guess = (i: number, address: string) => authenticate(users, basic(NAME, `guess ${i}`), address);
  return { authenticator, authenticate, guess };
}

describe('the authenticator', () => {
  it('names the user that was accepted, and no other one', async () => {
    const { authenticator } = start();
    expect(await authenticator(users, basic(NAME, PASSWORD), 'a')).toEqual({ result: 'accepted', user: NAME });
    expect(await authenticator(users, basic(NAME, 'wrong'), 'a')).toEqual({ result: 'unauthorized' });
    expect(await authenticator(users, basic('other', PASSWORD), 'a')).toEqual({ result: 'unauthorized' });
    // without users in the web config, a name proves nothing
    expect(await authenticator(new Map(), basic(NAME, PASSWORD), 'a')).toEqual({ result: 'accepted' });
  });

  it('lets one address have 4 guesses in the queue, and all addresses 20', async () => {
    const one = start();
    const guesses = await Promise.all(Array.from({ length: 60 }, (_, i) => one.guess(i, 'a')));
    expect(tally(guesses)).toEqual({ unauthorized: 5, busy: 55 });
    const many = start();
    const spread = await Promise.all(Array.from({ length: 60 }, (_, i) => many.guess(i, `address ${i % 12}`)));
    expect(tally(spread)).toEqual({ unauthorized: 21, busy: 39 });
  });

  it('never lets a proven password wait for guesses', async () => {
    const { authenticate, guess } = start();
    expect(await authenticate(users, basic(NAME, PASSWORD), 'scraper')).toBe('accepted');
    const order: string[] = [];
    const guesses = Array.from({ length: 25 }, (_, i) => guess(i, `address ${i}`).then(() => order.push('guess')));
    await authenticate(users, basic(NAME, PASSWORD), 'address 1').then((verdict) => order.push(verdict));
    await Promise.all(guesses);
    // those without a place in the queue get an answer at once
    expect(order.indexOf('accepted')).toBeLessThanOrEqual(4);
  });

  it('does not forget a proven password however many guesses come, nor through a reload of the same hash', async () => {
    const { authenticate, guess } = start();
    expect(await authenticate(users, basic(NAME, PASSWORD), 'scraper')).toBe('accepted');
    for (let i = 0; i < 300; i += 1) await guess(i, 'a');
    const reloaded = new Map([...users, ['another', hashSync('x', 4)]]);
    const full = Array.from({ length: 30 }, (_, i) => guess(1000 + i, 'scraper'));
    expect(await authenticate(reloaded, basic(NAME, PASSWORD), 'scraper')).toBe('accepted');
    await Promise.all(full);
  });

  it('forgets a proven password with its hash', async () => {
    const { authenticate } = start();
    expect(await authenticate(users, basic(NAME, PASSWORD), 'a')).toBe('accepted');
    const changed = new Map([[NAME, hashSync('other', 4)]]);
    expect(await authenticate(changed, basic(NAME, PASSWORD), 'a')).toBe('unauthorized');
    expect(await authenticate(new Map([['other', hashSync('x', 4)]]), basic(NAME, PASSWORD), 'a')).toBe('unauthorized');
    expect(await authenticate(users, basic(NAME, PASSWORD), 'a')).toBe('accepted');
  });

  it('gives a new address its turn among guesses of another', async () => {
    const { authenticate, guess } = start();
    const order: string[] = [];
    const guesses = Array.from({ length: 5 }, (_, i) => guess(i, 'a').then(() => order.push('guess')));
    const scraper = authenticate(users, basic(NAME, PASSWORD), 'scraper').then((verdict) => order.push(verdict));
    await Promise.all([...guesses, scraper]);
    expect(order.indexOf('accepted')).toBeLessThanOrEqual(2);
  });

  it('hashes a password once for all panels that ask with it at the same time', async () => {
    const { authenticate } = start();
    const panels = Array.from({ length: 50 }, () => authenticate(users, basic(NAME, PASSWORD), 'grafana'));
    expect(new Set(await Promise.all(panels))).toEqual(new Set(['accepted']));
  });

  it('remembers 4 right passwords of a user: bcrypt ends after 72 bytes', async () => {
    const long = 'x'.repeat(72);
    const known = new Map([[NAME, hashSync(long, 4)]]);
    const { authenticate } = start();
    for (let i = 0; i < 6; i += 1) {
      expect(await authenticate(known, basic(NAME, `${long}${i}`), 'a')).toBe('accepted');
    }
    // the queue of this address is full: only what is remembered gets an answer
    const guesses = Array.from({ length: 5 }, (_, i) => authenticate(known, basic(NAME, `guess ${i}`), 'a'));
    const verdicts = await Promise.all(
      Array.from({ length: 6 }, (_, i) => authenticate(known, basic(NAME, `${long}${i}`), 'a')),
    );
    expect(verdicts).toEqual(['busy', 'busy', 'accepted', 'accepted', 'accepted', 'accepted']);
    await Promise.all(guesses);
  });
});

describe('a name that no user has', () => {
  /** Logons by name and password, one after another, and what was hashed for each. */
  async function hashedFor(known: ReadonlyMap<string, string>, logons: readonly (readonly [string, string])[]) {
    const hashed: string[] = [];
    const { authenticate } = start({
      compare: async (password, hash) => {
        hashed.push(hash.slice(0, 7));
        return compareSync(password, hash);
      },
    });
    const counts: (readonly string[])[] = [];
    for (const [name, password] of logons) {
      hashed.length = 0;
      expect(await authenticate(known, basic(name, password), 'a')).toBe('unauthorized');
      counts.push([...hashed]);
    }
    return counts;
  }

  it('is hashed as often and at the same cost as one that a user has, after any question', async () => {
    const known = new Map([[NAME, hashSync(PASSWORD, 5)]]);
    const asked = (name: string): readonly (readonly [string, string])[] => [
      ['other', 'wrong'],
      [name, 'wrong'],
      [name, 'wrong'],
      ['third', 'wrong'],
      [name, 'again'],
    ];
    const ofKnown = await hashedFor(known, asked(NAME));
    expect(ofKnown).toEqual([['$2b$05$'], ['$2b$05$'], [], ['$2b$05$'], ['$2b$05$']]);
    expect(await hashedFor(known, asked('nobody'))).toEqual(ofKnown);
  });
});

describe('the thread that hashes', () => {
  let check: PasswordCheck | undefined;
  afterEach(() => check?.close());

  it('leaves the main thread free', async () => {
    check = createPasswordCheck();
    const hash = hashSync(PASSWORD, 10);
    const order: string[] = [];
    const compared = check.compare(PASSWORD, hash).then((isRight) => order.push(String(isRight)));
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    order.push('20 turns');
    await compared;
    expect(order).toEqual(['20 turns', 'true']);
    expect(await check.compare('wrong', hash)).toBe(false);
  });

  it('that is lost opens no door, and is replaced', async () => {
    const started = Promise.withResolvers<Worker>();
    process.once('worker', started.resolve);
    check = createPasswordCheck();
    const own = check;
    const { authenticate } = start(own);
    const known = new Map([[NAME, hashSync(PASSWORD, 11)]]);
    const waiting = authenticate(known, basic(NAME, PASSWORD), 'a');
    await (await started.promise).terminate();
    expect(await waiting).toBe('busy');
    expect(await authenticate(known, basic(NAME, 'wrong'), 'a')).toBe('unauthorized');
    expect(await authenticate(known, basic(NAME, PASSWORD), 'a')).toBe('accepted');
  });

  it('that was ended does not start again, although others wait', async () => {
    check = createPasswordCheck();
    const own = check;
    const { authenticate } = start(own);
    const known = new Map([[NAME, hashSync(PASSWORD, 11)]]);
    const waiting = ['a', 'b', 'c', 'd'].map((address) =>
      authenticate(known, basic(NAME, `wrong ${address}`), address),
    );
    await new Promise(setImmediate);
    let starts = 0;
    process.on('worker', () => {
      starts += 1;
    });
    await own.close();
    expect(await Promise.all(waiting)).toEqual(['busy', 'busy', 'busy', 'busy']);
    expect(starts).toBe(0);
    process.removeAllListeners('worker');
  });
});
