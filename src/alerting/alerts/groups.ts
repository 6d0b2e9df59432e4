import type { Log } from '../../base/model/log.ts';
import { byUrgency } from '../../base/model/urgency.ts';
import { namesText } from '../../base/texts.ts';
import { type AlertState, type AlertStates, groupLabels, type Labels, labelsKey } from './alert.ts';
import { urgencyOf } from './moment.ts';
import type { Grouping, Rule } from './rule.ts';
import type { Transition } from './state-machine.ts';
import { describe } from './texts.ts';

/**
 * Alerts as people get them: those of the features of a vendor license are one alert for each owner, and for each day on which
 * licenses expire. Conditions and their clocks are those of single features; this only sums up.
 */

/** An alert that is sent. Without members, it is about something else than features. */
export interface SentAlert extends AlertState {
  /** The alerts of features that it sums up, the worst first. Those that do not fire are left out while others do. */
  readonly members: readonly AlertState[];
  /** Of one that has ended: what is pending again. It is shown, while receivers are told of the end. */
  readonly pending?: SentAlert;
}

/** What people see of the alerts that are sent. */
export const shownAlerts = (sent: SentAlerts): readonly SentAlert[] =>
  [...sent.values()].map((alert) => alert.pending ?? alert);

/** By the text of their labels, see `labelsKey`. */
export type SentAlerts = ReadonlyMap<string, SentAlert>;

/** Maximum number of features in a text. */
const MAX_LISTED = 10;

type TimeName = 'activeAt' | 'firedAt' | 'resolvedAt' | 'knownAt' | 'unknownSince';

/** The smallest or largest of the times that are known. */
const extreme = (times: readonly (number | undefined)[], pick: (a: number, b: number) => number): number | undefined =>
  times.reduce((a, b) => (a === undefined || b === undefined ? (a ?? b) : pick(a, b)), undefined);

/** The name of a feature, with what tells its versions and packages apart. */
const nameOf = ({ feature = '', version = '', package: pkg = '' }: Labels): string =>
  [feature, version, pkg === '' ? '' : `(package ${pkg})`].filter((part) => part !== '').join(' ');

/** `base 1.0 (5 of 5 licenses)` */
export function memberText({ labels, annotations: { figure } }: AlertState): string {
  const name = nameOf(labels);
  return figure === undefined ? name : `${name} (${figure})`;
}

/** `base 1.0 (5 of 5 licenses), more (2 of 2 licenses) and 3 more` */
export const memberTexts = (members: readonly AlertState[]): string => namesText(members.map(memberText), MAX_LISTED);

/** One member says all about itself. */
function annotationsOf(members: readonly AlertState[], grouping: Grouping, labels: Labels): Labels {
  const { figure: _figure, when, ...own } = members[0]?.annotations ?? {};
  const { impact, step } = grouping;
  const first: Labels = { ...own, impact, step };
  const features = memberTexts(members);
  // one that was restored has the texts of before
  if (members.length < 2) return { ...(features !== '' && { features }), ...first };
  const { licenses: _licenses, ...common } = first;
  return {
    ...common,
    features,
    summary: grouping.summarize(
      labels,
      members.length,
      members.every((member) => member.annotations.when === when) ? when : undefined,
    ),
    description: describe(`${features}.`, impact, step),
  };
}

/** An alert is as far as the furthest of its features. */
const furthestFirst = ['firing', 'resolved', 'pending'] as const;

/** The worst first: that with the largest value, or that which happens or happened first. */
function sortMembers(alerts: readonly AlertState[], worst: Grouping['worst']): readonly AlertState[] {
  const byName = (a: AlertState, b: AlertState): number => (labelsKey(a.labels) < labelsKey(b.labels) ? -1 : 1);
  if (worst === 'largest') return alerts.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0) || byName(a, b));
  return alerts
    .map((alert) => ({ alert, urgency: urgencyOf(alert) }))
    .sort((a, b) => byUrgency(a.urgency, b.urgency) || byName(a.alert, b.alert))
    .map(({ alert }) => alert);
}

/** Features as one alert: its members, the worst first, and its times. */
function combine(all: readonly AlertState[], { worst }: Grouping): SentAlert {
  const state = furthestFirst.find((each) => all.some((member) => member.state === each));
  const counting = all.filter((member) => member.state === state);
  const members = sortMembers(counting, worst);
  const first = members[0] as AlertState;
  const timesOf = (name: TimeName) => counting.map((member) => member[name]);
  const ifAll = <Value>(name: 'keepFiringSince' | 'unknownSince' | 'ending', value: Value): Value | undefined =>
    counting.every((member) => member[name] !== undefined) ? value : undefined;
  return {
    ...first,
    activeAt: extreme(timesOf('activeAt'), Math.min) ?? first.activeAt,
    firedAt: extreme(timesOf('firedAt'), Math.min),
    keepFiringSince: ifAll('keepFiringSince', first.keepFiringSince),
    resolvedAt: extreme(timesOf('resolvedAt'), Math.max),
    knownAt: extreme(timesOf('knownAt'), Math.max) ?? first.knownAt,
    unknownSince: ifAll('unknownSince', extreme(timesOf('unknownSince'), Math.min)),
    ending: ifAll('ending', first.ending),
    members,
  };
}

/** The rules about licenses that end on one day, the last stage first. All before the one that fires have ended. */
const order: readonly string[] = [
  'LicenseExpired/critical',
  'LicenseExpired/warning',
  'LicenseExpiringSoon/critical',
  'LicenseExpiringSoon/warning',
  'LicenseExpiringSoon/info',
];

const severityTexts: Readonly<Record<string, string>> = {
  critical: 'now critical',
  warning: 'now a warning',
  info: 'now for information',
};

/** How an alert has ended when another stage goes on. */
const endingText = ({ labels }: SentAlert, last: SentAlert): string | undefined =>
  labels.alertname === last.labels.alertname ? severityTexts[last.labels.severity ?? ''] : 'now expired';

/** The stage that goes on: the last one, but one that is only kept firing has become a lower severity, such as by a renewal for a part. */
function goesOn(alerts: readonly (readonly [string, SentAlert])[]): readonly [string, SentAlert] {
  const [last] = alerts as [(typeof alerts)[number]];
  const { labels, keepFiringSince } = last[1];
  const met = alerts.find(([, one]) => one.labels.alertname === labels.alertname && one.keepFiringSince === undefined);
  return keepFiringSince === undefined ? last : (met ?? last);
}

/** Ends alerts that a later stage of the same licenses replaces: nobody gets two about one day. */
function endEarlierStages(sent: Map<string, SentAlert>): void {
  const ofDay = [...sent].filter(([, { labels, state }]) => labels.expires !== undefined && state === 'firing');
  const same = Map.groupBy(ofDay, ([, { labels }]) => labelsKey({ ...labels, alertname: '', severity: '' }));
  for (const alerts of same.values()) {
    alerts.sort(([, a], [, b]) => order.indexOf(a.rule) - order.indexOf(b.rule));
    const [lastKey, last] = goesOn(alerts);
    for (const [key, alert] of alerts) {
      if (key === lastKey) continue;
      const resolvedAt = extreme([last.firedAt, alert.firedAt], Math.max);
      sent.set(key, { ...alert, state: 'resolved', resolvedAt, ending: endingText(alert, last) });
    }
  }
}

/** What alerts of features are summed up by. */
export interface SumUpOptions {
  readonly rules: readonly Rule[];
  /** Annotations that link an alert to what helps about it. */
  readonly linksOf: (labels: Labels) => Labels;
}

/**
 * The alerts that are sent.
 *
 * @param before those of the last evaluation
 */
export function sumUpAlerts(states: AlertStates, before: SentAlerts, { rules, linksOf }: SumUpOptions): SentAlerts {
  const groupings = new Map(rules.map(({ id, grouping }) => [id, grouping]));
  const same = Map.groupBy(states.values(), ({ rule, labels }) =>
    labelsKey(groupings.get(rule) === undefined ? labels : groupLabels(labels)),
  );
  const sent = new Map<string, SentAlert>();
  for (const [key, alerts] of same) {
    const last = alerts.at(-1) as AlertState;
    const grouping = groupings.get(last.rule);
    if (grouping === undefined) {
      sent.set(key, { ...last, annotations: { ...last.annotations, ...linksOf(last.labels) }, members: [] });
      continue;
    }
    const labels = groupLabels(last.labels);
    const summedUp = (of: readonly AlertState[]): SentAlert => {
      const one = of.length === 1 ? { ...(of[0] as AlertState), members: of } : combine(of, grouping);
      return { ...one, labels, annotations: { ...annotationsOf(one.members, grouping, labels), ...linksOf(labels) } };
    };
    const one = summedUp(alerts);
    const earlier = before.get(key);
    const pending = one.state === 'resolved' ? alerts.filter(({ state }) => state === 'pending') : [];
    sent.set(key, {
      ...one,
      ...(pending.length > 0 && { pending: summedUp(pending) }),
      // it goes on as long as one of its features does
      firedAt:
        earlier?.state === 'firing' && one.state === 'firing'
          ? extreme([earlier.firedAt, one.firedAt], Math.min)
          : one.firedAt,
    });
  }
  endEarlierStages(sent);
  return sent;
}

/** What has changed between two evaluations, for those who are told of each change. */
export function changesOf(before: SentAlerts, after: SentAlerts): readonly Transition[] {
  const changed = [...after].flatMap(([key, { labels, state }]): readonly Transition[] =>
    before.get(key)?.state === state ? [] : [{ labels, to: state }],
  );
  const gone = [...before].flatMap(([key, { labels, state }]): readonly Transition[] => {
    if (after.has(key) || state === 'resolved') return [];
    return [{ labels, to: state === 'pending' ? 'inactive' : 'lapsed' }];
  });
  return [...changed, ...gone];
}

/** If an evaluation has more changes, only their counts are logged: a line for each would block the event loop. */
const MAX_LOGGED = 20;

/** Logs which alerts fire, are resolved, or lapse. */
export function logChanges(changes: readonly Transition[], log: Log): void {
  const logged = changes.filter(({ to }) => to !== 'pending' && to !== 'inactive');
  if (logged.length <= MAX_LOGGED) {
    for (const { labels, to } of logged) log.info({ labels, to }, 'alert');
    return;
  }
  const groups = Map.groupBy(logged, ({ labels, to }) => `${labels.alertname} ${to}`);
  log.info({ counts: Object.fromEntries([...groups].map(([key, { length }]) => [key, length])) }, 'many alerts');
}
