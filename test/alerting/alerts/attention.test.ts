import { expect, it } from 'vitest';
import { type AlertState, keyOf, type Labels } from '../../../src/alerting/alerts/alert.ts';
import { countsByClass } from '../../../src/alerting/alerts/alert-classes.ts';
import { attentionItems } from '../../../src/alerting/alerts/attention.ts';
import type { EngineRuleName } from '../../../src/alerting/alerts/definitions.ts';
import { sumUpAlerts } from '../../../src/alerting/alerts/groups.ts';
import { alertOf } from '../../support/alert-page.ts';
import { ruleOf } from '../../support/alert-views.ts';
import { NOW } from '../../support/scenario.ts';

const DAY = 86_400;

/** The rank of an alert with this value. */
function rankOf(rule: `${EngineRuleName}/${string}`, value = 0): number | undefined {
  const [alertname = '', severity = ''] = rule.split('/');
  const alerts = [{ ...alertOf({ alertname, severity }, { rule, value, knownAt: NOW }), members: [] }];
  const status = { alerts, rules: [ruleOf(rule)] };
  return [...attentionItems({ status, now: NOW })][0]?.rank;
}

it('has what hides everything, what nobody can use, denials, queues, what ends within a week, gaps, full pools, and the rest', () => {
  expect([
    rankOf('LicenseAnalyzerUnreachable/critical'),
    rankOf('LicenseServerDown/critical'),
    rankOf('LicenseExpired/critical', DAY),
    rankOf('LicenseDenials/warning'),
    rankOf('LicenseRequestsQueued/warning'),
    rankOf('LicenseExpiringSoon/critical', 7 * DAY - 1),
    rankOf('LicensePollPartial/warning'),
    rankOf('LicenseFeatureSaturated/info'),
    rankOf('LicenseExpiringSoon/warning', 7 * DAY),
    // nobody uses it
    rankOf('LicenseExpired/warning', DAY),
    rankOf('LicenseRunsOut/warning', NOW + 60 * DAY),
  ]).toEqual([0, 1, 1, 2, 3, 4, 5, 6, 7, 7, 7]);
});

it('is about what is met before it alerts, says when it does, and not about what has ended', () => {
  const of = { alertname: 'LicenseDenials' };
  const rule = 'LicenseDenials/warning';
  const alerts = [
    alertOf(of, { rule, state: 'pending', activeAt: NOW - 100 }),
    // its clock stands still
    alertOf(of, { rule, state: 'pending', activeAt: NOW - 100, unknownSince: NOW - 50 }),
    alertOf(of, { rule }),
    alertOf(of, { rule, state: 'resolved', resolvedAt: NOW }),
  ].map((alert) => ({ ...alert, members: [] }));
  const status = { alerts, rules: [ruleOf(rule)] };
  const items = [...attentionItems({ status, now: NOW })];
  expect(items.map(({ state, alertsAt }) => [state, alertsAt])).toEqual([
    ['pending', NOW - 100 + 300],
    ['pending', undefined],
    ['firing', undefined],
  ]);
});

it('is about a source or an endpoint where it is about no vendor license', () => {
  const partOf = (labels: Labels) => {
    const alerts = [{ ...alertOf({ ...labels, alertname: 'LicensePollStale' }), members: [] }];
    return [...attentionItems({ status: { alerts, rules: [] }, now: NOW })][0]?.part;
  };
  expect([partOf({ endpoint: 'GetUsers' }), partOf({ license_source: 'cad' }), partOf({})]).toEqual([
    'GetUsers',
    'cad',
    undefined,
  ]);
});

it('has as many rows as the figures count alerts', () => {
  const ofFeatures = (names: string, more: Partial<AlertState> = {}, labels: Labels = {}) =>
    [...names].map((feature) =>
      alertOf(
        { alertname: 'LicenseDenials', severity: 'warning', feature, ...labels },
        { rule: 'LicenseDenials/warning', ...more },
      ),
    );
  const expiring = (severity: 'critical' | 'warning') =>
    alertOf(
      { alertname: 'LicenseExpiringSoon', severity, feature: 'f', expires: '2027-01-20' },
      { rule: `LicenseExpiringSoon/${severity}` },
    );
  const conditions = [
    ...ofFeatures('abcde'),
    // the same vendor license, of others
    ...ofFeatures('xy', {}, { owner: 'bob' }),
    // only the alert that has begun is told of
    ...ofFeatures('z', { state: 'pending', firedAt: undefined }),
    ...ofFeatures('p', { state: 'pending', firedAt: undefined }, { vendor_license: 'b;d' }),
    // the later stage replaces the earlier one
    expiring('critical'),
    expiring('warning'),
  ];
  const rules = ['LicenseDenials/warning', 'LicenseExpiringSoon/critical', 'LicenseExpiringSoon/warning'].map((id) =>
    ruleOf(id),
  );
  const states = new Map(conditions.map((alert) => [keyOf(alert), alert]));
  const sent = sumUpAlerts(states, new Map(), { rules, linksOf: () => ({}) });
  const status = { alerts: [...sent.values()], rules };
  const items = [...attentionItems({ status, now: NOW })];
  const { critical, warning, info, pending } = countsByClass(status.alerts);
  expect({ critical, warning, info, pending }).toEqual({ critical: 1, warning: 2, info: 0, pending: 1 });
  expect(Object.groupBy(items, ({ state }) => state)).toMatchObject({
    firing: { length: critical + warning + info },
    pending: { length: pending },
  });
  expect(items.map(({ members }) => members.length)).toEqual([5, 2, 1, 1]);
});
