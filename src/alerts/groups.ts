import { type AlertState, groupLabels, type Labels, labelsKey } from './alert.ts';
import type { Grouping, Rule, Severity } from './rule.ts';
import type { AlertStates, Transition } from './state-machine.ts';

/**
 * Alerts as people get them: those of the features of a vendor license are one alert for each owner, and for each day on which
 * licenses expire. Conditions and their clocks are those of single features; this only sums up.
 */

/** An alert that is sent. Without members, it is about something else than features. */
export interface SentAlert extends AlertState {
  /** The alerts of features that it sums up, the worst first. Those that do not fire are left out while others do. */
  readonly members: readonly AlertState[];
}

/** By the text of their labels, see `labelsKey`. */
export type SentAlerts = ReadonlyMap<string, SentAlert>;

/** Maximum number of features in a text. */
const MAX_LISTED = 10;

const least = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => Math.min(a, b));
};
const greatest = (times: readonly number[]): number => times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);

/** The name of a feature, with what tells its versions and packages apart. */
const nameOf = ({ feature = '', version = '', package: pkg = '' }: Labels): string =>
  [feature, version, pkg === '' ? '' : `(package ${pkg})`].filter((part) => part !== '').join(' ');

/** `base 1.0 (5 of 5 licenses), more (2 of 2 licenses) and 3 more` */
function listText(members: readonly AlertState[]): string {
  const listed = members.slice(0, MAX_LISTED).map(({ labels, annotations: { figure } }) => {
    const name = nameOf(labels);
    return figure === undefined ? name : `${name} (${figure})`;
  });
  const others = members.length > MAX_LISTED ? ` and ${members.length - MAX_LISTED} more` : '';
  return `${listed.join(', ')}${others}`;
}

/** One member says all about itself. */
function annotationsOf(members: readonly AlertState[], grouping: Grouping, labels: Labels): Labels {
  const { figure: _figure, ...first } = members[0]?.annotations ?? {};
  const features = listText(members);
  // one that was restored has the texts of before
  if (members.length < 2) return { ...(features !== '' && { features }), ...first };
  const { licenses: _licenses, ...common } = first;
  return {
    ...common,
    features,
    summary: grouping.summarize(labels, members.length),
    description: `${features}. ${grouping.remedy}`,
  };
}

/** Whether a member stands for all features: it was restored without knowing them. */
const isWhole = ({ labels }: AlertState): boolean => labels.feature === undefined;

function sumUp(
  labels: Labels,
  all: readonly AlertState[],
  grouping: Grouping,
  before: SentAlert | undefined,
): SentAlert {
  const firing = all.filter(({ state }) => state === 'firing');
  const resolved = all.filter(({ state }) => state === 'resolved');
  const state = firing.length > 0 ? 'firing' : resolved.length > 0 ? 'resolved' : 'pending';
  const counting = state === 'firing' ? firing : state === 'resolved' ? resolved : all;
  const named = counting.filter((member) => !isWhole(member));
  const sign = grouping.worst === 'smallest' ? 1 : -1;
  const members = (named.length === 0 ? counting : named).toSorted(
    (a, b) => sign * ((a.value ?? 0) - (b.value ?? 0)) || (labelsKey(a.labels) < labelsKey(b.labels) ? -1 : 1),
  );
  const [first] = members as [AlertState, ...AlertState[]];
  const isUnknown = counting.every(({ unknownSince }) => unknownSince !== undefined);
  const started = least(counting.map(({ firedAt }) => firedAt));
  // it goes on as long as one of its features does
  const firedAt = before?.state === 'firing' && state === 'firing' ? least([before.firedAt, started]) : started;
  return {
    ...first,
    labels,
    annotations: annotationsOf(members, grouping, labels),
    state,
    activeAt: least(counting.map(({ activeAt }) => activeAt)) ?? first.activeAt,
    firedAt,
    keepFiringSince: counting.every(({ keepFiringSince }) => keepFiringSince !== undefined)
      ? first.keepFiringSince
      : undefined,
    resolvedAt: state === 'resolved' ? greatest(resolved.map(({ resolvedAt = 0 }) => resolvedAt)) : undefined,
    knownAt: greatest(counting.map(({ knownAt }) => knownAt)),
    unknownSince: isUnknown ? least(counting.map(({ unknownSince }) => unknownSince)) : undefined,
    now: counting.every(({ now }) => now !== undefined) ? first.now : undefined,
    members,
  };
}

/** The alerts about licenses that end on one day, the last one first. All before the one that fires have ended. */
const stages: readonly (readonly [alertname: string, severity: Severity, now: string])[] = [
  ['LicenseExpired', 'critical', 'expired'],
  ['LicenseExpired', 'warning', 'expired'],
  ['LicenseExpiringSoon', 'critical', 'critical'],
  ['LicenseExpiringSoon', 'warning', 'a warning'],
  ['LicenseExpiringSoon', 'info', 'for information'],
];

const stageOf = ({ labels }: SentAlert): number =>
  stages.findIndex(([alertname, severity]) => labels.alertname === alertname && labels.severity === severity);

/** Ends alerts that a later stage of the same licenses replaces: nobody gets two about one day. */
function withoutEarlierStages(sent: Map<string, SentAlert>): void {
  const ofDay = [...sent].filter(([, { labels, state }]) => labels.expires !== undefined && state === 'firing');
  const same = Map.groupBy(ofDay, ([, { labels }]) => labelsKey({ ...labels, alertname: '', severity: '' }));
  for (const alerts of same.values()) {
    const [last, ...earlier] = alerts.toSorted(([, a], [, b]) => stageOf(a) - stageOf(b));
    const [, , now] = last === undefined ? [] : (stages[stageOf(last[1])] ?? []);
    for (const [key, alert] of earlier) {
      const resolvedAt = Math.max(last?.[1].firedAt ?? 0, alert.firedAt ?? 0);
      sent.set(key, { ...alert, state: 'resolved', resolvedAt, now });
    }
  }
}

export interface SumUpOptions {
  readonly rules: readonly Rule[];
  /** A link that silences an alert with these labels; `undefined` if it is not known where. */
  readonly silenceUrl: (labels: Labels) => string | undefined;
}

/**
 * The alerts that are sent.
 *
 * @param before those of the last evaluation
 */
export function sumUpAlerts(states: AlertStates, before: SentAlerts, { rules, silenceUrl }: SumUpOptions): SentAlerts {
  const groupings = new Map(rules.map(({ id, grouping }) => [id, grouping]));
  const sent = new Map<string, SentAlert>();
  const groups = new Map<string, { labels: Labels; grouping: Grouping; all: AlertState[] }>();
  for (const alert of states.values()) {
    const grouping = groupings.get(alert.rule);
    if (grouping === undefined) {
      sent.set(labelsKey(alert.labels), { ...alert, members: [] });
      continue;
    }
    const labels = groupLabels(alert.labels);
    const key = labelsKey(labels);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { labels, grouping, all: [alert] });
    else group.all.push(alert);
  }
  for (const [key, { labels, grouping, all }] of groups) sent.set(key, sumUp(labels, all, grouping, before.get(key)));
  withoutEarlierStages(sent);
  for (const [key, alert] of sent) {
    const url = silenceUrl(alert.labels);
    if (url !== undefined) sent.set(key, { ...alert, annotations: { ...alert.annotations, silence_url: url } });
  }
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
