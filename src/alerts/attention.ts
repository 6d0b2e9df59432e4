import type { AttentionRow } from '../model/attention.ts';
import type { Figure } from '../model/unknown.ts';
import type { AlertState } from './alert.ts';
import { attentionClasses } from './definition.ts';
import { engineAlertOf } from './definitions.ts';
import type { EngineStatus } from './engine-status.ts';
import { factTimes } from './fact-times.ts';
import type { Rule } from './rule.ts';
import { capitalized, humanDuration } from './texts.ts';

/** What needs attention, as every reader shows it: what fires, what is kept without data, and what will fire. Times are epoch seconds. */

/** When it happens, and the figure of a feature, whose name is in columns of the same row; without these, the summary. */
function detailsOf({ labels, annotations: { summary = '', figure } }: AlertState, left: number | undefined): string {
  const { version, package: pkg } = labels;
  if (figure === undefined) return summary;
  const parts = [
    left === undefined ? [] : `in ${humanDuration(left)}`,
    figure,
    version === undefined ? [] : `version ${version}`,
    pkg === undefined ? [] : `package ${pkg}`,
  ];
  return `${capitalized(parts.flat().join(', '))}.`;
}

interface AttentionOptions {
  readonly status: Pick<EngineStatus, 'conditions' | 'rules'>;
  /** When a vendor license was collected last; `undefined` if that is not known. */
  readonly collectedAt: (vendorLicense: string | undefined) => Figure;
  readonly now: number;
}

function itemOf(alert: AlertState, rule: Rule | undefined, { collectedAt, now }: AttentionOptions): AttentionRow {
  const { labels, unknownSince, state, activeAt } = alert;
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
    details: `${detailsOf(alert, times.due && times.due - now)}${kept}`,
    ...times,
    alertsAt: isPending ? activeAt + rule.durations(labels).for : undefined,
    owner,
  };
}

/** All conditions that are met, in no order. A row is made when it is read, because there can be thousands. */
export function attentionItems(options: AttentionOptions): Iterable<AttentionRow> {
  const { rules, conditions } = options.status;
  const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
  return conditions
    .values()
    .filter(({ state }) => state !== 'resolved')
    .map((alert) => itemOf(alert, ruleOf.get(alert.rule), options));
}
