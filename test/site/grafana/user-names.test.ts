import { describe, expect, it } from 'vitest';
import type { UserRecord } from '../../../src/base/model/records.ts';
import type { Combinations } from '../../../src/site/grafana/answers/combinations.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';
import { usersTable } from '../../../src/site/grafana/answers/user-names.ts';

const combination = { product: 'p;d', feature: 'f' };
const one: Combinations = {
  asked: [combination],
  total: 1,
  notices: [],
  areSeveralProducts: false,
  areSeveralFeatures: false,
};
const always = { from: undefined, to: undefined };
const query = readQuery({ target: 'users', payload: combination, range: always, filters: [], prefix: '' });

const user = (userName: string, more: Partial<UserRecord> = {}): UserRecord => ({
  userName,
  userHost: 'ws1',
  userDisplay: '',
  usageTime: 1_700_000_000,
  licenseHandle: '1',
  shareHandle: 'undef',
  usedLicenses: 1,
  queuedLicenses: 0,
  borrowedLicenses: undefined,
  licenseModelStatus: 'active',
  appStatus: undefined,
  appDuration: undefined,
  licenseModel: '',
  displayName: undefined,
  mapped: undefined,
  ...more,
});

const open = { refusal: () => undefined, onServed: () => undefined };
const rowsOf = (records: readonly UserRecord[], pseudonymKey?: string) => [
  ...usersTable(query, one, [{ combination, answer: { records } }], { ...open, pseudonymKey }).rows,
];

describe('users', () => {
  it('are shown with epoch milliseconds, and null for what is not known', () => {
    const unknown = ['', '1', null, null];
    expect(rowsOf([user('alice')])).toEqual([
      ['alice', 'ws1', '', 1_700_000_000_000, 1, 0, null, 'active', null, null, null, ...unknown],
    ]);
  });

  it('have all fifteen fields, with the status as a word; names of every kind become pseudonyms', () => {
    const full = user('alice', {
      userDisplay: ':0',
      appStatus: 2,
      appDuration: 90,
      licenseModel: 'concurrent',
      displayName: 'Alice A.',
      shareHandle: '77',
      mapped: 'cad',
    });
    const [shown = []] = rowsOf([full]);
    expect(shown.slice(8)).toEqual(['suspended', 90, 'Alice A.', 'concurrent', '1', '77', 'cad']);
    expect(shown).toHaveLength(15);
    const hidden = rowsOf([full], 'key')[0] ?? [];
    expect([0, 1, 2, 10].map((i) => hidden[i])).toEqual(
      [0, 1, 2, 10].map(() => expect.stringMatching(/^[0-9a-f]{12}$/)),
    );
    const status = (appStatus: string | number) => rowsOf([user('a', { appStatus })])[0]?.[8];
    expect([status(0), status('4'), status(9), status('idle'), status('')]).toEqual([
      'inactive',
      'blocked',
      '9',
      'idle',
      null,
    ]);
  });

  it('have the same pseudonym in any case, another one with another key, and none without a name', () => {
    const names = (key: string) =>
      rowsOf([user('Alice'), user('ALICE'), user('bob'), user('')], key).map(([name]) => name);
    const [first, second, third, fourth] = names('key');
    expect(first).toMatch(/^[0-9a-f]{12}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(fourth).toBe('');
    expect(names('another')[0]).not.toBe(first);
  });

  it('contain the feature, where there are several', () => {
    const several = { ...one, areSeveralFeatures: true };
    const policy = { ...open, pseudonymKey: undefined };
    const { columns, rows } = usersTable(
      query,
      several,
      [{ combination, answer: { records: [user('alice')] } }],
      policy,
    );
    expect(columns.slice(0, 3).map(({ text }) => text)).toEqual(['Product', 'Feature', 'User']);
    expect([...rows][0]?.slice(0, 3)).toEqual(['p;d', 'f', 'alice']);
    const named = readQuery({
      target: 'users',
      payload: { ...combination, columns: ['Feature', 'User'] },
      range: always,
      filters: [],
      prefix: '',
    });
    const answered = [{ combination, answer: { records: [user('alice')] } }];
    expect(usersTable(named, one, answered, policy).columns[1]?.text).toBe('Feature');
    expect(usersTable(query, one, answered, policy).columns[0]?.text).toBe('User');
  });
});
