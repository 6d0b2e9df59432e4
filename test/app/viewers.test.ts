import { describe, expect, it } from 'vitest';
import { refusalOfNames, refusalOfPrices } from '../../src/app/viewers.ts';

const loopback = [
  { host: '127.0.0.1', port: 1 },
  { host: 'localhost', port: 2 },
  { host: '::1', port: 3 },
];
const everywhere = [...loopback, { host: undefined, port: 4 }];
const users = new Map([
  ['ada', 'hash'],
  ['bob', 'hash'],
]);

interface Case {
  readonly names?: 'auto' | readonly string[];
  readonly prices?: 'auto' | readonly string[];
  readonly listen?: typeof everywhere;
  readonly demo?: boolean;
  readonly hasUsers?: boolean;
  readonly user?: string;
}

function shown({ names = 'auto', prices = 'auto', listen = loopback, demo = false, hasUsers = false, user }: Case) {
  const site = { access: { names, prices }, listen, demo, users: hasUsers ? users : new Map() };
  return {
    names: refusalOfNames(site, user) === undefined,
    prices: refusalOfPrices(site, user) === undefined,
  };
}

describe('who may see names and prices', () => {
  it.each<[what: string, given: Case, names: boolean, prices: boolean]>([
    ['a client on loopback', {}, false, false],
    ['a client of the demo on loopback', { demo: true }, true, true],
    ['a client of the demo on every address', { demo: true, listen: everywhere }, false, false],
    ['a user', { hasUsers: true, user: 'ada' }, true, false],
    ['a listed user', { hasUsers: true, user: 'ada', names: ['ada'], prices: ['ada'] }, true, true],
    ['a user who is not listed', { hasUsers: true, user: 'bob', names: ['ada'], prices: ['ada'] }, false, false],
    ['a user in other letter case', { hasUsers: true, user: 'Ada', names: ['ada'], prices: ['ada'] }, false, false],
    ['a client without authentication, with a list', { names: ['ada'], prices: ['ada'] }, false, false],
    ['a client of the demo, with a list', { demo: true, names: ['ada'], prices: ['ada'] }, false, false],
    ['any client, if all are listed', { listen: everywhere, names: ['*'], prices: ['*'] }, true, true],
    ['nobody, with empty lists', { demo: true, names: [], prices: [] }, false, false],
  ])('%s', (_, given, names, prices) => {
    expect(shown(given)).toEqual({ names, prices });
  });

  it('is said with the remedy, without the name of the user', () => {
    const site = { access: { names: ['ada'], prices: ['ada'] }, listen: loopback, demo: false };
    const refusals = [users, new Map<string, string>()].flatMap((known) => [
      refusalOfNames({ ...site, users: known }, 'bob'),
      refusalOfPrices({ ...site, users: known }, 'bob'),
    ]);
    expect(refusals).toEqual([
      expect.stringMatching(/access\.names does not list the user of this request; add the user there$/),
      expect.stringMatching(/access\.prices does not list the user of this request; add the user there$/),
      expect.stringMatching(/access\.names/),
      expect.stringMatching(/add users to web\.config_file \(basic_auth_users\), and list them there$/),
    ]);
    expect(refusals.join()).not.toMatch(/ada|bob/);
  });
});
