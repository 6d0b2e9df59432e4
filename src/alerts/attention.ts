import type { AlertState, Labels } from './alert.ts';
import { attentionClasses } from './definition.ts';
import { engineAlertOf } from './definitions.ts';
import type { EngineStatus } from './engine-status.ts';
import { type FactTimes, factTimes } from './fact-times.ts';
import { nameOf } from './feature-condition.ts';
import type { Rule, Severity } from './rule.ts';

/** What needs attention, as every reader shows it: what fires, what is kept without data, and what will fire. Times are epoch seconds. */

/** One condition of a feature, a vendor license, or the site. */
export interface AttentionItem extends FactTimes {
  /** Name of its rule. */
  readonly alert: string;
  /** What it means, in a few words. */
  readonly what: string;
  /** The smaller, the more urgent: see `attentionClasses`. */
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
  const { what = alertname, class: place = 'later' } = engineAlertOf(alertname)?.attention ?? {};
  const kept = unknownSince === undefined ? '' : ' Its condition is not known now.';
  const isPending = state === 'pending' && unknownSince === undefined && rule !== undefined;
  return {
    alert: alertname,
    what,
    rank: attentionClasses[typeof place === 'string' ? place : place(times.due, now, severity)],
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
