import { byUrgency, type Urgency } from '../../base/model/urgency.ts';
import type { AlertState } from './alert.ts';
import { type AlertCounts, countsOf, isHeld } from './alert-classes.ts';
import { type AlertFilter, testsOf } from './alert-filter.ts';
import type { EngineStatus } from './engine-status.ts';
import { anchorOf } from './links.ts';
import { urgencyOf } from './moment.ts';

/** What the page `/alerts` shows: counts, and the alerts of a filter by urgency. */

/** Alerts read in one slice. */
const SLICE = 100;

const stateRank = { firing: 0, pending: 1, resolved: 2 } as const;

interface Ranked {
  readonly alert: AlertState;
  readonly urgency: Urgency;
}

const ranked = (alert: AlertState): Ranked => ({ alert, urgency: urgencyOf(alert) });

/** From the most urgent to the least: what fires before what is pending and what has ended, then by severity and moment of harm. */
const byRank = (a: Ranked, b: Ranked): number =>
  stateRank[a.alert.state] - stateRank[b.alert.state] || byUrgency(a.urgency, b.urgency);

/** Alerts, the most urgent first. */
export const mostUrgentFirst = (alerts: readonly AlertState[]): readonly AlertState[] =>
  alerts
    .map(ranked)
    .sort(byRank)
    .map(({ alert }) => alert);

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

/** What an alert is a cause for: its name, and its vendor license if it is not about all of them. */
const causeKey = (name: string, vendorLicense = ''): string => `${name} ${vendorLicense}`;

/** What a filter selects, and what is shown beside it. */
export interface Selection {
  /** Of the words and the owner of the filter. */
  readonly counts: AlertCounts;
  /** All owners, sorted. */
  readonly owners: readonly string[];
  /** How many match the filter. */
  readonly matching: number;
  /** They, the most urgent first. If `linked` does not match, it comes before all of them. */
  readonly alerts: readonly AlertState[];
  /** The alert that the filter names, if it exists. */
  readonly linked: AlertState | undefined;
  /** The name of an alert that explains why another one has no data: it fires, and its condition is known. */
  causeOf(alert: AlertState): string | undefined;
}

/** Selects the alerts of a filter. Yields between slices of work. */
export function* selectAlerts(
  { alerts, commonLabels }: Pick<EngineStatus, 'alerts' | 'commonLabels'>,
  filter: AlertFilter,
): Generator<void, Selection> {
  const { hasSubject, hasUrgency } = testsOf(filter, commonLabels);
  const owners = new Set<string>();
  const known = new Set<string>();
  const counted: AlertState[] = [];
  const ranks: Ranked[][] = [];
  let linked: AlertState | undefined;
  for (const [i, alert] of alerts.entries()) {
    if (i % SLICE === 0) yield;
    const { alertname = '', owner, vendor_license: vendorLicense } = alert.labels;
    if (owner !== undefined) owners.add(owner);
    if (alert.state === 'firing' && !isHeld(alert)) known.add(causeKey(alertname, vendorLicense));
    if (filter.alert !== undefined && linked === undefined && anchorOf(alert.labels) === filter.alert) linked = alert;
    if (!hasSubject(alert)) continue;
    counted.push(alert);
    if (!hasUrgency(alert)) continue;
    const rank = stateRank[alert.state];
    ranks[rank] ??= [];
    ranks[rank].push(ranked(alert));
  }
  const sorted: AlertState[] = [];
  for (const equals of ranks) {
    yield;
    for (const { alert } of equals?.sort(byRank) ?? []) sorted.push(alert);
  }
  const before = linked === undefined || sorted.includes(linked) ? [] : [linked];
  return {
    counts: countsOf(counted),
    owners: [...owners].sort(),
    matching: sorted.length,
    alerts: [...before, ...sorted],
    linked,
    causeOf: ({ labels: { vendor_license: vendorLicense } }) =>
      causes.find((name) => known.has(causeKey(name)) || known.has(causeKey(name, vendorLicense))),
  };
}
