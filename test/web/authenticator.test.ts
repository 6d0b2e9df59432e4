import { hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../src/web/authenticator.ts';
import { webLimits } from '../../src/web/limits.ts';

const NAME = 'prometheus';
const PASSWORD = 'right';
const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
const users = new Map([[NAME, hashSync(PASSWORD, 4)]]);
const tally = (verdicts: readonly string[]) => ({
  unauthorized: verdicts.filter((verdict) => verdict === 'unauthorized').length,
  busy: verdicts.filter((verdict) => verdict === 'busy').length,
});

function start() {
  const authenticator = createAuthenticator(webLimits.logons);
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
