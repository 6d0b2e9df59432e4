import type { FeatureRow } from '../inventory/feature-row.ts';
import { type Finding, fingerprint, type Labels, raised, withoutEmpty } from './alert.ts';
import type { Judgement, Rule, Severity, View } from './rule.ts';
import {
  type Adjustable,
  createLookup,
  type Durations,
  type EngineRuleName,
  type RuleSettings,
} from './rule-settings.ts';

/** Rules about single features: one alert for each that meets the condition. */

/** What a rule says of one feature: nothing when the condition is known not to hold. */
type Assessment = { readonly value: number; readonly isRaised: boolean } | 'unknown' | undefined;

export interface FeatureRuleOptions<P extends Durations> {
  readonly name: EngineRuleName;
  readonly severity: Severity;
  readonly settings: Adjustable<P>;
  assess(entry: FeatureRow, parameters: P, now: number): Assessment;
  /** Whether everything is known that could tell of the features of a vendor license. */
  isKnown(view: View, vendorLicense: string): boolean;
  annotate(entry: FeatureRow, value: number): Labels;
  /** Where it is not that of the parameters, seconds. */
  keepFiringFor?(parameters: P): number;
}

const featureKey = ({
  vendor_license = '',
  feature = '',
  version = '',
  package: pkg = '',
  feature_type = '',
}: Labels) => JSON.stringify([vendor_license, feature, version, pkg, feature_type]);

export function createFeatureRule<P extends Durations>(options: FeatureRuleOptions<P>): Rule {
  const { name, severity, settings } = options;
  const lookup = createLookup(settings);
  const judge = (view: View): Judgement => {
    const findings: Finding[] = [];
    const unknown = new Set<string>();
    const { features } = view.inventory;
    for (const entry of features) {
      const parameters = lookup(entry.vendorLicense, entry.feature);
      if (!parameters.enabled) continue;
      const assessment = options.assess(entry, parameters, view.now);
      if (assessment === undefined) continue;
      if (assessment === 'unknown') unknown.add(entry.key);
      else {
        const labels = withoutEmpty({
          alertname: name,
          severity,
          vendor_license: entry.vendorLicense,
          feature: entry.feature,
          version: entry.version,
          package: entry.package,
          feature_type: entry.featureType,
        });
        findings.push({ labels, annotations: options.annotate(entry, assessment.value), ...assessment });
      }
    }
    return {
      findings,
      isUnknown: (labels) => !options.isKnown(view, labels.vendor_license ?? '') || unknown.has(featureKey(labels)),
      isBlind: features.count === 0,
    };
  };
  return {
    id: `${name}/${severity}`,
    name,
    severity,
    parameters: settings.base,
    durations: ({ vendor_license = '', feature = '' }) => {
      const parameters = lookup(vendor_license, feature);
      return { ...parameters, keepFiringFor: options.keepFiringFor?.(parameters) ?? parameters.keepFiringFor };
    },
    judge,
  };
}

const isUsageKnown = ({ inventory }: View, vendorLicense: string): boolean =>
  inventory.knowledge.features(vendorLicense);

/** The feature as people call it. */
export const nameOf = ({ vendorLicense, feature, version, package: pkg }: FeatureRow): string => {
  const more = [version === '' ? '' : ` ${version}`, pkg === '' ? '' : ` (package ${pkg})`].join('');
  return `${feature}${more} of ${vendorLicense}`;
};

export function createSaturated(settings: RuleSettings['LicenseFeatureSaturated']): Rule {
  return createFeatureRule<RuleSettings['LicenseFeatureSaturated']['base']>({
    name: 'LicenseFeatureSaturated',
    severity: 'warning',
    settings,
    assess: ({ isReported, inUse, maxAvailable }, { raise, clear }) => {
      if (!isReported || maxAvailable === 0) return undefined;
      if (inUse === undefined || maxAvailable === undefined) return 'unknown';
      const ratio = inUse / maxAvailable;
      return ratio >= clear ? { value: ratio, isRaised: ratio >= raise } : undefined;
    },
    isKnown: isUsageKnown,
    annotate: (entry, ratio) => ({
      summary: `${Math.floor(ratio * 100)} % of ${nameOf(entry)} is in use.`,
      description: `${entry.inUse} of ${entry.maxAvailable} licenses are in use. Users may be denied a license soon: look for idle checkouts and unused reservations, or buy more.`,
    }),
  });
}

export function createQueued(settings: RuleSettings['LicenseRequestsQueued']): Rule {
  return createFeatureRule<RuleSettings['LicenseRequestsQueued']['base']>({
    name: 'LicenseRequestsQueued',
    severity: 'warning',
    settings,
    assess: ({ isReported, maxQueued }, { above }) => {
      if (!isReported) return undefined;
      if (maxQueued === undefined) return 'unknown';
      return maxQueued > above ? { value: maxQueued, isRaised: true } : undefined;
    },
    isKnown: isUsageKnown,
    annotate: (entry, queued) => ({
      summary: `Requests are queued for ${nameOf(entry)}: ${queued}.`,
      description: 'Users wait for a license: look for idle checkouts and unused reservations.',
    }),
  });
}

export function createDenials(settings: RuleSettings['LicenseDenials']): Rule {
  const lookup = createLookup(settings);
  return {
    id: 'LicenseDenials/warning',
    name: 'LicenseDenials',
    severity: 'warning',
    parameters: settings.base,
    durations: ({ vendor_license = '', feature = '' }) => lookup(vendor_license, feature),
    judge: ({ now, inventory: { history } }) => {
      const judged = new Set<string>();
      const findings = [...history].flatMap(
        ({ vendorLicense, feature, package: pkg, featureType, at, denials }): Finding[] => {
          if (denials === undefined) return [];
          const labels = withoutEmpty({
            alertname: 'LicenseDenials',
            severity: 'warning',
            vendor_license: vendorLicense,
            feature,
            package: pkg,
            feature_type: featureType,
          });
          judged.add(fingerprint(labels));
          const { enabled, above, maxAge } = lookup(vendorLicense, feature);
          if (!enabled || denials <= above || now - at >= maxAge) return [];
          const annotations = {
            summary: `License requests for ${feature} of ${vendorLicense} were denied: ${denials}.`,
            description: `Requests refused on ${new Date(at * 1000).toISOString().slice(0, 10)}, the newest day of the analyzer's history. Compare the peak of the feature with its licenses.`,
          };
          return [raised(labels, annotations, denials)];
        },
      );
      // only history that is fresh is in the inventory
      return { findings, isUnknown: (labels) => !judged.has(fingerprint(labels)), isBlind: history.count === 0 };
    },
  };
}
