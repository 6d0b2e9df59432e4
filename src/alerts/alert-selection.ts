import type { AlertState } from './alert.ts';
import { type AlertFilter, isHeld, severities, testsOf } from './alert-filter.ts';
import type { EngineStatus } from './engine-status.ts';
import { anchorOf } from './links.ts';
import type { Severity } from './rule.ts';

/** What the page `/alerts` shows: counts, and the alerts of a filter by urgency. Generators yield between slices of work. */

/** Alerts read in one slice. */
const SLICE = 100;

/** Numbers of alerts. A held one is pending or firing too. */
export interface AlertCounts {
  critical: number;
  warning: number;
  info: number;
  pending: number;
  resolved: number;
  held: number;
}

const noCounts = (): AlertCounts => ({ critical: 0, warning: 0, info: 0, pending: 0, resolved: 0, held: 0 });

/** Adds an alert to counts: by its severity if it fires, else by its state. */
function countAlert(counts: AlertCounts, alert: AlertState): void {
  const severity = severities.find((one) => one === alert.labels.severity) ?? 'warning';
  counts[alert.state === 'firing' ? severity : alert.state] += 1;
  if (isHeld(alert)) counts.held += 1;
}

export function countsOf(alerts: readonly AlertState[]): AlertCounts {
  const counts = noCounts();
  for (const alert of alerts) countAlert(counts, alert);
  return counts;
}

const stateRank = { firing: 0, pending: 1, resolved: 2 } as const;

/** From the most urgent to the least: what fires before what is pending and what has ended, then by severity. */
function rankOf({ state, labels: { severity } }: AlertState): number {
  const at = severities.indexOf(severity as Severity);
  return stateRank[state] * severities.length + (at < 0 ? 1 : at);
}

/** Alerts that explain why others have no data, the most general first. */
const causes: readonly string[] = [
  'LicenseAnalyzerAuthFailing',
  'LicenseAnalyzerUnreachable',
  'LicenseSourceDown',
  'LicenseServerDown',
  'LicenseCollectionStale',
  'LicensePollPartial',
  'LicenseFieldMissing',
];

/** The name of an alert that explains why another one has no data; `undefined` if none does. */
export type CauseOf = (alert: AlertState) => string | undefined;

/** Finds causes among alerts that fire and whose condition is known. */
function createCauses() {
  /** Vendor licenses by name of the alert; `undefined` stands for all of them. */
  const firing = new Map<string, Set<string | undefined>>();
  return {
    add: (alert: AlertState): void => {
      const { alertname = '', vendor_license: vendorLicense } = alert.labels;
      if (alert.state !== 'firing' || isHeld(alert) || !causes.includes(alertname)) return;
      firing.set(alertname, (firing.get(alertname) ?? new Set()).add(vendorLicense));
    },
    causeOf: ({ labels: { vendor_license: vendorLicense } }: AlertState) =>
      causes.find((name) => firing.get(name)?.has(undefined) || firing.get(name)?.has(vendorLicense)),
  };
}

export interface Selection {
  /** Of the words and the owner of the filter. */
  readonly counts: AlertCounts;
  /** All owners, sorted. */
  readonly owners: readonly string[];
  /** Those that match the filter, the most urgent first, the newest first among equals. */
  readonly alerts: readonly AlertState[];
  /** The alert that the filter names, if it exists. */
  readonly linked: AlertState | undefined;
  readonly causeOf: CauseOf;
}

/** Selects the alerts of a filter. */
export function* selectAlerts(
  { alerts, commonLabels }: Pick<EngineStatus, 'alerts' | 'commonLabels'>,
  filter: AlertFilter,
): Generator<void, Selection> {
  const { hasSubject, hasUrgency } = testsOf(filter, commonLabels);
  const counts = noCounts();
  const owners = new Set<string>();
  const { add, causeOf } = createCauses();
  const ranks: AlertState[][] = [];
  let linked: AlertState | undefined;
  for (const [i, alert] of alerts.entries()) {
    if (i % SLICE === 0) yield;
    const { owner } = alert.labels;
    if (owner !== undefined) owners.add(owner);
    add(alert);
    if (filter.alert !== undefined && linked === undefined && anchorOf(alert.labels) === filter.alert) linked = alert;
    if (!hasSubject(alert)) continue;
    countAlert(counts, alert);
    if (!hasUrgency(alert)) continue;
    const rank = rankOf(alert);
    ranks[rank] ??= [];
    ranks[rank].push(alert);
  }
  const sorted: AlertState[] = [];
  for (const equals of ranks) {
    if (equals === undefined) continue;
    yield;
    for (const alert of equals.sort((a, b) => b.activeAt - a.activeAt)) sorted.push(alert);
  }
  return { counts, owners: [...owners].sort(), alerts: sorted, linked, causeOf };
}

/** The alerts of one vendor license; `undefined` stands for those about the monitoring itself. */
export interface AlertGroup {
  readonly vendorLicense: string | undefined;
  /** In order. */
  readonly alerts: AlertState[];
}

/** Alerts by vendor license. The group of the first alert comes first. */
export function* groupAlerts(alerts: readonly AlertState[]): Generator<void, readonly AlertGroup[]> {
  const groups = new Map<string | undefined, AlertGroup>();
  for (const [i, alert] of alerts.entries()) {
    if (i % SLICE === 0) yield;
    const { vendor_license: vendorLicense } = alert.labels;
    const group = groups.get(vendorLicense) ?? { vendorLicense, alerts: [] };
    groups.set(vendorLicense, group);
    group.alerts.push(alert);
  }
  return [...groups.values()];
}
