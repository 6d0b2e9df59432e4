import type { Labels } from '../alerts/alert.ts';
import { type EngineStatus, withoutData } from '../alerts/engine.ts';
import { factTimes } from '../alerts/fact-times.ts';
import { nameOf } from '../alerts/feature-rules.ts';
import type { Attention, AttentionRow } from '../datasource/attention.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { AlertCounts } from '../status/inputs.ts';
import type { AppConfig } from './pipeline.ts';

const isSeverity = (text: string | undefined): text is AttentionRow['severity'] =>
  text === 'critical' || text === 'warning' || text === 'info';

/** What remains of the name of a feature without the names that are in columns of the same row: version and package. */
function restOf({ version = '', package: pkg = '' }: Labels): string {
  if (version === '') return pkg === '' ? '' : `package ${pkg}`;
  return `version ${version}${pkg === '' ? '' : ` (package ${pkg})`}`;
}

/** A summary without the vendor license and the feature. One with other words stays as it is. */
function detailsOf(summary: string, labels: Labels): string {
  const { vendor_license: vendorLicense, feature, version = '', package: pkg = '' } = labels;
  if (vendorLicense === undefined) return summary;
  const names =
    feature === undefined
      ? [[vendorLicense, '']]
      : [
          [nameOf({ vendorLicense, feature, version, package: pkg }), restOf(labels)],
          [nameOf({ vendorLicense, feature, version: '', package: '' }), ''],
        ];
  const [name = '', rest = ''] = names.find(([text = '']) => summary.includes(text)) ?? [];
  if (name === '') return summary;
  const at = summary.indexOf(name);
  const [before, after] = [summary.slice(0, at), summary.slice(at + name.length)];
  const details =
    rest === ''
      ? `${before.replace(/ (of |for )?$/, '')}${after}`.replace(/^ is /, '')
      : `${before.replace(/^License $/, '')}${rest}${after}`;
  return `${details.slice(0, 1).toUpperCase()}${details.slice(1)}`;
}

/** Whether denials are polled. */
export const hasDenials = ({ metrics, historyFeatures }: Pick<AppConfig, 'metrics' | 'historyFeatures'>): boolean =>
  metrics.collectors.history && historyFeatures.length > 0;

/** The names of the rules whose data is not requested. */
export const notRequestedRules = (
  config: Pick<AppConfig, 'metrics' | 'historyFeatures' | 'rightsizing'>,
  hasSources: boolean,
): readonly string[] => [
  ...(hasDenials(config) ? [] : ['LicenseDenials']),
  ...(config.rightsizing.isEnabled ? [] : ['LicenseRunsOut']),
  ...(hasSources ? [] : ['LicenseSourceDown', 'LicenseRedundancyLost']),
];

/** How many kinds of alerts may fire without being seen. */
const countWithoutData = (status: EngineStatus, notRequested: readonly string[]): number =>
  withoutData(status).filter((name) => !notRequested.includes(name)).length;

/**
 * How many alerts fire or are pending; `undefined` until the rules have been evaluated.
 *
 * @param notRequested see `notRequestedRules`
 */
export function alertCountsOf(status: EngineStatus, notRequested: readonly string[]): AlertCounts | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const withoutData = countWithoutData(status, notRequested);
  const counts = { critical: 0, warning: 0, info: 0, pending: 0, withoutData };
  for (const { state, labels } of status.alerts) {
    if (state === 'pending') counts.pending += 1;
    if (state === 'firing' && isSeverity(labels.severity)) counts[labels.severity] += 1;
  }
  return counts;
}

/** When vendor licenses were collected last, epoch seconds. */
export function collectionTimes(
  inventory: Inventory | undefined,
): (vendorLicense: string | undefined) => number | undefined {
  const known = new Map(
    inventory?.vendorLicenses.rows().map(({ vendorLicense, collectionTime }) => [vendorLicense, collectionTime]),
  );
  return (vendorLicense = '') => known.get(vendorLicense);
}

/**
 * The alerts that fire, for Grafana and the pages; `undefined` until the rules have been evaluated. A row is made when it is
 * read, because there can be thousands.
 *
 * @param notRequested see `notRequestedRules`
 */
export function attentionOf(
  status: EngineStatus,
  inventory: Inventory | undefined,
  notRequested: readonly string[],
): Attention | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const collectedAt = collectionTimes(inventory);
  const rows = status.conditions
    .values()
    .filter(({ state }) => state === 'firing')
    .map((alert): AttentionRow => {
      const { labels, annotations, unknownSince } = alert;
      const { alertname = '', severity, vendor_license: vendorLicense, feature, owner } = labels;
      const kept = unknownSince === undefined ? '' : ' Its condition is not known now.';
      return {
        alert: alertname,
        severity: isSeverity(severity) ? severity : 'warning',
        vendorLicense,
        feature,
        details: `${detailsOf(annotations.summary ?? '', labels)}${kept}`,
        ...factTimes(alert, collectedAt),
        owner,
      };
    });
  return { rows, withoutData: countWithoutData(status, notRequested) };
}
