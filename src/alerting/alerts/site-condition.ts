import type { Shape, Values } from './alert-settings.ts';
import type { Condition, Told } from './definition.ts';
import { aboutSite, type Evaluation, type View } from './rule.ts';

/** The result for one subject: not met, not known, or met with what is said about it. */
export type Met = (Told & { readonly value?: number }) | 'unknown' | false;

/** The result of a condition that is known, or not, for the site as a whole. */
export const siteEvaluation = (findings: Evaluation['findings'], isUnknown: boolean): Evaluation => ({
  findings,
  isUnknown: () => isUnknown,
  unknownAbout: aboutSite(isUnknown),
  hasNoData: isUnknown,
});

/** A condition of the site as a whole. */
export const siteCondition =
  <S extends Shape>(met: (view: View, values: Values<S>) => Met): Condition<S> =>
  ({ finding, settings: { base } }) =>
  (view) => {
    const result = met(view, base);
    const findings = result === 'unknown' || result === false ? [] : [finding({}, result, result.value)];
    return siteEvaluation(findings, result === 'unknown');
  };
