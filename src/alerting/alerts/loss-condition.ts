import { duration } from '../../base/settings/values.ts';
import { durationText, localTimeText, withWeekday } from '../../base/texts.ts';
import type { Finding } from './alert.ts';
import type { Shape, Values } from './alert-settings.ts';
import type { Met } from './conditions.ts';
import type { Condition } from './definition.ts';
import type { Drop, Missed, Past } from './past.ts';
import { aboutSite, type View } from './rule.ts';

/** A condition of what was there before and is missing now. */
interface LossCondition<V, Loss> {
  /** Whether it is about features, or about vendor licenses as a whole. */
  readonly isOfFeatures: boolean;
  losses(past: Past): readonly Loss[];
  met(loss: Loss, values: V, view: View): Exclude<Met, 'unknown'>;
  /** Whether a vendor license or a feature may have the condition. */
  isUnknown(past: Past, vendorLicense: string, feature?: string): boolean;
  /** Vendor licenses of which something that is listed may have the condition. */
  mayHave?(past: Past): ReadonlySet<string>;
}

/** The condition of an alert about what was there before. @param of what is lost, and how it is told */
export const lossCondition =
  <S extends Shape, Loss extends Missed | Drop>(of: LossCondition<Values<S>, Loss>): Condition<S> =>
  ({ parametersOf, finding }) =>
  (view) => {
    const { past, inventory } = view;
    const { products, features } = inventory.knowledge;
    const findings = of.losses(past).flatMap((loss): Finding[] => {
      const values = parametersOf(loss);
      const result = values.enabled && of.met(loss, values, view);
      const { vendorLicense: vendor_license, feature } = loss;
      return result === false ? [] : [finding({ vendor_license, feature }, result, result.value)];
    });
    const names = inventory.vendorLicenses.map(({ vendorLicense }) => vendorLicense);
    const unknown = of.isOfFeatures ? names.filter((name) => !features(name)) : [];
    return {
      findings,
      isUnknown: ({ vendor_license: vendorLicense = '', feature }) =>
        of.isOfFeatures && feature === undefined
          ? !features(vendorLicense)
          : of.isUnknown(past, vendorLicense, feature),
      unknownAbout: new Set([...aboutSite(!products), ...unknown, ...(of.mayHave?.(past) ?? [])]),
      hasNoData: of.isOfFeatures ? unknown.length === names.length : !products,
    };
  };

/** The setting of alerts about what is no longer listed. */
export const vanishedParameters = {
  within: duration(3600, 7 * 86_400)
    .prefault('1d')
    .describe('The alert ends this long after it was missed first.'),
};

/** What is no longer listed: vendor licenses, or features of those that are. */
export const vanishedCondition = (isOfFeatures: boolean): Condition<typeof vanishedParameters> =>
  lossCondition<typeof vanishedParameters, Missed>({
    isOfFeatures,
    losses: ({ missed }) => missed.filter(({ feature }) => (feature !== '') === isOfFeatures),
    met: ({ vendorLicense, feature, missedAt }, { within }, { now, timeZone }) => {
      const it = feature === '' ? vendorLicense : `feature ${feature} of ${vendorLicense}`;
      const summary = `The analyzer no longer lists ${it}.`;
      const facts = `It was missed first on ${withWeekday(localTimeText(missedAt, timeZone))}. The alert ends when it is back, or ${durationText(within)} after that time.`;
      return now - missedAt < within && { summary, facts, value: now - missedAt };
    },
    isUnknown: (past, vendorLicense, feature) => past.isUnknown(vendorLicense, feature),
  });
