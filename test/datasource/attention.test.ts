import { describe, expect, it } from 'vitest';
import { answerAttention } from '../../src/datasource/attention.ts';
import { flatRows, type Table } from '../../src/datasource/panel-data.ts';
import { readQuery } from '../../src/datasource/read-query.ts';
import type { AttentionRow } from '../../src/model/attention.ts';

const row = (alert: string, more: Partial<AttentionRow> = {}): AttentionRow => ({
  alert,
  what: `${alert} in words`,
  rank: 1,
  alertsAt: undefined,
  severity: 'warning',
  vendorLicense: 'lic01;cdslmd',
  feature: undefined,
  details: `${alert}.`,
  since: 1000,
  owner: undefined,
  ...more,
});

const answer = (rows: readonly AttentionRow[], payload: object = {}, withoutData = 0) => {
  const range = { from: undefined, to: undefined };
  const query = readQuery({ target: 'attention', payload: { ...payload }, range, filters: [], prefix: '' });
  return answerAttention(query, { rows, withoutData });
};

const rowsOf = (rows: readonly AttentionRow[], payload: object = {}) =>
  [...flatRows(answer(rows, payload).items as readonly Table[])].map((flat) => flat as Record<string, unknown>);

describe('the list of what needs attention', () => {
  it('is in the order of ranks, then of severity, the oldest first', () => {
    const rows = [
      row('later', { rank: 7, due: 9000 }),
      row('young', { rank: 2, since: 3000 }),
      row('old', { rank: 2, since: 2000 }),
      row('severe', { rank: 2, since: 4000, severity: 'critical' }),
      row('site', { rank: 0, vendorLicense: undefined }),
    ];
    expect(rowsOf(rows).map(({ alert }) => alert)).toEqual(['site', 'severe', 'old', 'young', 'later']);
  });

  it('says when what is not an alert yet will be one, apart from what is', () => {
    const pending = [...'abcd'].map((feature, i) => row('x', { feature, alertsAt: 9000 + i }));
    const rows = rowsOf([...pending, row('x', { feature: 'e' })]);
    expect(rows.map(({ details, alerts_at: at }) => [details, at])).toEqual([
      ['4 features: a, b, c and 1 more', 9_000_000],
      ['x.', null],
    ]);
  });

  it('has what comes next before what comes later', () => {
    const soon = (feature: string, due: number) => row('LicenseExpiringSoon', { feature, due });
    expect(rowsOf([soon('b', 9), soon('a', 5)]).map(({ feature }) => feature)).toEqual(['a', 'b']);
    const other = { vendorLicense: 'b;d' };
    const many = [...'wxyz'].map((feature, i) => row('LicenseExpiringSoon', { feature, due: 7 - i, ...other }));
    expect(rowsOf([soon('a', 5), ...many]).map(({ product }) => product)).toEqual(['b;d', 'lic01;cdslmd']);
  });

  it('of a feature has no row about others, and the rows about all of them', () => {
    const rows = [
      ...[...'abcd'].map((feature) => row('LicenseExpired', { feature })),
      row('LicenseServerDown'),
      row('LicensePollPartial', { vendorLicense: undefined }),
    ];
    expect(rowsOf(rows).map(({ details }) => details)).toContainEqual(expect.stringMatching(/^4 features: a, b, c /));
    const shown = rowsOf(rows, { product: 'lic01;cdslmd', feature: 'b' });
    expect(shown.map(({ alert, feature }) => [alert, feature])).toEqual([
      ['LicensePollPartial', null],
      ['LicenseServerDown', null],
      ['LicenseExpired', 'b'],
    ]);
  });

  it('shows since when, the owner and the name of the alert', () => {
    expect(rowsOf([row('LicenseDenials', { feature: 'f', owner: 'ada', details: 'Denied: 4.' })])).toEqual([
      {
        severity: 'warning',
        what: 'LicenseDenials in words',
        product: 'lic01;cdslmd',
        feature: 'f',
        details: 'Denied: 4.',
        since: 1_000_000,
        alerts_at: null,
        owner: 'ada',
        alert: 'LicenseDenials',
      },
    ]);
  });

  it('merges more than three features of a vendor license, and only those', () => {
    const many = (names: string, more: Partial<AttentionRow> = {}) =>
      [...names].map((feature, i) => row('LicenseDenials', { feature, since: 5000 - i, owner: 'ada', ...more }));
    expect(rowsOf(many('cba'))).toHaveLength(3);
    // the other severity and the other vendor license are not part of it
    const others = [...many('x', { vendorLicense: 'b;d' }), ...many('y', { severity: 'critical' })];
    const [critical, ...rest] = rowsOf([...many('edcba'), ...others]);
    expect(critical?.feature).toBe('y');
    expect(rest).toMatchObject([
      {
        product: 'lic01;cdslmd',
        feature: null,
        details: '5 features: a, b, c and 2 more',
        since: 4_996_000,
        owner: 'ada',
      },
      { product: 'b;d', feature: 'x' },
    ]);
    const owned = rowsOf([...many('abc'), ...many('d', { owner: 'bob' })]);
    expect(owned).toMatchObject([{ details: '4 features: a, b, c and 1 more', owner: null }]);
    // versions of one feature are one feature
    expect(rowsOf(many('aaaa'))).toHaveLength(4);
  });

  it('is cut to severities and vendor licenses; problems of the site belong to every vendor license', () => {
    const rows = [
      row('LicenseServerDown', { severity: 'critical' }),
      row('LicenseExpiringSoon', { severity: 'info', feature: 'i' }),
      row('LicenseCollectionStale', { vendorLicense: 'b;d' }),
      row('LicensePollPartial', { vendorLicense: undefined }),
    ];
    const alerts = (payload: object) => rowsOf(rows, payload).map(({ alert }) => alert);
    expect(alerts({})).toEqual([
      'LicenseServerDown',
      'LicensePollPartial',
      'LicenseCollectionStale',
      'LicenseExpiringSoon',
    ]);
    expect(alerts({ severity: ['warning'] })).toEqual(['LicensePollPartial', 'LicenseCollectionStale']);
    expect(alerts({ severity: ['info', 'critical'] })).toEqual(['LicenseServerDown', 'LicenseExpiringSoon']);
    expect(alerts({ product: 'b;d' })).toEqual(['LicensePollPartial', 'LicenseCollectionStale']);
    expect(answer(rows, { top: 1 }).notices).toEqual([{ severity: 'info', text: '1 of 4 rows, by urgency' }]);
  });
});
