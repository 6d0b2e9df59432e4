import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { SharedBackend } from '../../src/site/grafana/answers/backend.ts';
import { createBackendOf, refusalOfNames, refusalOfPrices, refusalOfReclaim } from '../../src/site/viewers.ts';
import type { Access } from '../../src/site/web/access.ts';
import { createTestLog } from '../support/harness.ts';

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

const proxy = { from: [], userHeader: 'x-user', groupsHeader: 'x-groups' };
const buyers = { names: ['group:buyers'], prices: ['group:buyers'] };

interface Case {
  readonly names?: 'auto' | readonly string[];
  readonly prices?: 'auto' | readonly string[];
  readonly listen?: typeof everywhere;
  readonly demo?: boolean;
  readonly hasUsers?: boolean;
  readonly user?: string;
  /** The groups of a user whom a proxy names. */
  readonly groups?: readonly string[];
  readonly proxy?: Access['proxy'];
}

function shown({
  names = 'auto',
  prices = 'auto',
  listen = loopback,
  demo = false,
  hasUsers = false,
  user,
  groups,
  proxy: viaProxy,
}: Case) {
  const web = { users: hasUsers ? users : new Map(), proxy: viaProxy };
  const site = { access: { names, prices, reclaim: prices }, listen, demo, web };
  const viewer = user === undefined ? undefined : { user, groups: groups ?? [], isProxied: groups !== undefined };
  return {
    names: refusalOfNames(site, viewer) === undefined,
    prices: refusalOfPrices(site, viewer) === undefined,
    reclaim: refusalOfReclaim(site, viewer) === undefined,
  };
}

describe('who may see names, prices, and what could come back', () => {
  // the lists of the last two mean the same
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
    ['a user of a proxy', { proxy, user: 'eve', groups: [] }, true, false],
    ['a request of a proxy without a user', { proxy }, false, false],
    ['a listed user of a proxy', { proxy, user: 'eve', groups: [], names: ['eve'], prices: ['eve'] }, true, true],
    ['a member of a listed group', { proxy, user: 'eve', groups: ['a', 'buyers'], ...buyers }, true, true],
    ['a member of other groups', { proxy, user: 'eve', groups: ['group:buyers', 'Buyers'], ...buyers }, false, false],
    ['a user who is called like the group', { proxy, user: 'buyers', groups: [], ...buyers }, false, false],
    ['a user who is called like the entry', { proxy, user: 'group:buyers', groups: [], ...buyers }, false, false],
    [
      'a group that is called like a user',
      { proxy, user: 'eve', groups: ['ada'], names: ['ada'], prices: ['ada'] },
      false,
      false,
    ],
    ['nobody, with empty lists', { demo: true, names: [], prices: [] }, false, false],
  ])('%s', (_, given, names, prices) => {
    expect(shown(given)).toEqual({ names, prices, reclaim: prices });
  });

  it('is said with the remedy, without the name of the user', () => {
    const site = { access: { names: ['ada'], prices: ['ada'], reclaim: ['ada'] }, listen: loopback, demo: false };
    const bob = { user: 'bob', groups: [], isProxied: false };
    const refusals = [users, new Map<string, string>()].flatMap((known) => [
      refusalOfNames({ ...site, web: { users: known, proxy: undefined } }, bob),
      refusalOfPrices({ ...site, web: { users: known, proxy: undefined } }, bob),
      refusalOfReclaim({ ...site, web: { users: known, proxy: undefined } }, bob),
    ]);
    expect(refusals).toEqual([
      expect.stringMatching(/access\.names does not list the user of this request; add the user there$/),
      expect.stringMatching(/access\.prices does not list the user of this request; add the user there$/),
      expect.stringMatching(/access\.reclaim does not list the user of this request; add the user there$/),
      expect.stringMatching(/access\.names/),
      expect.stringMatching(
        /add users to web\.config_file \(basic_auth_users\), or set web\.trusted_proxy, and list them there$/,
      ),
      expect.stringMatching(/access\.reclaim does not list .*, and list them there$/),
    ]);
    expect(refusals.join()).not.toMatch(/ada|bob/);
  });
});

describe('the line about names and prices that were served', () => {
  it.each([
    [true, 'debug'],
    [false, 'info'],
  ] as const)('in the demo (%s) is of level %s', (demo, level) => {
    const log = createTestLog();
    const access = { names: ['*'], prices: ['*'], reclaim: ['*'] };
    const backendOf = createBackendOf({
      site: () => ({ access, listen: loopback, demo, web: { users: new Map(), proxy: undefined } }),
      datasource: () => ({ users: {} }) as unknown as SharedBackend,
      log,
    });
    const backend = backendOf({ raw: {}, routeOptions: { url: '/feature' } } as unknown as FastifyRequest);
    backend.users.onServed(3);
    backend.prices.onServed(2);
    backend.prices.onServed(0);
    expect(log.entries.map((entry) => [entry.level, entry.fields])).toEqual([
      [level, { page: '/feature', names: 3 }],
      [level, { page: '/feature', prices: 2 }],
    ]);
  });
});
