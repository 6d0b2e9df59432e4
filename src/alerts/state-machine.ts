import { type AlertState, type Finding, fingerprint, type Labels } from './alert.ts';
import type { Judgement, Rule } from './rule.ts';

/** Alerts by fingerprint of their labels. */
export type AlertStates = ReadonlyMap<string, AlertState>;

/** A change that people and Alertmanager may want to know of. */
export interface Transition {
  readonly labels: Labels;
  /** `inactive`: the condition ended before the alert fired. `lapsed`: nothing was known of it for too long. */
  readonly to: 'pending' | 'firing' | 'resolved' | 'inactive' | 'lapsed';
}

export interface Step {
  readonly states: AlertStates;
  readonly transitions: readonly Transition[];
}

export interface StepOptions {
  /** How long an alert is held while nothing is known of it, seconds. */
  readonly unknownHold: number;
  /** How long a resolved alert is kept, to be told again, seconds; 0 forgets it at once. */
  readonly resolvedRetention: number;
}

/** What a rule says of one of its alerts. */
type Verdict =
  | { readonly is: 'raised' | 'not cleared'; readonly finding: Finding }
  | { readonly is: 'false' | 'unknown' };

const verdictOf = (finding: Finding | undefined, judgement: Judgement, labels: Labels): Verdict => {
  if (finding !== undefined) return { is: finding.isRaised ? 'raised' : 'not cleared', finding };
  return { is: judgement.isUnknown(labels) ? 'unknown' : 'false' };
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

/** For how long an alert has stood still that something is known of again: its clocks go on from where they stood. */
const frozenFor = ({ unknownSince, knownAt }: AlertState, now: number): number =>
  unknownSince === undefined ? 0 : Math.max(0, now - knownAt);

/** An alert that its rule has said something of; `undefined` when it is over without having been told to anybody. */
function advance(before: AlertState, rule: Rule, verdict: Verdict, now: number): AlertState | undefined {
  const frozen = frozenFor(before, now);
  const known = { knownAt: now, unknownSince: undefined };
  if (before.state === 'pending') {
    if (verdict.is !== 'raised') return undefined;
    const { annotations, value } = verdict.finding;
    const activeAt = before.activeAt + frozen;
    const pending = { ...before, ...known, annotations, value, activeAt };
    return now - activeAt >= rule.durations(before.labels).for
      ? { ...pending, state: 'firing', firedAt: now }
      : pending;
  }
  if ('finding' in verdict) {
    const { annotations, value } = verdict.finding;
    return { ...before, ...known, annotations, value, keepFiringSince: undefined };
  }
  const since = before.keepFiringSince === undefined ? now : before.keepFiringSince + frozen;
  if (now - since < rule.durations(before.labels).keepFiringFor) return { ...before, ...known, keepFiringSince: since };
  return { ...before, ...known, keepFiringSince: since, state: 'resolved', resolvedAt: now, sentAt: undefined };
}

/** An alert of which nothing is known: everything stands still, and after the hold it is let go without a word. */
function freeze(before: AlertState, now: number, { unknownHold }: StepOptions): AlertState | undefined {
  const unknownSince = before.unknownSince ?? now;
  return now - unknownSince >= unknownHold ? undefined : { ...before, unknownSince };
}

/**
 * One evaluation: from the alerts before, and what the rules say now, to the alerts after. Pure; an alert never changes
 * its labels. Alerts of rules that are no more are let go.
 *
 * @param now epoch seconds
 */
export function step(
  before: AlertStates,
  judged: readonly { readonly rule: Rule; readonly judgement: Judgement }[],
  now: number,
  options: StepOptions,
): Step {
  const states = new Map<string, AlertState>();
  const transitions: Transition[] = [];
  const told = (labels: Labels, to: Transition['to']): void => void transitions.push({ labels, to });
  const ofRule = Map.groupBy(before, ([, alert]) => alert.rule);

  for (const { rule, judgement } of judged) {
    const findings = new Map(judgement.findings.map((finding) => [fingerprint(finding.labels), finding]));
    for (const [key, alert] of ofRule.get(rule.id) ?? []) {
      const finding = findings.get(key);
      if (alert.state === 'resolved') {
        // raised again, it is a new alert
        const isOver = now - (alert.resolvedAt ?? now) >= options.resolvedRetention || finding?.isRaised === true;
        if (!isOver) states.set(key, alert);
        continue;
      }
      findings.delete(key);
      const verdict = verdictOf(finding, judgement, alert.labels);
      const after = verdict.is === 'unknown' ? freeze(alert, now, options) : advance(alert, rule, verdict, now);
      if (after === undefined) told(alert.labels, verdict.is === 'unknown' ? 'lapsed' : 'inactive');
      else if (after.state !== alert.state) told(alert.labels, after.state);
      if (after !== undefined && (after.state !== 'resolved' || options.resolvedRetention > 0)) states.set(key, after);
    }
    for (const [key, finding] of findings) {
      if (!finding.isRaised) continue;
      const pending = begin(rule.id, finding, now);
      const alert = advance(pending, rule, { is: 'raised', finding }, now) ?? pending;
      states.set(key, alert);
      told(finding.labels, alert.state);
    }
  }
  const rules = new Set(judged.map(({ rule }) => rule.id));
  for (const alert of before.values()) if (!rules.has(alert.rule)) told(alert.labels, 'lapsed');
  return { states, transitions };
}
