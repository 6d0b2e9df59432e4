import { isKnown } from '../../base/model/unknown.ts';
import { countText, numberText } from '../../base/texts.ts';
import type { FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { VendorLicenseRow } from '../../exporter/inventory/vendor-license-row.ts';
import type { Finding, Labels } from './alert.ts';
import type { Shape, Values } from './alert-settings.ts';
import type { Condition, RuleContext, Told } from './definition.ts';
import { aboutSite, type Evaluation, type SourceState, type View } from './rule.ts';
import { usageText } from './texts.ts';

/** Conditions of alerts about the site, a vendor license or a feature: what is met, and what is not known. */

/** The result for one subject: not met, not known, or met with what is said about it. */
export type Met = (Told & { readonly value?: number }) | 'unknown' | false;

/** The result of a condition that is known, or not, for the site as a whole. */
export const siteEvaluation = (findings: Evaluation['findings'], isUnknown: boolean): Evaluation => ({
  findings,
  isUnknown: () => isUnknown,
  unknownAbout: aboutSite(isUnknown),
  hasNoData: isUnknown,
});

export const siteCondition =
  <S extends Shape>(met: (view: View, values: Values<S>) => Met): Condition<S> =>
  ({ finding, settings: { base } }) =>
  (view) => {
    const result = met(view, base);
    const findings = result === 'unknown' || result === false ? [] : [finding({}, result, result.value)];
    return siteEvaluation(findings, result === 'unknown');
  };

/** A condition of each vendor license. @param hasNoData whether nothing is known about any */
export const vendorLicenseCondition =
  <S extends Shape>(
    hasNoData: (view: View) => boolean,
    met: (row: VendorLicenseRow, values: Values<S>, view: View) => Met,
  ): Condition<S> =>
  ({ parametersOf, finding }) =>
  (view) => {
    const unknown = new Set<string>();
    const findings = view.inventory.vendorLicenses.flatMap((row): Finding[] => {
      const { vendorLicense } = row;
      const values = parametersOf({ vendorLicense });
      const result = values.enabled && met(row, values, view);
      if (result === 'unknown') unknown.add(vendorLicense);
      if (result === 'unknown' || result === false) return [];
      return [finding({ vendor_license: vendorLicense }, result, result.value)];
    });
    const isEmpty = hasNoData(view);
    return {
      findings,
      isUnknown: ({ vendor_license = '' }) => isEmpty || unknown.has(vendor_license),
      unknownAbout: isEmpty ? aboutSite(true) : unknown,
      hasNoData: isEmpty,
    };
  };

/** The labels of a source. Another label `source` says who sends the alert. */
export const labelsOf = ({ name, manager }: SourceState) => ({ license_source: name, manager });

/** Whether as many readings in succession failed. */
export const isDown = ({ failedReadings = 0 }: SourceState, readings: number): boolean => failedReadings >= readings;

/** An evaluation of the sources. Without any, there is no data; a source that was removed has no alerts. */
export const evaluateSources = (
  { sources = [] }: View,
  findings: Evaluation['findings'],
  isUnknown: (source: SourceState, vendorLicense: string | undefined) => boolean,
): Evaluation => ({
  findings,
  isUnknown: ({ license_source: name, vendor_license: vendorLicense }) => {
    const source = sources.find((candidate) => candidate.name === name);
    return source !== undefined && isUnknown(source, vendorLicense);
  },
  // also if it is only not known whether a vendor license is of this source
  unknownAbout: aboutSite(
    sources.length === 0 || sources.some((source) => isUnknown(source, undefined) || isUnknown(source, '')),
  ),
  hasNoData: sources.every(({ failedReadings }) => failedReadings === undefined),
});

/**
 * The condition of one feature: `false`, `unknown` because a value is missing, `not reported` where the feature has no
 * usage to evaluate, or the data of a finding.
 */
type FeatureResult = { readonly value: number; readonly isRaised: boolean } | 'unknown' | 'not reported' | false;

/** A condition of each feature, which may remember earlier views. */
interface FeatureCondition<V> {
  condition(row: FeatureRow, values: V, view: View): FeatureResult;
  /** Whether a feature of the vendor license that is not listed does not exist. Otherwise it is unknown. */
  isKnown(view: View, vendorLicense: string): boolean;
  tell(row: FeatureRow, value: number, view: View, values: V): Told;
  /** Labels beside those of the feature. */
  label?(value: number, view: View): Labels;
  /** Called before and after the conditions of one evaluation. */
  begin?(view: View): void;
  end?(): void;
}

/** Features evaluated between two yields. */
const SLICE = 1000;

/** The labels of a feature as one text, equal to `FeatureRow.key`. */
export const featureKey = ({
  vendor_license = '',
  feature = '',
  version = '',
  package: pkg = '',
  feature_type = '',
}: Labels) => JSON.stringify([vendor_license, feature, version, pkg, feature_type]);

/** The condition of a rule about features: one finding for each feature that meets it. */
export const featureCondition =
  <S extends Shape>(begin: (context: RuleContext<Values<S>>) => FeatureCondition<Values<S>>): Condition<S> =>
  (context) => {
    const { parametersOf, finding } = context;
    const of = begin(context);
    return function* (view) {
      const findings: Finding[] = [];
      const unknown = new Set<string>();
      const unknownAbout = new Set<string>();
      const { features, vendorLicenses } = view.inventory;
      of.begin?.(view);
      let read = 0;
      let known = 0;
      for (const row of features) {
        read += 1;
        if (read % SLICE === 0) yield;
        const values = parametersOf(row);
        if (!values.enabled) continue;
        const result = of.condition(row, values, view);
        if (result === 'not reported') continue;
        if (result !== 'unknown') known += 1;
        if (result === false) continue;
        if (result === 'unknown') {
          unknown.add(row.key);
          unknownAbout.add(row.vendorLicense);
        } else {
          const { value, isRaised } = result;
          const { vendorLicense: vendor_license, feature, version, package: pkg, featureType: feature_type } = row;
          const subject = { vendor_license, feature, version, package: pkg, feature_type, ...of.label?.(value, view) };
          findings.push(finding(subject, of.tell(row, value, view, values), value, isRaised));
        }
      }
      of.end?.();
      for (const { vendorLicense } of vendorLicenses) {
        if (!of.isKnown(view, vendorLicense)) unknownAbout.add(vendorLicense);
      }
      // before the first list of vendor licenses, nothing is known about any
      if (!view.inventory.knowledge.products) unknownAbout.add('');
      return {
        findings,
        unknownAbout,
        isUnknown: (labels) => {
          const { vendor_license: vendorLicense = '' } = labels;
          if (!of.isKnown(view, vendorLicense)) return true;
          return unknown.has(featureKey(labels));
        },
        hasNoData: features.length === 0 || (known === 0 && unknown.size > 0),
      };
    };
  };

/** Whether a feature of the vendor license that GetFeatures does not list does not exist. */
export const isUsageKnown = ({ inventory }: View, vendorLicense: string): boolean =>
  inventory.knowledge.features(vendorLicense);

/** The same for its expiry. */
export const isExpiryKnown = ({ inventory }: View, vendorLicense: string): boolean =>
  inventory.knowledge.expiries(vendorLicense);

/** The name of the feature in texts. */
export const nameOf = ({
  vendorLicense,
  feature,
  version,
  package: pkg,
}: Pick<FeatureRow, 'vendorLicense' | 'feature' | 'version' | 'package'>): string => {
  const more = [version === '' ? '' : ` ${version}`, pkg === '' ? '' : ` (package ${pkg})`].join('');
  return `${feature}${more} of ${vendorLicense}`;
};

/** `26 of 28 licenses are in use`, if it is known. @param whose such as ` of base 1.0` */
export function inUseText(row: FeatureRow, whose = ''): string | undefined {
  const usage = usageText(row);
  if (usage === undefined) return undefined;
  const { inUse, maxAvailable } = row;
  if (isKnown(inUse) && isKnown(maxAvailable) && inUse > maxAvailable) {
    const over = `${numberText(inUse - maxAvailable)} more than the ${numberText(maxAvailable)} that there are`;
    return `${countText(inUse, 'license')}${whose} ${inUse === 1 ? 'is' : 'are'} in use, ${over}`;
  }
  return `${usage}${whose} ${inUse === 1 ? 'is' : 'are'} in use`;
}
