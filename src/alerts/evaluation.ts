import type { Owners } from '../model/owners.ts';
import { type Finding, type Labels, withoutEmpty } from './alert.ts';
import { isListEmpty } from './insights.ts';
import { createIgnore, type Matcher } from './matchers.ts';
import type { EvaluatedRule, Evaluation, Rule, View } from './rule.ts';

export interface EvaluationOptions {
  readonly rules: readonly Rule[];
  /** Alerts whose labels match all matchers of a group are ignored. */
  readonly ignore: readonly (readonly Matcher[])[];
  /** Labels that are added to every alert when it is sent. Matchers apply to them too. */
  readonly commonLabels: Labels;
  /** Who acts on a vendor license. It can change at any time; alerts that have begun keep their labels. */
  readonly owners: () => Owners;
  /** The annotation `runbook_url` of a rule. */
  readonly runbookUrl: (name: string) => string;
  /** The annotation `silence_url` of an alert. */
  readonly silenceUrl: (labels: Labels) => string | undefined;
}

/** Evaluates rules one by one, in slices, because a large site takes long. */
export function createEvaluation(options: EvaluationOptions) {
  const { rules, ignore, commonLabels, runbookUrl, silenceUrl } = options;
  const isIgnored = ignore.length === 0 ? undefined : createIgnore(ignore);

  /** The labels of those who act on it, and links. */
  const address = (owners: Owners, runbook: string, { labels, annotations, ...finding }: Finding): Finding => {
    const { vendor_license: vendorLicense, feature } = labels;
    const owned = vendorLicense === undefined ? {} : withoutEmpty(owners.of(vendorLicense, feature));
    const silence = silenceUrl(labels);
    return {
      ...finding,
      // labels of the rule identify the alert
      labels: { ...owned, ...labels },
      annotations: { ...annotations, runbook_url: runbook, ...(silence !== undefined && { silence_url: silence }) },
    };
  };

  const evaluate = function* (rule: Rule, view: View): Generator<void, Evaluation> {
    const evaluation = yield* rule.evaluate(view);
    const [owners, runbook] = [options.owners(), runbookUrl(rule.name)];
    const findings = evaluation.findings.map((finding) => address(owners, runbook, finding));
    // that nothing is listed is an alert of its own, which fires later: until then, nothing else ends
    const isEmptied = isListEmpty(view.inventory);
    return {
      ...evaluation,
      isUnknown: (labels) => (isEmptied && labels.vendor_license !== undefined) || evaluation.isUnknown(labels),
      findings:
        isIgnored === undefined
          ? findings
          : findings.filter(({ labels }) => !isIgnored({ ...commonLabels, ...labels })),
    };
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
