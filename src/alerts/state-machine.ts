import { type AlertState, type Finding, fingerprint, type Labels } from './alert.ts';
import type { EvaluatedRule, Evaluation, Rule } from './rule.ts';

/** Alerts by the fingerprint of their labels. */
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
  /** How long an alert is kept while its condition is unknown, seconds. */
  readonly unknownHold: number;
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

const begin = (rule: string, { labels, annotations, value }: Finding, now: number): AlertState => ({
  rule,
  labels,
  annotations,
  value,
  state: 'pending',
  activeAt: now,
  firedAt: undefined,
  keepFiringSince: undefined,
  resolvedAt: undefined,
  knownAt: now,
  unknownSince: undefined,
  sentAt: undefined,
});

/** How long the condition of an alert was unknown. Its clocks continue from where they stopped. */
const heldFor = ({ unknownSince, knownAt }: AlertState, now: number): number =>
  unknownSince === undefined ? 0 : Math.max(0, now - knownAt);

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
  return { ...before, ...known, keepFiringSince: since, state: 'resolved', resolvedAt: now, sentAt: undefined };
}

/** An alert whose condition is unknown. Its clocks stop. After the hold it is dropped, not resolved. */
function hold(before: AlertState, now: number, { unknownHold }: StepOptions): AlertState | undefined {
  const unknownSince = before.unknownSince ?? now;
  return now - unknownSince >= unknownHold ? undefined : { ...before, unknownSince };
}

/** Whether a resolved alert need not be sent any more. */
function isSettled({ resolvedAt }: AlertState, now: number, options: StepOptions): boolean {
  const { unknownHold, resolvedRetention, deliveredAt = now } = options;
  const age = now - (resolvedAt ?? now);
  const isDelivered = deliveredAt > now - age || resolvedRetention === 0;
  return age >= resolvedRetention + (isDelivered ? 0 : unknownHold);
}

/**
 * The alerts after one evaluation of the rules. Pure; an alert never changes its labels. Alerts whose rule no longer
 * exists are resolved.
 *
 * @param now epoch seconds
 */
export function step(
  before: AlertStates,
  evaluated: readonly EvaluatedRule[],
  now: number,
  options: StepOptions,
): Step {
  const states = new Map<string, AlertState>();
  const transitions: Transition[] = [];
  const report = (labels: Labels, to: Transition['to']): void => void transitions.push({ labels, to });
  const ofRule = Map.groupBy(before, ([, alert]) => alert.rule);

  for (const { rule, evaluation } of evaluated) {
    const findings = new Map(evaluation.findings.map((finding) => [fingerprint(finding.labels), finding]));
    for (const [key, alert] of ofRule.get(rule.id) ?? []) {
      const finding = findings.get(key);
      if (alert.state === 'resolved') {
        // when the condition is met again, a new alert begins
        if (!isSettled(alert, now, options) && finding?.isRaised !== true) states.set(key, alert);
        continue;
      }
      findings.delete(key);
      const condition = conditionOf(finding, evaluation, alert.labels);
      const after = condition.is === 'unknown' ? hold(alert, now, options) : advance(alert, rule, condition, now);
      if (after === undefined) report(alert.labels, condition.is === 'unknown' ? 'lapsed' : 'inactive');
      else if (after.state !== alert.state) report(alert.labels, after.state);
      if (after !== undefined && (after.state !== 'resolved' || options.resolvedRetention > 0)) states.set(key, after);
    }
    for (const [key, finding] of findings) {
      if (!finding.isRaised) continue;
      const pending = begin(rule.id, finding, now);
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
