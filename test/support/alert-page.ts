import type { AlertState, Labels } from '../../src/alerting/alerts/alert.ts';
import { readFilter } from '../../src/alerting/alerts/alert-filter.ts';
import { selectAlerts } from '../../src/alerting/alerts/alert-selection.ts';
import { type EngineStatus, isEvaluatedLately } from '../../src/alerting/alerts/engine-status.ts';
import { pageHtml } from '../../src/base/html/frame.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import { type AlertsPageData, alertsContent } from '../../src/site/pages/alerts/route.ts';
import { ruleOf } from './alert-views.ts';
import { NOW } from './scenario.ts';
import { testSite } from './served-page.ts';

/** Alerts for the page `/alerts`, without an engine. */

/** A critical alert of `lic1;d` that has fired for 100 seconds. An empty label is left out. */
export function alertOf(labels: Labels = {}, more: Partial<AlertState> = {}): AlertState {
  const all = { alertname: 'LicenseServerDown', severity: 'critical', vendor_license: 'lic1;d', ...labels };
  return {
    rule: 'r',
    labels: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    annotations: { summary: 'SUMMARY', description: 'DESCRIPTION' },
    value: 0,
    state: 'firing',
    activeAt: NOW - 100,
    firedAt: NOW - 100,
    keepFiringSince: undefined,
    resolvedAt: undefined,
    knownAt: NOW,
    unknownSince: undefined,
    threshold: undefined,
    ending: undefined,
    ...more,
  };
}

/** The status of an engine that has just evaluated one rule, with data. */
export const statusOf = (alerts: readonly AlertState[], more: Partial<EngineStatus> = {}): EngineStatus => ({
  rules: [ruleOf('LicenseServerDown/critical')],
  alerts: alerts.map((alert) => ({ ...alert, members: [] })),
  conditions: alerts,
  commonLabels: { source: 'license-exporter', analyzer: 'lic.example.com' },
  active: new Set(),
  withData: new Set(['LicenseServerDown']),
  notConfigured: new Set(),
  statements: undefined,
  deliveries: [],
  queueCapacity: 10_000,
  evaluationInterval: 30,
  lastEvaluation: { at: NOW - 5, seconds: 0.01 },
  unknownHold: 3600,
  timeZone: 'Europe/Berlin',
  ...more,
});

interface Shown extends Partial<AlertsPageData> {
  /** Of the URL. */
  readonly query?: unknown;
}

/** The page of a status at `NOW`. */
export function alertsPageOf(status: EngineStatus, { query = {}, ...more }: Shown = {}): string {
  const { filter, problems } = readFilter(query);
  const selection = runAtOnce(selectAlerts(status, filter));
  const content = alertsContent({
    status,
    isZeroKnown: isEvaluatedLately(status, NOW),
    receivers: [],
    runbooks: 'runbooks',
    now: NOW,
    filter,
    problems,
    selection,
    ...more,
  });
  return pageHtml(testSite, { title: 'Alerts', path: 'alerts', refreshes: true }, content);
}

/** Alerts of many vendor licenses, features, owners and states. */
export const manyAlerts = (count: number): readonly AlertState[] =>
  Array.from({ length: count }, (_, i) => {
    const vendorLicense = `lic${i % 150}.example.com;daemon${i % 7}`;
    const feature = `feature_${i}`;
    return alertOf(
      {
        alertname: i % 3 === 0 ? 'LicenseExpiringSoon' : 'LicenseFeatureSaturated',
        severity: ['critical', 'warning', 'info'][i % 11] ?? 'warning',
        vendor_license: vendorLicense,
        feature,
        version: `20${i % 30}.1`,
        owner: `team-${i % 9}`,
      },
      {
        state: i % 5 === 0 ? 'pending' : 'firing',
        activeAt: NOW - i,
        annotations: {
          summary: `26 of 28 licenses of ${feature} of ${vendorLicense} are in use.`,
          description:
            'On average over 10 minutes. Users are about to be refused. Look for idle checkouts and unused reservations, and ask the owner whether more licenses are needed.',
          silence_url: `https://alertmanager.example.com/#/silences/new?filter=${'x'.repeat(200)}`,
        },
      },
    );
  });
