import type { AlertState, Labels } from './alert.ts';
import type { EngineStatus } from './engine-status.ts';
import { type FactTimes, factTimes } from './fact-times.ts';
import { nameOf } from './feature-rules.ts';
import type { Rule, Severity } from './rule.ts';
import type { EngineRuleName } from './rules.ts';

/** What needs attention, as every reader shows it: what fires, what is kept without data, and what will fire. Times are epoch seconds. */

/** One condition of a feature, a vendor license, or the site. */
export interface AttentionItem extends FactTimes {
  /** Name of its rule. */
  readonly alert: string;
  /** What it means, in a few words. */
  readonly what: string;
  /** The smaller, the more urgent: see `classes`. */
  readonly rank: number;
  readonly severity: Severity;
  readonly vendorLicense: string | undefined;
  readonly feature: string | undefined;
  /** One sentence, without the vendor license and the feature. */
  readonly details: string;
  /** When it alerts, if it lasts; `undefined` for what alerts already, and while it is not known whether it lasts. */
  readonly alertsAt: number | undefined;
  readonly owner: string | undefined;
}

/** The order: the site is not known; nobody can work; users are denied; waits; soon; parts are not known; full; later. */
const classes = { site: 0, unusable: 1, denied: 2, waits: 3, soon: 4, partly: 5, full: 6, later: 7 } as const;

type Class = keyof typeof classes;

/** What ends within this time is urgent, seconds. */
const SOON = 7 * 86_400;

const byDueTime = ({ due }: FactTimes, now: number): Class =>
  due !== undefined && due < now + SOON ? 'soon' : 'later';

interface Kind {
  readonly what: string;
  readonly class: Class | ((times: FactTimes, now: number, severity: Severity) => Class);
}

/** A rule without its place does not compile. */
const kinds: Readonly<Record<EngineRuleName, Kind>> = {
  LicenseAnalyzerUnreachable: { what: 'Analyzer cannot be polled', class: 'site' },
  LicenseAnalyzerAuthFailing: { what: 'Analyzer rejects the logon', class: 'site' },
  LicenseProductsEmpty: { what: 'Analyzer reports nothing', class: 'site' },
  LicenseServerDown: { what: 'Server is down', class: 'unusable' },
  LicenseSourceDown: { what: 'Source is down', class: 'unusable' },
  // one that nobody uses is a warning
  LicenseExpired: {
    what: 'Expired',
    class: (_, __, severity) => (severity === 'critical' ? 'unusable' : 'later'),
  },
  LicenseDenials: { what: 'Denials', class: 'denied' },
  LicenseRequestsQueued: { what: 'Requests wait', class: 'waits' },
  LicenseExpiringSoon: { what: 'Expires soon', class: byDueTime },
  LicenseCollectionStale: { what: 'Data is old', class: 'partly' },
  LicensePollPartial: { what: 'Data is missing', class: 'partly' },
  LicenseFieldMissing: { what: 'A field is missing', class: 'partly' },
  LicenseRecordsDiscarded: { what: 'Data is discarded', class: 'partly' },
  LicenseRedundancyLost: { what: 'Redundancy lost', class: 'partly' },
  LicenseVendorLicenseVanished: { what: 'Vendor license is gone', class: 'partly' },
  LicenseFeatureVanished: { what: 'Feature is gone', class: 'partly' },
  LicenseCapacityDropped: { what: 'Licenses are missing', class: 'partly' },
  LicenseHistoryNotRecorded: { what: 'History is not recorded', class: 'partly' },
  LicenseExporterSeriesLimit: { what: 'Series are withheld', class: 'partly' },
  LicenseExporterConfigReloadFailed: { what: 'Configuration is refused', class: 'partly' },
  LicenseFeatureSaturated: { what: 'Saturated', class: 'full' },
  LicenseRunsOut: { what: 'Runs out', class: byDueTime },
};

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

export interface AttentionOptions {
  readonly status: Pick<EngineStatus, 'conditions' | 'rules'>;
  /** When a vendor license was collected last; `undefined` if that is not known. */
  readonly collectedAt: (vendorLicense: string | undefined) => number | undefined;
  readonly now: number;
}

function itemOf(alert: AlertState, rule: Rule | undefined, { collectedAt, now }: AttentionOptions): AttentionItem {
  const { labels, annotations, unknownSince, state, activeAt } = alert;
  const { alertname = '', vendor_license: vendorLicense, feature, owner } = labels;
  const severity = rule?.severity ?? 'warning';
  const times = factTimes(alert, collectedAt);
  const kind = Object.hasOwn(kinds, alertname) ? kinds[alertname as EngineRuleName] : undefined;
  const is =
    kind === undefined ? 'later' : typeof kind.class === 'string' ? kind.class : kind.class(times, now, severity);
  const kept = unknownSince === undefined ? '' : ' Its condition is not known now.';
  const isPending = state === 'pending' && unknownSince === undefined && rule !== undefined;
  return {
    alert: alertname,
    what: kind?.what ?? alertname,
    rank: classes[is],
    severity,
    vendorLicense,
    feature,
    details: `${detailsOf(annotations.summary ?? '', labels)}${kept}`,
    ...times,
    alertsAt: isPending ? activeAt + rule.durations(labels).for : undefined,
    owner,
  };
}

/** All conditions that are met, in no order. A row is made when it is read, because there can be thousands. */
export function attentionItems(options: AttentionOptions): Iterable<AttentionItem> {
  const { rules, conditions } = options.status;
  const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
  return conditions
    .values()
    .filter(({ state }) => state !== 'resolved')
    .map((alert) => itemOf(alert, ruleOf.get(alert.rule), options));
}
