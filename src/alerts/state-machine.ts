import { type AlertState, type Finding, fingerprint, groupLabels, keyOf, type Labels, labelsKey } from './alert.ts';
import type { Address } from './evaluation.ts';
import type { EvaluatedRule, Evaluation, Rule } from './rule.ts';

/** Alerts by their keys, see `keyOf`. */
export type AlertStates = ReadonlyMap<string, AlertState>;

/** A change of state that is logged and saved. */
export interface Transition {
  readonly labels: Labels;
  /** `inactive`: the condition ended before the alert fired. `lapsed`: the condition was unknown for too long. */
  readonly to: 'pending' | 'firing' | 'resolved' | 'inactive' | 'lapsed';
}

export interface Step {
  readonly states: AlertStates;
  readonly transitions: readonly Transition[];
}

export interface StepOptions {
  /** How long an alert is kept while its condition is unknown and other data is known, seconds. */
  readonly unknownHold: number;
  /** Who acts on an alert now. */
  readonly address: Address;
  /** How long a resolved alert is kept and sent again, seconds; 0 drops it at once. */
  readonly resolvedRetention: number;
  /**
   * When the last Alertmanager accepted something, epoch seconds; by default now. A resolved alert is kept until that is after its
   * end, but no longer than Alertmanager keeps it without news: `unknownHold` more.
   */
  readonly deliveredAt?: number;
}

/** The condition of one alert. */
type Condition =
  | { readonly is: 'raised' | 'not cleared'; readonly finding: Finding }
  | { readonly is: 'false' | 'unknown' };

const conditionOf = (finding: Finding | undefined, evaluation: Evaluation, labels: Labels): Condition => {
  if (finding !== undefined) return { is: finding.isRaised ? 'raised' : 'not cleared', finding };
  return { is: evaluation.isUnknown(labels) ? 'unknown' : 'false' };
};

const begin = (
  rule: string,
  { labels, annotations, value }: Finding,
  now: number,
  activeAt: number | undefined,
): AlertState => ({
  rule,
  labels,
  annotations,
  value,
  state: 'pending',
  activeAt: activeAt ?? now,
  firedAt: undefined,
  keepFiringSince: undefined,
  resolvedAt: undefined,
  knownAt: now,
  unknownSince: undefined,
  now: undefined,
});

/** How long the condition of an alert was unknown. Its clocks continue from where they stopped. */
const heldFor = ({ unknownSince, knownAt }: AlertState, now: number): number =>
  unknownSince === undefined ? 0 : Math.max(0, now - knownAt);

/** What an alert is about, without its severity. */
const subjectOf = (labels: Labels): string => fingerprint({ ...labels, severity: '' });

/** Since when alerts wait. One that moves to another severity has waited already: otherwise, one that goes to and fro never fires. */
const waitingSince = (alerts: AlertStates, now: number): ReadonlyMap<string, number> =>
  new Map(
    alerts
      .values()
      .filter(({ state }) => state === 'pending')
      .map((alert) => [subjectOf(alert.labels), alert.activeAt + heldFor(alert, now)]),
  );

/** An alert whose condition is known; `undefined` when it ends while pending. */
function advance(before: AlertState, rule: Rule, condition: Condition, now: number): AlertState | undefined {
  const held = heldFor(before, now);
  const known = { knownAt: now, unknownSince: undefined };
  if (before.state === 'pending') {
    if (condition.is !== 'raised') return undefined;
    const { annotations, value } = condition.finding;
    const activeAt = before.activeAt + held;
    const pending = { ...before, ...known, annotations, value, activeAt };
    return now - activeAt >= rule.durations(before.labels).for
      ? { ...pending, state: 'firing', firedAt: now }
      : pending;
  }
  if ('finding' in condition) {
    const { annotations, value } = condition.finding;
    return { ...before, ...known, annotations, value, keepFiringSince: undefined };
  }
  const since = before.keepFiringSince === undefined ? now : before.keepFiringSince + held;
  if (now - since < rule.durations(before.labels).keepFiringFor) return { ...before, ...known, keepFiringSince: since };
  return { ...before, ...known, keepFiringSince: since, state: 'resolved', resolvedAt: now };
}

/** How long an alert is kept at most while nothing is known, seconds. */
const LONGEST_HOLD = 86_400;

/** While these fire, the analyzer is not seen. */
const unseeing: ReadonlySet<string> = new Set(['LicenseAnalyzerUnreachable', 'LicenseAnalyzerAuthFailing']);

/** Whether data that an alert is about can be seen now: what is not met then has ended, or cannot be known from it. */
function createSight(evaluated: readonly EvaluatedRule[]): (alert: AlertState, evaluation: Evaluation) => boolean {
  const isUnseen = evaluated.some(({ rule, evaluation }) => unseeing.has(rule.name) && evaluation.findings.length > 0);
  const unread = evaluated.find(({ rule }) => rule.name === 'LicenseSourceDown')?.evaluation.findings ?? [];
  const unreadVendorLicenses = new Set(unread.map(({ labels }) => labels.vendor_license ?? ''));
  return ({ labels }, { hasNoData }) =>
    !isUnseen && !hasNoData && !unreadVendorLicenses.has(labels.vendor_license ?? ' ');
}

/** An alert whose condition is unknown. Its clocks stop. After the hold it is dropped, not resolved. */
function hold(before: AlertState, now: number, longest: number): AlertState | undefined {
  const unknownSince = before.unknownSince ?? now;
  return now - unknownSince >= longest ? undefined : { ...before, unknownSince };
}

/** How an alert goes on for those who acted on it before. */
function movedText({ owner: before }: Labels, { owner }: Labels): string {
  if (owner === before) return 'with other labels';
  return owner === undefined ? 'without an owner' : `with ${owner}`;
}

/**
 * Alerts with the labels of who acts on them now. One that fires is ended with its labels of before, because for Alertmanager
 * another label makes another alert.
 */
function readdress(
  before: AlertStates,
  at: number,
  { address }: StepOptions,
  isWhole: (alert: AlertState) => boolean,
): AlertStates {
  const moved = [...before].flatMap(([key, alert]): [string, AlertState][] => {
    // who acts on features is not known without them
    const isKept = alert.state === 'resolved' || isWhole(alert);
    const labels = isKept ? alert.labels : address(alert.labels);
    const names = Object.keys(labels);
    const isSame =
      names.length === Object.keys(alert.labels).length && names.every((name) => labels[name] === alert.labels[name]);
    if (isSame) return [[key, alert]];
    const next: AlertState = { ...alert, labels };
    if (alert.state === 'pending') return [[key, next]];
    const now = movedText(alert.labels, labels);
    const ended: AlertState = { ...alert, state: 'resolved', resolvedAt: at, now };
    return [
      [key, next],
      [keyOf(ended), ended],
    ];
  });
  const all = new Map(moved);
  if (!moved.some(([, { now }]) => now !== undefined)) return all;
  // one that has its labels of before again is not over
  for (const [, { labels, state }] of moved) if (state !== 'resolved') all.delete(keyOf({ labels, now: '' }));
  return all;
}

/** Whether a resolved alert need not be sent any more. */
function isSettled({ resolvedAt }: AlertState, now: number, options: StepOptions): boolean {
  const { unknownHold, resolvedRetention, deliveredAt = now } = options;
  const age = now - (resolvedAt ?? now);
  const isDelivered = deliveredAt > now - age || resolvedRetention === 0;
  return age >= resolvedRetention + (isDelivered ? 0 : unknownHold);
}

/** By the labels of what is sent: whether a feature of it fires, or else what is found about one. */
function groupsOf(
  alerts: readonly (readonly [string, AlertState])[],
  findings: readonly Finding[],
): ReadonlyMap<string, Finding | 'firing'> {
  const firing = alerts.filter(([, { state, labels }]) => state === 'firing' && labels.feature !== undefined);
  return new Map<string, Finding | 'firing'>([
    ...findings.map((finding) => [labelsKey(groupLabels(finding.labels)), finding] as const),
    ...firing.map(([, { labels }]) => [labelsKey(groupLabels(labels)), 'firing'] as const),
  ]);
}

/**
 * The alerts after one evaluation of the rules. Pure. What identifies an alert never changes; its other labels say who acts on it
 * now. Alerts whose rule no longer exists are resolved.
 *
 * @param now epoch seconds
 */
export function step(saved: AlertStates, evaluated: readonly EvaluatedRule[], now: number, options: StepOptions): Step {
  const grouped = new Set(evaluated.flatMap(({ rule }) => (rule.grouping === undefined ? [] : rule.id)));
  /** Whether an alert was restored as it was sent: it is about features that are not known. */
  const isWhole = ({ rule, labels }: AlertState): boolean => grouped.has(rule) && labels.feature === undefined;
  const before = readdress(saved, now, options, isWhole);
  const isSeen = createSight(evaluated);
  const states = new Map<string, AlertState>();
  const transitions: Transition[] = [];
  const report = (labels: Labels, to: Transition['to']): void => void transitions.push({ labels, to });
  const ofRule = Map.groupBy(before, ([, alert]) => alert.rule);
  const waiting = waitingSince(before, now);

  for (const { rule, evaluation } of evaluated) {
    const findings = new Map(evaluation.findings.map((finding) => [fingerprint(finding.labels), finding]));
    const own = ofRule.get(rule.id) ?? [];
    const sent = own.some(([, alert]) => isWhole(alert)) ? groupsOf(own, evaluation.findings) : undefined;
    for (const [key, alert] of own) {
      const whole = isWhole(alert) ? sent?.get(labelsKey(alert.labels)) : undefined;
      // its features are alerts of their own now
      if (whole === 'firing') continue;
      const finding = whole === undefined ? findings.get(key) : { ...whole, labels: alert.labels, isRaised: false };
      if (alert.state === 'resolved') {
        // when the condition is met again, a new alert begins
        if (!isSettled(alert, now, options) && finding?.isRaised !== true) states.set(key, alert);
        continue;
      }
      findings.delete(key);
      const condition = conditionOf(finding, evaluation, alert.labels);
      const longest = isSeen(alert, evaluation) ? options.unknownHold : LONGEST_HOLD;
      const after = condition.is === 'unknown' ? hold(alert, now, longest) : advance(alert, rule, condition, now);
      if (after === undefined) report(alert.labels, condition.is === 'unknown' ? 'lapsed' : 'inactive');
      else if (after.state !== alert.state) report(alert.labels, after.state);
      if (after !== undefined && (after.state !== 'resolved' || options.resolvedRetention > 0)) states.set(key, after);
    }
    for (const [key, finding] of findings) {
      if (!finding.isRaised) continue;
      const pending = begin(rule.id, finding, now, waiting.get(subjectOf(finding.labels)));
      const alert = advance(pending, rule, { is: 'raised', finding }, now) ?? pending;
      states.set(key, alert);
      report(finding.labels, alert.state);
    }
  }
  const rules = new Set(evaluated.map(({ rule }) => rule.id));
  for (const [key, alert] of before) {
    if (rules.has(alert.rule)) continue;
    const { state } = alert;
    const after: AlertState = state === 'firing' ? { ...alert, state: 'resolved', resolvedAt: now } : alert;
    if (state !== 'resolved') report(alert.labels, state === 'firing' ? 'resolved' : 'inactive');
    if (state !== 'pending' && !isSettled(after, now, options)) states.set(key, after);
  }
  return { states, transitions };
}
