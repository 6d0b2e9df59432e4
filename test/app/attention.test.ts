import { describe, expect, it } from 'vitest';
import type { AlertState } from '../../src/alerts/alert.ts';
import type { EngineStatus } from '../../src/alerts/engine-status.ts';
import { attentionOf } from '../../src/app/attention.ts';
import { ruleOf } from '../support/alert-views.ts';
import { answer, createSnapshot, good, NOW, product } from '../support/scenario.ts';
import { deriveInventoryNow, everything } from '../support/stored-answers.ts';

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
  now: undefined,
  ...more,
});

const statusOf = (alerts: readonly AlertState[], lastEvaluation: EngineStatus['lastEvaluation']): EngineStatus => ({
  rules: [ruleOf('LicenseDenials/warning')],
  alerts: alerts.map((alert) => ({ ...alert, members: [] })),
  conditions: alerts,
  commonLabels: {},
  active: new Set(),
  withData: new Set(),
  statements: undefined,
  deliveries: [],
  queueCapacity: 1,
  evaluationInterval: 15,
  lastEvaluation,
  unknownHold: 3600,
  timeZone: 'Europe/Berlin',
});

const rowsOf = (alerts: readonly AlertState[]) => {
  const products = good(answer([product({ collectionTime: NOW - 4000 })]));
  const inventory = deriveInventoryNow(createSnapshot({ products }), NOW, {
    ...everything,
    usageWhenNotCurrent: 'withhold',
  });
  return [...(attentionOf(statusOf(alerts, { at: NOW, seconds: 1 }), inventory, [], NOW)?.rows ?? [])];
};

describe('what Grafana gets of the alerts', () => {
  it('is not known before the first evaluation', () => {
    expect(attentionOf(statusOf([], undefined), undefined, [], NOW)).toBeUndefined();
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
        severity: 'warning',
        alertsAt: undefined,
        due: undefined,
        vendorLicense: 'lic01;cdslmd',
        feature: 'f',
        details: 'It is.',
        since: NOW - 100,
        owner: 'ada',
      },
    ]);
  });

  it('says so if the condition is not known now', () => {
    const [row] = rowsOf([state({ alertname: 'LicenseDenials' }, { unknownSince: NOW - 50 })]) ?? [];
    expect(row?.details).toBe('It is. Its condition is not known now.');
  });

  it('has the figure of a feature as its details, or the summary', () => {
    const details = (labels: Record<string, string>, annotations: Record<string, string>) =>
      rowsOf([state({ vendor_license: 'lic01;cdslmd', feature: 'f', ...labels }, { annotations })])?.[0]?.details;
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
    expect(since('LicenseServerDown', 0)).toEqual([NOW - 4000, undefined]);
    expect(since('LicenseExpiringSoon', 9000)).toEqual([undefined, NOW - 5 + 9000]);
    expect(since('LicenseRunsOut', NOW + 90_000)).toEqual([undefined, NOW + 90_000]);
    expect(since('LicenseExpired', undefined)).toEqual([NOW - 100, undefined]);
    expect(since('LicenseDenials', 7)).toEqual([NOW - 100, undefined]);
  });
});
