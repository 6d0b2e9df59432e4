import type { Owners } from '../model/owners.ts';
import { type Finding, identityOf, type Labels, withoutEmpty } from './alert.ts';
import { isListEmpty } from './insights.ts';
import { createIgnore, type Matcher } from './matchers.ts';
import { aboutSite, type EvaluatedRule, type Evaluation, type Rule, type View } from './rule.ts';

export interface EvaluationOptions {
  readonly rules: readonly Rule[];
  /** Alerts whose labels match all matchers of a group are ignored. */
  readonly ignore: readonly (readonly Matcher[])[];
  /** Labels that are added to every alert when it is sent. Matchers apply to them too. */
  readonly commonLabels: Labels;
  readonly address: Address;
  /** The annotation `runbook_url` of a rule. */
  readonly runbookUrl: (name: string) => string;
}

/** Labels with those of who acts on an alert, and without those of who acted on it before. */
export type Address = (labels: Labels) => Labels;

/**
 * Who acts on a vendor license or a feature, by the mapping of now. An alert about no vendor license is about the polls of this
 * daemon: it has its shard.
 */
export const createAddress =
  (owners: () => Owners, shard: string): Address =>
  (labels) => {
    const { vendor_license: vendorLicense, feature } = labels;
    const added = vendorLicense === undefined ? { shard } : owners().of(vendorLicense, feature);
    // labels of the rule identify the alert
    return { ...withoutEmpty(added), ...identityOf(labels) };
  };

/** Evaluates rules one by one, in slices, because a large site takes long. */
export function createEvaluation(options: EvaluationOptions) {
  const { rules, ignore, commonLabels, runbookUrl } = options;
  const isIgnored = ignore.length === 0 ? undefined : createIgnore(ignore);

  /** With the labels of those who act on it, and a link. */
  const complete = (runbook: string, { labels, annotations, ...finding }: Finding): Finding => ({
    ...finding,
    labels: options.address(labels),
    annotations: { ...annotations, runbook_url: runbook },
  });

  const evaluate = function* (rule: Rule, view: View): Generator<void, Evaluation> {
    const evaluation = yield* rule.evaluate(view);
    const runbook = runbookUrl(rule.name);
    const findings = evaluation.findings.map((finding) => complete(runbook, finding));
    // that nothing is listed is an alert of its own, which fires later: until then, nothing else ends
    const isEmptied = isListEmpty(view.inventory);
    return {
      ...evaluation,
      unknownAbout: isEmptied ? new Set([...evaluation.unknownAbout, '']) : evaluation.unknownAbout,
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

const nothingKnown: Evaluation = {
  findings: [],
  isUnknown: () => true,
  unknownAbout: aboutSite(true),
  hasNoData: true,
};

/** The result of rules that cannot be evaluated: the condition of every alert is unknown. */
export const unknownEvaluation = (rules: readonly Rule[]): readonly EvaluatedRule[] =>
  rules.map((rule) => ({ rule, evaluation: nothingKnown }));
