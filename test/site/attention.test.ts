import { describe, expect, it } from 'vitest';
import { notConfiguredRules } from '../../src/alerting/alerting.ts';
import type { AlertState } from '../../src/alerting/alerts/alert.ts';
import { type EngineStatus, ruleNames, withoutData } from '../../src/alerting/alerts/engine-status.ts';
import { createRules } from '../../src/alerting/alerts/rules.ts';
import { alertCountsOf, attentionOf } from '../../src/site/site.ts';
import { ruleOf, settingsOf } from '../support/alert-views.ts';
import { NOW } from '../support/scenario.ts';

const state = (labels: Record<string, string>, more: Partial<AlertState> = {}): AlertState => ({
  rule: 'r',
  labels: { severity: 'critical', ...labels },
  annotations: { summary: 'It is.' },
  value: 0,
  state: 'firing',
  activeAt: NOW - 100,
  firedAt: NOW - 100,
  keepFiringSince: undefined,
  resolvedAt: undefined,
  knownAt: NOW - 5,
  unknownSince: undefined,
  threshold: undefined,
  ending: undefined,
  ...more,
});

const statusOf = (alerts: readonly AlertState[], lastEvaluation: EngineStatus['lastEvaluation']): EngineStatus => ({
  rules: [ruleOf('LicenseDenials/warning')],
  alerts: alerts.map((alert) => ({ ...alert, members: alert.labels.feature === undefined ? [] : [alert] })),
  conditions: alerts,
  commonLabels: {},
  active: new Set(),
  withData: new Set(),
  notConfigured: new Set(),
  statements: undefined,
  deliveries: [],
  queueCapacity: 1,
  evaluationInterval: 15,
  lastEvaluation,
  unknownHold: 3600,
  timeZone: 'Europe/Berlin',
});

const rowsOf = (alerts: readonly AlertState[]) => [
  ...(attentionOf(statusOf(alerts, { at: NOW, seconds: 1 }), NOW)?.rows ?? []),
];

describe('what Grafana gets of the alerts', () => {
  it('is not known before the first evaluation', () => {
    expect(attentionOf(statusOf([], undefined), NOW)).toBeUndefined();
    expect(rowsOf([])).toEqual([]);
  });

  it('is what fires and what will fire if it lasts, with its owner', () => {
    const labels = { alertname: 'LicenseDenials', vendor_license: 'lic01;cdslmd', feature: 'f', owner: 'ada' };
    const pending = state(labels, { rule: 'LicenseDenials/warning', state: 'pending' });
    const rows = rowsOf([pending, state(labels, { state: 'resolved' }), state(labels)]);
    // it must hold for five minutes
    expect(rows.map(({ alertsAt }) => alertsAt)).toEqual([NOW - 100 + 300, undefined]);
    expect(rows.slice(1)).toEqual([
      {
        alert: 'LicenseDenials',
        what: 'Denials',
        rank: 2,
        severity: 'critical',
        state: 'firing',
        alertsAt: undefined,
        due: undefined,
        vendorLicense: 'lic01;cdslmd',
        details: 'It is.',
        noticed: NOW - 100,
        since: NOW - 100,
        owner: 'ada',
        members: [
          {
            ...{ feature: 'f', text: 'f', when: undefined, details: 'It is.' },
            ...{ noticed: NOW - 100, since: NOW - 100, due: undefined, alertsAt: undefined },
          },
        ],
      },
    ]);
  });

  it('says so if the condition is not known now', () => {
    const [row] = rowsOf([state({ alertname: 'LicenseDenials' }, { unknownSince: NOW - 50 })]) ?? [];
    expect(row?.details).toBe('It is. Its condition is not known now.');
  });

  it('has the figure of a feature as its details, or the summary', () => {
    const details = (labels: Record<string, string>, annotations: Record<string, string>) =>
      rowsOf([state({ vendor_license: 'lic01;cdslmd', feature: 'f', ...labels }, { annotations })])[0]?.members[0]
        ?.details;
    const summary = 'Requests are queued for f of lic01;cdslmd: 2.';
    expect(details({}, { summary, figure: '2 wait' })).toBe('2 wait.');
    expect(details({ version: '2.0', package: 'p' }, { summary, figure: 'about 2027-03' })).toBe(
      'About 2027-03, version 2.0, package p.',
    );
    expect(details({}, { summary })).toBe(summary);
  });

  it('is since the expiry or the last collection, not since the start of the daemon; what is to come has no beginning', () => {
    const since = (alertname: string, value?: number) =>
      rowsOf([state({ alertname, vendor_license: 'lic01;cdslmd' }, { value })])?.map((row) => [row.since, row.due])[0];
    expect(since('LicenseExpired', 9000)).toEqual([NOW - 5 - 9000, undefined]);
    expect(since('LicenseServerDown', 3995)).toEqual([NOW - 4000, undefined]);
    expect(since('LicenseExpiringSoon', 9000)).toEqual([undefined, NOW - 5 + 9000]);
    expect(since('LicenseRunsOut', NOW + 90_000)).toEqual([undefined, NOW + 90_000]);
    expect(since('LicenseExpired', undefined)).toEqual([NOW - 100, undefined]);
    expect(since('LicenseDenials', 7)).toEqual([NOW - 100, undefined]);
  });
});

describe('an alert about what is not configured', () => {
  const config = {
    metrics: { collectors: { history: false } },
    history: { features: [] },
    rightsizing: { enabled: false },
  } as unknown as Parameters<typeof notConfiguredRules>[0];
  const archive = { since: NOW, lastSuccessAt: undefined, problem: undefined, waiting: undefined };
  const of = (own: Parameters<typeof notConfiguredRules>[1], more: object = {}) => [
    ...notConfiguredRules({ ...config, ...more }, own),
  ];

  it('is found by what it needs', () => {
    expect(of({ logons: {}, sources: undefined, recording: undefined })).toEqual([
      'LicenseSourceDown',
      'LicenseRedundancyLost',
      'LicenseHistoryNotRecorded',
      'LicenseArchiveDown',
      'LicenseDenials',
      'LicenseRunsOut',
    ]);
    // a simulated site has no sources
    const simulated = { logons: {}, sources: [], recording: { archive: undefined } };
    expect(of(simulated)).toEqual([
      'LicenseSourceDown',
      'LicenseRedundancyLost',
      'LicenseArchiveDown',
      'LicenseRunsOut',
    ]);
    const own = { logons: undefined, sources: [{}], recording: { archive } };
    expect(of(own, { rightsizing: { enabled: true } })).toEqual(['LicenseAnalyzerAuthFailing']);
  });

  it('has nothing to be unknown about; one about what is configured and not read yet has', () => {
    const rules = createRules(settingsOf({}));
    const names = new Set(rules.map(({ name }) => name));
    const lacking = new Set(['LicenseSourceDown', 'LicenseRedundancyLost', 'LicenseArchiveDown', 'LicenseRunsOut']);
    const evaluated = { at: NOW, seconds: 1 };
    const healthy = (recording: Parameters<typeof notConfiguredRules>[1]['recording']): EngineStatus => ({
      ...statusOf([], evaluated),
      rules,
      withData: new Set([...names].filter((name) => !lacking.has(name))),
      notConfigured: notConfiguredRules(config, { logons: {}, sources: [], recording }),
    });
    const without = healthy({ archive: undefined });
    expect(withoutData(without)).toEqual([]);
    expect(ruleNames(without)).toHaveLength(names.size - lacking.size);
    expect(alertCountsOf(without, undefined, NOW)).toMatchObject({
      critical: 0,
      warning: 0,
      info: 0,
      pending: 0,
      withoutData: 0,
    });
    expect(attentionOf(without, NOW)?.withoutData).toBe(0);
    expect(withoutData(healthy({ archive }))).toEqual(['LicenseArchiveDown']);
  });
});
