import { durationText } from '../../base/texts.ts';
import type { Address } from './address.ts';
import { type AlertState, type AlertStates, beginAlert, type Finding, fingerprint, type Labels } from './alert.ts';
import type { EvaluatedRule, Evaluation, Rule } from './rule.ts';

/** A change of state that is logged and saved. */
export interface Transition {
  readonly labels: Labels;
  /** `inactive`: the condition ended before the alert fired. `lapsed`: the condition was unknown for too long. */
  readonly to: 'pending' | 'firing' | 'resolved' | 'inactive' | 'lapsed';
}

interface Step {
  readonly states: AlertStates;
  readonly transitions: readonly Transition[];
}

interface StepOptions {
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

/** How long the condition of an alert was unknown, seconds. */
const stoppedFor = ({ unknownSince, knownAt }: AlertState, now: number): number =>
  unknownSince === undefined ? 0 : Math.max(0, now - knownAt);

/** What an alert is about, without its severity. */
const subjectOf = (labels: Labels): string => fingerprint({ ...labels, severity: '' });

/** Since when alerts wait. One that moves to another severity has waited already: otherwise, one that goes to and fro never fires. */
const waitingSince = (alerts: AlertStates, now: number): ReadonlyMap<string, number> =>
  new Map(
    alerts
      .values()
      .filter(({ state }) => state === 'pending')
      .map((alert) => [subjectOf(alert.labels), alert.activeAt + stoppedFor(alert, now)]),
  );

/** What the last value may lack of the time at which an alert ends, seconds: some evaluations. */
const LAST_VALUE = 600;

/** How an alert has ended whose condition is not met any more; `undefined` if it is over. @param notMetFor seconds */
function endingOf({ labels, value = 0, threshold }: AlertState, rule: Rule, notMetFor: number): string | undefined {
  const compared = rule.thresholdOf(labels);
  if (threshold !== undefined && compared !== undefined && compared.value !== threshold)
    return `the threshold was changed to ${compared.text}`;
  const longest = rule.endsAfter(labels);
  const isToldForLong = value + notMetFor + LAST_VALUE >= longest;
  return isToldForLong ? `no longer reported after ${durationText(longest)}` : undefined;
}

/**
 * An alert whose condition is known; `undefined` when it ends while pending. Clocks that stopped while the condition was unknown
 * continue.
 */
function advance(before: AlertState, rule: Rule, finding: Finding | undefined, now: number): AlertState | undefined {
  const stopped = stoppedFor(before, now);
  const { annotations, value } = finding ?? before;
  const threshold = finding === undefined ? before.threshold : rule.thresholdOf(before.labels)?.value;
  const known: AlertState = { ...before, annotations, value, threshold, knownAt: now, unknownSince: undefined };
  if (before.state === 'pending') {
    if (finding?.isRaised !== true) return undefined;
    const activeAt = before.activeAt + stopped;
    const hasLasted = now - activeAt >= rule.durations(before.labels).for;
    return { ...known, activeAt, ...(hasLasted && { state: 'firing', firedAt: now }) };
  }
  if (finding !== undefined) return { ...known, keepFiringSince: undefined };
  const keepFiringSince = before.keepFiringSince === undefined ? now : before.keepFiringSince + stopped;
  const isOver = now - keepFiringSince >= rule.durations(before.labels).keepFiringFor;
  if (!isOver) return { ...known, keepFiringSince };
  return {
    ...known,
    keepFiringSince,
    state: 'resolved',
    resolvedAt: now,
    ending: endingOf(before, rule, now - keepFiringSince),
  };
}

/** An alert that has ended without being over; `undefined` if it is pending. */
const endAs = (before: AlertState, ending: string, now: number): AlertState | undefined =>
  before.state === 'pending'
    ? undefined
    : { ...before, knownAt: now, unknownSince: undefined, state: 'resolved', resolvedAt: now, ending };

/** The alert after an evaluation of its rule; `undefined` when it ends while pending. */
function next(before: AlertState, { rule, evaluation }: EvaluatedRule, finding: Finding | undefined, now: number) {
  const ending = finding === undefined ? evaluation.endingOf?.(before.labels) : undefined;
  return ending === undefined ? advance(before, rule, finding, now) : endAs(before, ending, now);
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

/** Whether a resolved alert need not be sent any more. */
function isSettled({ resolvedAt }: AlertState, now: number, options: StepOptions): boolean {
  const { unknownHold, resolvedRetention, deliveredAt = now } = options;
  const age = now - (resolvedAt ?? now);
  const isDelivered = deliveredAt > now - age || resolvedRetention === 0;
  return age >= resolvedRetention + (isDelivered ? 0 : unknownHold);
}

/**
 * The alerts after one evaluation of the rules. Pure. The labels of an alert never change here. Alerts whose rule no longer exists
 * are resolved.
 *
 * @param now epoch seconds
 */
export function step(
  before: AlertStates,
  evaluated: readonly EvaluatedRule[],
  now: number,
  options: StepOptions,
): Step {
  const { unknownHold, address } = options;
  const isSeen = createSight(evaluated);
  const states = new Map<string, AlertState>();
  const transitions: Transition[] = [];
  const report = (labels: Labels, to: Transition['to']): void => void transitions.push({ labels, to });
  const keep = (key: string, alert: AlertState): void => {
    if (alert.state !== 'resolved' || !isSettled(alert, now, options)) states.set(key, alert);
  };
  const ofRule = Map.groupBy(before, ([, alert]) => alert.rule);
  const waiting = waitingSince(before, now);

  for (const { rule, evaluation } of evaluated) {
    const findings = new Map(evaluation.findings.map((finding) => [fingerprint(finding.labels), finding]));
    const own = ofRule.get(rule.id) ?? [];
    ofRule.delete(rule.id);
    for (const [key, alert] of own) {
      const finding = findings.get(key);
      if (alert.state === 'resolved') {
        // when the condition is met again, a new alert begins
        if (finding?.isRaised !== true) keep(key, alert);
        continue;
      }
      findings.delete(key);
      const isUnknown = finding === undefined && evaluation.isUnknown(alert.labels);
      const longest = isSeen(alert, evaluation) ? unknownHold : LONGEST_HOLD;
      const after = isUnknown ? hold(alert, now, longest) : next(alert, { rule, evaluation }, finding, now);
      if (after === undefined) report(alert.labels, isUnknown ? 'lapsed' : 'inactive');
      else {
        if (after.state !== alert.state) report(alert.labels, after.state);
        keep(key, after);
      }
    }
    for (const [key, finding] of findings) {
      const since = waiting.get(subjectOf(finding.labels)) ?? now;
      const pending = beginAlert(rule.id, { ...finding, labels: address(finding.labels) }, since);
      const begun = advance(pending, rule, finding, now);
      if (begun === undefined) continue;
      states.set(key, begun);
      report(begun.labels, begun.state);
    }
  }
  for (const [key, alert] of [...ofRule.values()].flat()) {
    if (alert.state !== 'resolved') report(alert.labels, alert.state === 'firing' ? 'resolved' : 'inactive');
    if (alert.state !== 'pending') keep(key, { ...alert, state: 'resolved', resolvedAt: alert.resolvedAt ?? now });
  }
  return { states, transitions };
}
