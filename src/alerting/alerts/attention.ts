import type { AttentionMember, AttentionRow } from '../../base/model/attention-row.ts';
import { capitalized, durationText } from '../../base/texts.ts';
import type { AlertState } from './alert.ts';
import { severityOf } from './alert-classes.ts';
import { attentionClasses } from './definition.ts';
import { engineAlertOf } from './definitions.ts';
import type { EngineStatus } from './engine-status.ts';
import { memberText, type SentAlert } from './groups.ts';
import { factTimes } from './moment.ts';
import type { Rule } from './rule.ts';

/** What needs attention, as every reader shows it: what fires, what is kept without data, and what will fire. Times are epoch seconds. */

/** When it happens, and the figure of a feature, whose name is in columns of the same row; without these, the summary. */
function detailsOf({ labels, annotations: { summary = '', figure } }: AlertState, when = ''): string {
  const { version, package: pkg } = labels;
  if (figure === undefined) return summary;
  const parts = [
    when === '' ? [] : when,
    figure,
    version === undefined ? [] : `version ${version}`,
    pkg === undefined ? [] : `package ${pkg}`,
  ];
  return `${capitalized(parts.flat().join(', '))}.`;
}

interface AttentionOptions {
  readonly status: Pick<EngineStatus, 'alerts' | 'rules'>;
  readonly now: number;
}

/** When it fires if it lasts; `undefined` for what fires, and while its clock stands still. */
const alertsAtOf = ({ state, unknownSince, activeAt, labels }: AlertState, rule: Rule | undefined) =>
  state === 'pending' && unknownSince === undefined && rule !== undefined
    ? activeAt + rule.durations(labels).for
    : undefined;

function memberOf(alert: AlertState, rule: Rule | undefined, { now }: AttentionOptions): AttentionMember {
  const times = factTimes(alert);
  const when = times.due === undefined ? undefined : `in ${durationText(times.due - now)}`;
  return {
    feature: alert.labels.feature,
    text: memberText(alert),
    when,
    details: detailsOf(alert, when),
    noticed: alert.activeAt,
    ...times,
    alertsAt: alertsAtOf(alert, rule),
  };
}

function itemOf(alert: SentAlert, rule: Rule | undefined, options: AttentionOptions): AttentionRow {
  const { labels, annotations, unknownSince, state } = alert;
  const { alertname = '', vendor_license: vendorLicense, owner } = labels;
  const severity = severityOf(alert);
  const times = factTimes(alert);
  const { what = alertname, class: place = 'later' } = engineAlertOf(alertname)?.attention ?? {};
  const kept = unknownSince === undefined ? '' : ' Its condition is not known now.';
  return {
    alert: alertname,
    what,
    rank: attentionClasses[typeof place === 'string' ? place : place(times.due, options.now, severity)],
    severity,
    state: state === 'firing' ? 'firing' : 'pending',
    vendorLicense,
    part: labels.license_source ?? labels.endpoint,
    details: `${annotations.summary ?? ''}${kept}`,
    noticed: alert.activeAt,
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
