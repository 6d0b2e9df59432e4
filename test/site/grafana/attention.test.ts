import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AttentionMember, AttentionRow } from '../../../src/base/model/attention-row.ts';
import { answerAttention } from '../../../src/site/grafana/answers/attention-answer.ts';
import { flatRows, type Table } from '../../../src/site/grafana/answers/panel-data.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';

interface Made extends Partial<AttentionRow> {
  /** The names of its features. */
  readonly features?: readonly string[];
}

const memberOf = (feature: string, more: Partial<AttentionMember> = {}): AttentionMember => ({
  ...{ feature, text: `${feature} (1 waits)`, when: undefined, details: `${feature}.` },
  ...{ noticed: 1000, since: undefined, due: undefined, alertsAt: undefined },
  ...more,
});

/** A row about a vendor license, or about features of it. */
const row = (alert: string, { features = [], ...more }: Made = {}): AttentionRow => {
  const { details = `${alert}.`, since = 1000, due, alertsAt } = more;
  return {
    alert,
    what: `${alert} in words`,
    rank: 1,
    alertsAt,
    severity: 'warning',
    state: 'firing',
    vendorLicense: 'lic01;cdslmd',
    part: undefined,
    details,
    noticed: 1000,
    since,
    due,
    owner: undefined,
    members: features.map((feature) => memberOf(feature, { details, since, due, alertsAt })),
    ...more,
  };
};

const answer = (rows: readonly AttentionRow[], payload: object = {}, withoutData = 0) => {
  const range = { from: undefined, to: undefined };
  const query = readQuery({ target: 'attention', payload: { ...payload }, range, filters: [], prefix: '' });
  return answerAttention(query, { rows, withoutData });
};

const rowsOf = (rows: readonly AttentionRow[], payload: object = {}) =>
  [...flatRows(answer(rows, payload).items as readonly Table[])].map((flat) => flat as Record<string, unknown>);

describe('the list of what needs attention', () => {
  it('says when what ends, if it differs', () => {
    const soon = (...whens: readonly string[]) => {
      const members = whens.map((when, i) => memberOf(`f${i}`, { due: 5 + i, when }));
      return rowsOf([row('LicenseExpiringSoon', { members })])[0]?.details;
    };
    expect(soon('in 25m', 'in 3h', 'in 9h', 'in 9h')).toBe(
      '4 features: f0 (1 waits) in 25m, f1 (1 waits) in 3h, f2 (1 waits) in 9h and 1 more',
    );
    expect(soon('in 2d', 'in 2d')).toBe('2 features in 2d: f0 (1 waits), f1 (1 waits)');
  });

  it('has what ended or ends first before the rest of its severity', () => {
    const rows = [
      row('ends later', { since: undefined, due: 9000 }),
      row('ends first', { since: undefined, due: 8000 }),
      row('critical', { since: undefined, due: 9999, severity: 'critical' }),
      row('ended later', { since: 3000 }),
      row('ended first', { since: 2000 }),
    ];
    expect(rowsOf(rows).map(({ alert }) => alert)).toEqual([
      'critical',
      'ended first',
      'ended later',
      'ends first',
      'ends later',
    ]);
  });

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

  it('says what is pending, and when it fires', () => {
    const pending = row('x', { features: ['a', 'b'], state: 'pending', alertsAt: 9000, severity: 'critical' });
    // its clock stands still
    const held = row('x', { features: ['c'], state: 'pending', severity: 'critical' });
    const rows = rowsOf([pending, held, row('x', { features: ['e'], severity: 'critical' })]);
    expect(rows.map(({ state, severity, details, alerts_at: at }) => [state, severity, details, at])).toEqual([
      ['pending', 'critical', '2 features: a (1 waits), b (1 waits)', 9_000_000],
      ['pending', 'critical', 'x.', null],
      ['critical', 'critical', 'x.', null],
    ]);
  });

  it('has what comes next before what comes later', () => {
    const soon = (feature: string, due: number) => row('LicenseExpiringSoon', { features: [feature], due });
    expect(rowsOf([soon('b', 9), soon('a', 5)]).map(({ feature }) => feature)).toEqual(['a', 'b']);
    const many = row('LicenseExpiringSoon', { features: [...'wxyz'], due: 4, vendorLicense: 'b;d' });
    expect(rowsOf([soon('a', 5), many]).map(({ product }) => product)).toEqual(['b;d', 'lic01;cdslmd']);
  });

  it('of a feature has no row about others, and the rows about all of them', () => {
    const rows = [
      row('LicenseExpired', { features: [...'abcd'] }),
      row('LicenseDenials', { features: ['c'] }),
      row('LicenseServerDown'),
      row('LicensePollPartial', { vendorLicense: undefined }),
    ];
    expect(rowsOf(rows).map(({ details }) => details)).toContainEqual(
      expect.stringMatching(/^4 features: a \(1 waits\), /),
    );
    const shown = rowsOf(rows, { product: 'lic01;cdslmd', feature: 'b' });
    expect(shown.map(({ alert, feature, details }) => [alert, feature, details])).toEqual([
      ['LicensePollPartial', null, 'LicensePollPartial.'],
      ['LicenseServerDown', null, 'LicenseServerDown.'],
      ['LicenseExpired', 'b', 'LicenseExpired.'],
    ]);
  });

  it('shows since when, the owner and the name of the alert', () => {
    expect(rowsOf([row('LicenseDenials', { features: ['f'], owner: 'ada', details: 'Denied: 4.' })])).toEqual([
      {
        severity: 'warning',
        state: 'warning',
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

  it('has one row for each alert, with the first of its features', () => {
    const of = (features: string, more: Made = {}) => row('LicenseDenials', { features: [...features], ...more });
    const rows = rowsOf([of('edcba', { owner: 'ada' }), of('x', { owner: 'bob' }), of('yy')]);
    expect(rows).toMatchObject([
      { feature: null, details: '5 features: e (1 waits), d (1 waits), c (1 waits) and 2 more', owner: 'ada' },
      { feature: 'x', details: 'LicenseDenials.', owner: 'bob' },
      { feature: 'y', details: '2 versions or packages: y (1 waits), y (1 waits)', owner: null },
    ]);
  });

  it('says where, and on which dashboard that is, to those who ask', () => {
    const site = { vendorLicense: undefined };
    const rows = [
      row('LicenseSourceDown', { ...site, part: 'cad' }),
      row('LicensePollPartial', { ...site, part: 'GetUsers' }),
      row('LicenseProductsEmpty', site),
      // a source is named where it has no vendor license yet
      row('LicenseServerDown', { part: 'cad' }),
      row('LicenseDenials', { features: ['f', 'g'] }),
      row('LicenseDenials', { features: ['f'] }),
    ];
    const asked = rowsOf(rows, { columns: ['Alert', 'Where', 'Dashboard'] });
    expect(asked.map(({ alert, where, dashboard }) => [alert, where, dashboard])).toEqual([
      ['LicenseSourceDown', 'cad', 'license-exporter'],
      ['LicensePollPartial', 'GetUsers', 'license-exporter'],
      ['LicenseProductsEmpty', 'whole site', 'license-exporter'],
      ['LicenseServerDown', 'lic01;cdslmd', 'license-vendor-license'],
      ['LicenseDenials', 'lic01;cdslmd', 'license-vendor-license'],
      ['LicenseDenials', 'f', 'license-feature'],
    ]);
    const dashboards = readdirSync(new URL('../../../grafana/json', import.meta.url));
    expect(dashboards).toEqual(expect.arrayContaining(asked.map(({ dashboard }) => `${dashboard}.json`)));
  });

  it('is cut to severities and vendor licenses; problems of the site belong to every vendor license', () => {
    const rows = [
      row('LicenseServerDown', { severity: 'critical' }),
      row('LicenseExpiringSoon', { severity: 'info', features: ['i'] }),
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
