import type { AttentionMember, AttentionRow } from '../../base/model/attention-row.ts';
import { type Figure, isKnown } from '../../base/model/unknown.ts';
import { capitalized, durationText } from '../../base/texts.ts';
import type { AlertState } from './alert.ts';
import { severityOf } from './alert-classes.ts';
import { attentionClasses } from './definition.ts';
import { engineAlertOf } from './definitions.ts';
import type { EngineStatus } from './engine-status.ts';
import { memberText, type SentAlert } from './groups.ts';
import type { Rule } from './rule.ts';

/** What needs attention, as every reader shows it: what fires, what is kept without data, and what will fire. Times are epoch seconds. */

/** Epoch seconds. Exactly one of them is there. */
interface FactTimes {
  /** Since when it has been so, as far as the data says. */
  readonly since: number | undefined;
  /** When something happens that has not happened yet. */
  readonly due: number | undefined;
}

/** @param collectedAt of a vendor license: when it was collected last, epoch seconds */
export function factTimes(alert: AlertState, collectedAt: (vendorLicense: string | undefined) => Figure): FactTimes {
  const { activeAt, knownAt, value = Number.NaN, labels } = alert;
  const beginning = (at: number): FactTimes => ({ since: Math.min(activeAt, at), due: undefined });
  const time = engineAlertOf(labels.alertname)?.attention.time;
  if (time === 'since last collection') {
    const collection = collectedAt(labels.vendor_license);
    return beginning(isKnown(collection) ? collection : activeAt);
  }
  // after a restart, until the rule is evaluated
  if (time === undefined || Number.isNaN(value)) return beginning(activeAt);
  if (time === 'value is time since') return beginning(knownAt - value);
  return { since: undefined, due: time === 'value is time until' ? knownAt + value : value };
}

/** When it happens, and the figure of a feature, whose name is in columns of the same row; without these, the summary. */
function detailsOf({ labels, annotations: { summary = '', figure } }: AlertState, left: number | undefined): string {
  const { version, package: pkg } = labels;
  if (figure === undefined) return summary;
  const parts = [
    left === undefined ? [] : `in ${durationText(left)}`,
    figure,
    version === undefined ? [] : `version ${version}`,
    pkg === undefined ? [] : `package ${pkg}`,
  ];
  return `${capitalized(parts.flat().join(', '))}.`;
}

interface AttentionOptions {
  readonly status: Pick<EngineStatus, 'alerts' | 'rules'>;
  /** When a vendor license was collected last; `undefined` if that is not known. */
  readonly collectedAt: (vendorLicense: string | undefined) => Figure;
  readonly now: number;
}

/** When it fires if it lasts; `undefined` for what fires, and while its clock stands still. */
const alertsAtOf = ({ state, unknownSince, activeAt, labels }: AlertState, rule: Rule | undefined) =>
  state === 'pending' && unknownSince === undefined && rule !== undefined
    ? activeAt + rule.durations(labels).for
    : undefined;

function memberOf(alert: AlertState, rule: Rule | undefined, { collectedAt, now }: AttentionOptions): AttentionMember {
  const times = factTimes(alert, collectedAt);
  return {
    feature: alert.labels.feature,
    text: memberText(alert),
    details: detailsOf(alert, times.due && times.due - now),
    ...times,
    alertsAt: alertsAtOf(alert, rule),
  };
}

function itemOf(alert: SentAlert, rule: Rule | undefined, options: AttentionOptions): AttentionRow {
  const { labels, annotations, unknownSince, state } = alert;
  const { alertname = '', vendor_license: vendorLicense, owner } = labels;
  const severity = severityOf(alert);
  const times = factTimes(alert, options.collectedAt);
  const { what = alertname, class: place = 'later' } = engineAlertOf(alertname)?.attention ?? {};
  const kept = unknownSince === undefined ? '' : ' Its condition is not known now.';
  return {
    alert: alertname,
    what,
    rank: attentionClasses[typeof place === 'string' ? place : place(times.due, options.now, severity)],
    severity,
    state: state === 'firing' ? 'firing' : 'pending',
    vendorLicense,
    details: `${annotations.summary ?? ''}${kept}`,
    ...times,
    alertsAt: alertsAtOf(alert, rule),
    owner,
    members: alert.members.map((member) => {
      const item = memberOf(member, rule, options);
      return { ...item, details: `${item.details}${kept}` };
    }),
  };
}

/** The alerts that fire or are pending, as they are counted, in no order. A row is made when it is read. */
export function attentionItems(options: AttentionOptions): Iterable<AttentionRow> {
  const { rules, alerts } = options.status;
  const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
  return alerts
    .values()
    .filter(({ state }) => state !== 'resolved')
    .map((alert) => itemOf(alert, ruleOf.get(alert.rule), options));
}
