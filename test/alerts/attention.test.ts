import { expect, it } from 'vitest';
import { attentionItems } from '../../src/alerts/attention.ts';
import type { EngineRuleName } from '../../src/alerts/definitions.ts';
import { unknown } from '../../src/model/unknown.ts';
import { alertOf } from '../support/alert-page.ts';
import { ruleOf } from '../support/alert-views.ts';
import { NOW } from '../support/scenario.ts';

const DAY = 86_400;

/** The rank of an alert with this value. */
function rankOf(rule: `${EngineRuleName}/${string}`, value = 0): number | undefined {
  const [alertname = ''] = rule.split('/');
  const conditions = [alertOf({ alertname }, { rule, value, knownAt: NOW })];
  const status = { conditions, rules: [ruleOf(rule)] };
  return [...attentionItems({ status, collectedAt: () => unknown, now: NOW })][0]?.rank;
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
  const conditions = [
    alertOf(of, { rule, state: 'pending', activeAt: NOW - 100 }),
    // its clock stands still
    alertOf(of, { rule, state: 'pending', activeAt: NOW - 100, unknownSince: NOW - 50 }),
    alertOf(of, { rule }),
    alertOf(of, { rule, state: 'resolved', resolvedAt: NOW }),
  ];
  const status = { conditions, rules: [ruleOf(rule)] };
  const items = [...attentionItems({ status, collectedAt: () => unknown, now: NOW })];
  expect(items.map(({ alertsAt }) => alertsAt)).toEqual([NOW - 100 + 300, undefined, undefined]);
});
