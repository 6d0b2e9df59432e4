import type { Labels } from './alert.ts';
import { createIgnore, type Matcher } from './matchers.ts';
import type { EvaluatedRule, Evaluation, Rule, View } from './rule.ts';

export interface EvaluationOptions {
  readonly rules: readonly Rule[];
  /** Alerts whose labels match all matchers of a group are ignored. */
  readonly ignore: readonly (readonly Matcher[])[];
  /** Labels that are added to every alert when it is sent. Matchers apply to them too. */
  readonly commonLabels: Labels;
  /** The annotation `runbook_url` of a rule. */
  readonly runbookUrl: (name: string) => string | undefined;
}

/** Evaluates rules one by one, in slices, because a large site takes long. */
export function createEvaluation({ rules, ignore, commonLabels, runbookUrl }: EvaluationOptions) {
  const isIgnored = ignore.length === 0 ? undefined : createIgnore(ignore);

  const evaluate = function* (rule: Rule, view: View): Generator<void, Evaluation> {
    const evaluation = yield* rule.evaluate(view);
    let { findings } = evaluation;
    if (isIgnored !== undefined) findings = findings.filter(({ labels }) => !isIgnored({ ...commonLabels, ...labels }));
    const url = runbookUrl(rule.name);
    if (url !== undefined) {
      findings = findings.map((finding) => ({ ...finding, annotations: { ...finding.annotations, runbook_url: url } }));
    }
    return { ...evaluation, findings };
  };

  return function* (view: View): Generator<void, readonly EvaluatedRule[]> {
    const evaluated: EvaluatedRule[] = [];
    for (const rule of rules) {
      evaluated.push({ rule, evaluation: yield* evaluate(rule, view) });
      yield;
    }
    return evaluated;
  };
}

const nothingKnown: Evaluation = { findings: [], isUnknown: () => true, hasNoData: true };

/** The result of rules that cannot be evaluated: the condition of every alert is unknown. */
export const unknownEvaluation = (rules: readonly Rule[]): readonly EvaluatedRule[] =>
  rules.map((rule) => ({ rule, evaluation: nothingKnown }));
