import type { FeatureRow } from '../inventory/feature-row.ts';
import type { Finding, Labels } from './alert.ts';
import {
  aboutSite,
  createRule,
  type Grouping,
  type Rule,
  type RuleFactory,
  type RuleOptions,
  type View,
} from './rule.ts';
import type { Durations } from './rule-settings.ts';
import { localDateText, usageText } from './texts.ts';

/** Rules about features: one alert for each feature that meets the condition. */

/**
 * The condition of one feature: `false`, `unknown` because a value is missing, `not reported` where the feature has no
 * usage to evaluate, or the data of a finding.
 */
type FeatureCondition = { readonly value: number; readonly isRaised: boolean } | 'unknown' | 'not reported' | false;

export interface FeatureRuleOptions<P extends Durations> extends Omit<RuleOptions<P>, 'evaluate'> {
  readonly grouping: Grouping;
  condition(row: FeatureRow, parameters: P, view: View): FeatureCondition;
  /** Whether a feature of the vendor license that is not listed does not exist. Otherwise it is unknown. */
  isKnown(view: View, vendorLicense: string): boolean;
  annotate(row: FeatureRow, value: number, view: View, parameters: P): Labels;
  /** Labels beside those of the feature. */
  label?(value: number, view: View): Labels;
  /** Called before and after the conditions of one evaluation. */
  begin?(view: View): void;
  end?(): void;
}

/** Features evaluated between two yields. */
const SLICE = 1000;

/** The labels of a feature as one text, equal to `FeatureRow.key`. */
const featureKey = ({
  vendor_license = '',
  feature = '',
  version = '',
  package: pkg = '',
  feature_type = '',
}: Labels) => JSON.stringify([vendor_license, feature, version, pkg, feature_type]);

export function createFeatureRule<P extends Durations>(options: FeatureRuleOptions<P>): Rule {
  return createRule<P>({
    ...options,
    *evaluate(view, { parametersOf, finding }) {
      const findings: Finding[] = [];
      const unknown = new Set<string>();
      const unknownAbout = new Set<string>();
      const { features, vendorLicenses } = view.inventory;
      options.begin?.(view);
      let read = 0;
      let known = 0;
      for (const row of features.scan()) {
        read += 1;
        if (read % SLICE === 0) yield;
        const parameters = parametersOf(row);
        if (!parameters.enabled) continue;
        const condition = options.condition(row, parameters, view);
        if (condition === 'not reported') continue;
        if (condition !== 'unknown') known += 1;
        if (condition === false) continue;
        if (condition === 'unknown') {
          unknown.add(row.key);
          unknownAbout.add(row.vendorLicense);
        } else {
          const subject = {
            vendor_license: row.vendorLicense,
            feature: row.feature,
            version: row.version,
            package: row.package,
            feature_type: row.featureType,
            ...options.label?.(condition.value, view),
          };
          findings.push(
            finding(
              subject,
              options.annotate(row, condition.value, view, parameters),
              condition.value,
              condition.isRaised,
            ),
          );
        }
      }
      options.end?.();
      for (const { vendorLicense } of vendorLicenses) {
        if (!options.isKnown(view, vendorLicense)) unknownAbout.add(vendorLicense);
      }
      // before the first list of vendor licenses, nothing is known about any
      if (!view.inventory.knowledge.products) unknownAbout.add('');
      return {
        findings,
        unknownAbout,
        isUnknown: (labels) => {
          const { vendor_license: vendorLicense = '', feature } = labels;
          if (!options.isKnown(view, vendorLicense)) return true;
          // one that was restored without its features may be about any of them
          return feature === undefined ? unknownAbout.has(vendorLicense) : unknown.has(featureKey(labels));
        },
        hasNoData: features.count === 0 || (known === 0 && unknown.size > 0),
      };
    },
  });
}

/** Whether a feature of the vendor license that GetFeatures does not list does not exist. */
export const isUsageKnown = ({ inventory }: View, vendorLicense: string): boolean =>
  inventory.knowledge.features(vendorLicense);

/** The name of the feature in annotations. */
export const nameOf = ({
  vendorLicense,
  feature,
  version,
  package: pkg,
}: Pick<FeatureRow, 'vendorLicense' | 'feature' | 'version' | 'package'>): string => {
  const more = [version === '' ? '' : ` ${version}`, pkg === '' ? '' : ` (package ${pkg})`].join('');
  return `${feature}${more} of ${vendorLicense}`;
};

/** `26 of 28 licenses are in use.`, if it is known. */
const inUseText = (row: FeatureRow): string => {
  const usage = usageText(row);
  return usage === undefined ? '' : `${usage} are in use. `;
};

const QUEUED_REMEDY = 'Users are waiting for a license. Look for idle checkouts and unused reservations.';

interface QueuedParameters extends Durations {
  /** Number of requests. */
  readonly above: number;
}

export const createQueued: RuleFactory<QueuedParameters> = (name, settings) =>
  createFeatureRule({
    name,
    severity: 'warning',
    settings,
    threshold: ({ above }) => above,
    grouping: {
      worst: 'largest',
      summarize: ({ vendorLicense, count }) => `Requests are queued for ${count} features of ${vendorLicense}.`,
      remedy: QUEUED_REMEDY,
    },
    condition: ({ isReported, maxQueued }, { above }) => {
      if (!isReported) return 'not reported';
      if (maxQueued === undefined) return 'unknown';
      return maxQueued > above && { value: maxQueued, isRaised: true };
    },
    isKnown: isUsageKnown,
    annotate: (row, queued) => ({
      summary: `Requests are queued for ${nameOf(row)}: ${queued}.`,
      description: `${inUseText(row)}${QUEUED_REMEDY}`,
      figure: queued === 1 ? '1 waits' : `${queued} wait`,
    }),
  });

const DENIED_REMEDY = 'Compare the peak usage of a feature with its number of licenses.';

interface DenialsParameters extends Durations {
  /** Denials in a day. */
  readonly above: number;
  /** Maximum age of that day, seconds. */
  readonly maxAge: number;
}

export const createDenials: RuleFactory<DenialsParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: ({ above }) => above,
    grouping: {
      worst: 'largest',
      summarize: ({ vendorLicense, count }) =>
        `License requests for ${count} features of ${vendorLicense} were denied.`,
      remedy: DENIED_REMEDY,
    },
    evaluate: ({ now, denied, inventory: { history, polls }, timeZone }, { parametersOf, finding }) => {
      /** The inventory contains only current history. Missing history is unknown. */
      const known = new Set<string>();
      const days = [
        ...[...history].map(({ vendorLicense, feature, package: pkg, featureType, at, denials }) => ({
          ...{ vendorLicense, feature, package: pkg, featureType, at, denials },
          isToday: false,
        })),
        ...(denied ?? []).map((row) => ({ ...row, at: now, isToday: true })),
      ];
      const findings = days.flatMap(
        ({ vendorLicense, feature, package: pkg, featureType, at, denials, isToday }): Finding[] => {
          if (denials === undefined) return [];
          const subject = { vendor_license: vendorLicense, feature, package: pkg, feature_type: featureType };
          const key = featureKey(subject);
          if (known.has(key)) return [];
          known.add(key);
          const { enabled, above, maxAge } = parametersOf({ vendorLicense, feature });
          if (!enabled || denials <= above || now - at >= maxAge) return [];
          const when = isToday
            ? 'today'
            : `on ${localDateText(at, timeZone)}, the newest day of the analyzer's history`;
          const annotations = {
            summary: `License requests for ${feature} of ${vendorLicense} were denied: ${denials}.`,
            description: `The requests were denied ${when}. ${DENIED_REMEDY}`,
            figure: `${denials} denied`,
          };
          return [finding(subject, annotations, denials)];
        },
      );
      const isKnown =
        denied !== undefined || polls.some(({ endpoint, success }) => endpoint === 'GetHistory' && success);
      return {
        findings,
        isUnknown: (labels) => (labels.feature === undefined ? !isKnown : !known.has(featureKey(labels))),
        unknownAbout: aboutSite(!isKnown),
        hasNoData: history.count === 0 && denied === undefined,
      };
    },
  });
