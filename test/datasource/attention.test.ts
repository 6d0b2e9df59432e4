import { describe, expect, it } from 'vitest';
import { type AttentionRow, answerAttention } from '../../src/datasource/attention.ts';
import { flatRows, type Table } from '../../src/datasource/panel-data.ts';
import { readQuery } from '../../src/datasource/query.ts';
import { runAtOnce } from '../../src/scheduling/slices.ts';

const row = (alert: string, more: Partial<AttentionRow> = {}): AttentionRow => ({
  alert,
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
  return runAtOnce(answerAttention(query, { rows, withoutData }));
};

const rowsOf = (rows: readonly AttentionRow[], payload: object = {}) =>
  [...flatRows(answer(rows, payload).items as readonly Table[])].map((flat) => flat as Record<string, unknown>);

describe('the list of what needs attention', () => {
  it('begins with what hides everything else, then what cannot be used, then what will come, the oldest first', () => {
    const rows = [
      row('LicenseExpiringSoon', { feature: 'e' }),
      row('LicenseExpiringSoon', { severity: 'critical', feature: 'n' }),
      row('LicenseDenials', { feature: 'd', since: 3000 }),
      row('LicenseDenials', { feature: 'c', since: 2000 }),
      row('SomethingNew'),
      row('LicenseFeatureSaturated', { feature: 's' }),
      row('LicenseServerDown', { severity: 'critical' }),
      row('LicenseExpired', { severity: 'critical', feature: 'x' }),
      row('LicensePollPartial', { vendorLicense: undefined }),
      row('LicenseAnalyzerUnreachable', { severity: 'critical', vendorLicense: undefined }),
    ];
    expect(rowsOf(rows).map(({ severity, what, product, feature }) => [severity, what, product, feature])).toEqual([
      ['critical', 'Analyzer cannot be polled', null, null],
      ['critical', 'Server is down', 'lic01;cdslmd', null],
      ['critical', 'Expired', 'lic01;cdslmd', 'x'],
      ['warning', 'Saturated', 'lic01;cdslmd', 's'],
      ['warning', 'Denials', 'lic01;cdslmd', 'c'],
      ['warning', 'Denials', 'lic01;cdslmd', 'd'],
      ['warning', 'Data is missing', null, null],
      ['warning', 'SomethingNew', 'lic01;cdslmd', null],
      ['critical', 'Expires soon', 'lic01;cdslmd', 'n'],
      ['warning', 'Expires soon', 'lic01;cdslmd', 'e'],
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
    expect(shown.map(({ what, feature }) => [what, feature])).toEqual([
      ['Server is down', null],
      ['Expired', 'b'],
      ['Data is missing', null],
    ]);
  });

  it('shows since when, the owner and the name of the alert', () => {
    expect(rowsOf([row('LicenseDenials', { feature: 'f', owner: 'ada', details: 'Denied: 4.' })])).toEqual([
      {
        severity: 'warning',
        what: 'Denials',
        product: 'lic01;cdslmd',
        feature: 'f',
        details: 'Denied: 4.',
        since: 1_000_000,
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
    expect(alerts({})).toEqual(['LicenseServerDown', 'LicenseCollectionStale', 'LicensePollPartial']);
    expect(alerts({ severity: ['info', 'critical'] })).toEqual(['LicenseServerDown', 'LicenseExpiringSoon']);
    expect(alerts({ product: 'b;d' })).toEqual(['LicenseCollectionStale', 'LicensePollPartial']);
    expect(answer(rows, { top: 1 }).notices).toEqual([{ severity: 'info', text: '1 of 3 rows, by urgency' }]);
  });
});
