import { describe, expect, it } from 'vitest';
import type { UserRecord } from '../../../src/base/model/records.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import type { Backend } from '../../../src/site/grafana/answers/backend.ts';
import type { Combinations } from '../../../src/site/grafana/answers/combinations.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';
import { notCurrent, unknownIdle, usersTable } from '../../../src/site/grafana/answers/user-names.ts';
import { answerRows } from '../../../src/site/grafana/protocols/rows.ts';

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
  server: '',
  until: undefined,
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

  it('are those of the last collection where data is not current, which is said', () => {
    const vendorLicenses = [
      { vendorLicense: 'P;d', isWithheld: true },
      { vendorLicense: 'other;d', isWithheld: true },
    ];
    const inventory = { vendorLicenses } as unknown as Inventory;
    const said = (records: readonly UserRecord[], known?: Inventory) =>
      notCurrent([{ combination, answer: { records } }], known).map((notice) => notice.text);
    expect(said([user('alice')], inventory)).toEqual(['holders of P;d are those of the last collection']);
    expect(said([], inventory)).toEqual([]);
    expect(said([user('alice')])).toEqual([]);
    const current = { vendorLicenses: [{ vendorLicense: 'p;d', isWithheld: false }] } as unknown as Inventory;
    expect(said([user('alice')], current)).toEqual([]);
  });

  it('say for how long the application of a checkout has been idle, to those who ask', () => {
    const asked = readQuery({
      ...{ target: 'users', payload: { ...combination, with: ['Idle for'] }, range: always, filters: [], prefix: '' },
      isForRows: true,
    });
    const records = [
      user('active', { appStatus: 1, appDuration: 60 }),
      user('inactive', { appStatus: 0, appDuration: 90 }),
      user('suspended', { appStatus: '2', appDuration: 30 }),
      user('since when is not known', { appStatus: 3 }),
      user('not known', { appDuration: 60 }),
      user('of another kind', { appStatus: 9, appDuration: 60 }),
      user('waits', { usedLicenses: 0, queuedLicenses: 1 }),
    ];
    const answers = [{ combination, answer: { records } }];
    const named = { ...open, pseudonymKey: undefined };
    const { columns, rows } = usersTable(asked, one, answers, named);
    expect(columns.at(-1)).toEqual({ text: 'Idle for', type: 'number', unit: 's' });
    expect(Array.from(rows, (row) => [row[0], row.at(-1)])).toEqual([
      ['active', null],
      ['inactive', 90],
      ['suspended', 30],
      ['since when is not known', null],
      ['not known', null],
      ['of another kind', null],
      ['waits', null],
    ]);
    expect(unknownIdle(asked, answers, named)).toBe('the application of 3 checkouts');
    const active = [{ combination, answer: { records: [user('a', { appStatus: 1 })] } }];
    expect(unknownIdle(asked, active, named)).toBeUndefined();
    // of one pseudonym, which the analyzer does not know, only what is asked for
    const ofOther = { ...asked, values: { ...asked.values, user: 'no such pseudonym' } };
    expect(unknownIdle(ofOther, answers, { ...open, pseudonymKey: 'key' })).toBeUndefined();
  });
});

describe('the list of idle checkouts', () => {
  const signal = new AbortController().signal;
  const listOf = async (records: readonly UserRecord[]) => {
    const backend = {
      inventory: () => undefined,
      isAnalyzerHere: true,
      upstream: { ask: async () => ({ records }) },
      users: { ...open, pseudonymKey: undefined },
    } as unknown as Backend;
    const columns = ['note', 'user', 'idle_for'];
    const { rows } = await answerRows('users', { ...combination, with: 'Idle for', columns }, backend, signal);
    return [...rows];
  };

  it('has those that are idle', async () => {
    const idle = user('b', { appStatus: 0, appDuration: 90 });
    expect(await listOf([user('a', { appStatus: 1 }), idle])).toEqual([{ note: null, user: 'b', idle_for: 90 }]);
  });

  it('says of an empty list whether more could be idle', async () => {
    const active = user('a', { appStatus: 1 });
    expect(await listOf([active])).toEqual([{ note: 'Nothing', user: null, idle_for: null }]);
    const note = 'None is known, but there is no data about the application of 1 checkout';
    expect(await listOf([active, user('b')])).toEqual([{ note, user: null, idle_for: null }]);
  });
});
