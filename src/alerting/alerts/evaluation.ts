import type { Address } from './address.ts';
import type { Finding, Labels } from './alert.ts';
import { isListEmpty } from './insights.ts';
import { createIgnore, type Matcher } from './matchers.ts';
import { type EvaluatedRule, type Evaluation, nothingKnown, type Rule, type View } from './rule.ts';

/** The rules, and which of their alerts are left out. */
export interface EvaluationOptions {
  readonly rules: readonly Rule[];
  /** Alerts whose labels match all matchers of a group are ignored. */
  readonly ignore: readonly (readonly Matcher[])[];
  /** Labels that are added to every alert when it is sent. Matchers apply to them too. */
  readonly commonLabels: Labels;
  readonly address: Address;
}

/** That nothing is listed is an alert of its own, which fires later: until then, nothing else ends. */
const ofEmptiedList = ({ unknownAbout, isUnknown }: Evaluation): Partial<Evaluation> => ({
  unknownAbout: new Set([...unknownAbout, '']),
  isUnknown: (labels) => labels.vendor_license !== undefined || isUnknown(labels),
});

/** Evaluates rules one by one, in slices, because a large site takes long. */
export function createEvaluation({ rules, ignore, commonLabels, address }: EvaluationOptions) {
  const isIgnored = createIgnore(ignore);
  const isWanted = ({ labels }: Finding): boolean => !isIgnored({ ...commonLabels, ...address(labels) });
  return function* (view: View): Generator<void, readonly EvaluatedRule[]> {
    const evaluated: EvaluatedRule[] = [];
    for (const rule of rules) {
      const evaluation = yield* rule.evaluate(view);
      const findings = ignore.length === 0 ? evaluation.findings : evaluation.findings.filter(isWanted);
      const emptied = isListEmpty(view.inventory) && ofEmptiedList(evaluation);
      evaluated.push({ rule, evaluation: { ...evaluation, findings, ...emptied } });
      yield;
    }
    return evaluated;
  };
}

/** The result of rules that cannot be evaluated: the condition of every alert is unknown. */
export const unknownEvaluation = (rules: readonly Rule[]): readonly EvaluatedRule[] =>
  rules.map((rule) => ({ rule, evaluation: nothingKnown }));
