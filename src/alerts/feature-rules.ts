import type { FeatureEntry } from '../model/feature-entries.ts';
import { type Finding, type Labels, withoutEmpty } from './alert.ts';
import { humanDuration, type Judgement, type Rule, type Severity, type View } from './rule.ts';
import { createLookup, type Durations, type EngineRuleName, type Lookup, type RuleSettings } from './rule-settings.ts';

/** Rules about single features: one alert for each that meets the condition. */

/** What a rule says of one feature: nothing when the condition is known not to hold. */
type Assessment = { readonly value: number; readonly isRaised: boolean } | 'unknown' | undefined;

interface FeatureRuleOptions<P extends Durations> {
  readonly name: EngineRuleName;
  readonly severity: Severity;
  readonly lookup: Lookup<P>;
  assess(entry: FeatureEntry, parameters: P, now: number): Assessment;
  /** Whether everything is known that could tell of the features of a vendor license. */
  isKnown(view: View, vendorLicense: string): boolean;
  annotate(entry: FeatureEntry, value: number): Labels;
}

const featureKey = ({
  vendor_license = '',
  feature = '',
  version = '',
  package: pkg = '',
  feature_type = '',
}: Labels) => JSON.stringify([vendor_license, feature, version, pkg, feature_type]);

function createFeatureRule<P extends Durations>(options: FeatureRuleOptions<P>): Rule {
  const { name, severity, lookup } = options;
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
      isBlind: features.length === 0,
    };
  };
  return {
    id: `${name}/${severity}`,
    name,
    severity,
    durations: ({ vendor_license = '', feature = '' }) => lookup(vendor_license, feature),
    judge,
  };
}

const isUsageKnown = ({ knowledge }: View, vendorLicense: string): boolean => knowledge.features(vendorLicense);

/** An expiry comes from GetExpirationFeatures, or from GetFeatures where that has none. */
const isExpiryKnown = ({ knowledge }: View, vendorLicense: string): boolean =>
  knowledge.expirations(vendorLicense) && knowledge.features(vendorLicense);

const nameOf = ({ vendorLicense, feature, version, package: pkg }: FeatureEntry): string => {
  const more = [version === '' ? '' : ` ${version}`, pkg === '' ? '' : ` (package ${pkg})`].join('');
  return `${feature}${more} of ${vendorLicense}`;
};

export function createSaturated(settings: RuleSettings['LicenseFeatureSaturated']): Rule {
  return createFeatureRule<RuleSettings['LicenseFeatureSaturated']['base']>({
    name: 'LicenseFeatureSaturated',
    severity: 'warning',
    lookup: createLookup(settings),
    assess: ({ record }, { raise, clear }) => {
      if (record === undefined || record.maxAvailable === 0) return undefined;
      const { inUse, maxAvailable } = record;
      if (inUse === undefined || maxAvailable === undefined) return 'unknown';
      const ratio = inUse / maxAvailable;
      return ratio >= clear ? { value: ratio, isRaised: ratio >= raise } : undefined;
    },
    isKnown: isUsageKnown,
    annotate: (entry, ratio) => ({
      summary: `${Math.floor(ratio * 100)} % of ${nameOf(entry)} is in use.`,
      description: `${entry.record?.inUse} of ${entry.record?.maxAvailable} licenses are in use. Users may be denied a license soon: look for idle checkouts and unused reservations, or buy more.`,
    }),
  });
}

export function createQueued(settings: RuleSettings['LicenseRequestsQueued']): Rule {
  return createFeatureRule<RuleSettings['LicenseRequestsQueued']['base']>({
    name: 'LicenseRequestsQueued',
    severity: 'warning',
    lookup: createLookup(settings),
    assess: ({ record }, { above }) => {
      if (record === undefined) return undefined;
      const { maxQueued } = record;
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

export function createExpired(settings: RuleSettings['LicenseExpired']): Rule {
  return createFeatureRule<RuleSettings['LicenseExpired']['base']>({
    name: 'LicenseExpired',
    severity: 'critical',
    lookup: createLookup(settings),
    assess: ({ expiration }, { within }, now) => {
      if (expiration === undefined) return 'unknown';
      const since = now - expiration;
      return since >= 0 && since < within ? { value: since, isRaised: true } : undefined;
    },
    isKnown: isExpiryKnown,
    annotate: (entry, since) => ({
      summary: `License ${nameOf(entry)} has expired.`,
      description: `It expired ${humanDuration(since)} ago. Install the renewed license file, or silence the alert if it is not renewed; it ends by itself after a while.`,
    }),
  });
}

const expiring = (settings: RuleSettings['LicenseExpiringSoon'], severity: Severity): ExpiringOptions => {
  const lookup = createLookup(settings);
  return {
    severity,
    lookup: (vendorLicense, feature) => {
      const parameters = lookup(vendorLicense, feature);
      // kept until the critical one fires: no gap where they meet
      const keepFiringFor =
        severity === 'warning' ? parameters.for + parameters.keepFiringFor : parameters.keepFiringFor;
      return { ...parameters, keepFiringFor };
    },
    /** The ranges are disjoint. */
    assess: ({ expiration }, { warning, critical }, now) => {
      if (expiration === undefined) return 'unknown';
      const left = expiration - now;
      const isIn =
        severity === 'critical' ? left > 0 && left < critical : left > 0 && left >= critical && left < warning;
      return isIn ? { value: left, isRaised: true } : undefined;
    },
  };
};

type ExpiringParameters = RuleSettings['LicenseExpiringSoon']['base'];
type ExpiringOptions = Pick<FeatureRuleOptions<ExpiringParameters>, 'severity' | 'lookup' | 'assess'>;

const REMEDY = 'Order the renewal and install the new license file.';

/** Two rules, so that a license that comes near its end moves from one severity to the other. */
export function createExpiringSoon(settings: RuleSettings['LicenseExpiringSoon']): readonly Rule[] {
  return (['critical', 'warning'] as const).map((severity) => {
    const options: FeatureRuleOptions<ExpiringParameters> = {
      ...expiring(settings, severity),
      name: 'LicenseExpiringSoon',
      isKnown: isExpiryKnown,
      annotate: (entry, left) => ({
        summary: `License ${nameOf(entry)} expires in ${humanDuration(left)}.`,
        description: `${entry.record?.maxAvailable === undefined ? '' : `${entry.record.maxAvailable} licenses. `}${REMEDY}`,
      }),
    };
    const rule = createFeatureRule(options);
    return settings.base.aggregate === 'vendor_license' ? aggregated(rule, options.lookup) : rule;
  });
}

/** Features that the annotation of an aggregated alert names. */
const NAMED = 10;

/** One alert for each vendor license in place of one for each feature. */
function aggregated(rule: Rule, lookup: Lookup<Durations>): Rule {
  return {
    ...rule,
    durations: ({ vendor_license = '' }) => lookup(vendor_license, ''),
    judge: (view) => {
      const judgement = rule.judge(view);
      const groups = Map.groupBy(judgement.findings, ({ labels }) => labels.vendor_license ?? '');
      const findings = [...groups].map(([vendorLicense, members]): Finding => {
        const sorted = members.toSorted((a, b) => a.value - b.value);
        const value = sorted[0]?.value ?? 0;
        const listed = sorted
          .slice(0, NAMED)
          .map((member) => `${member.labels.feature} (${humanDuration(member.value)})`);
        const others = sorted.length > NAMED ? ` and ${sorted.length - NAMED} more` : '';
        return {
          labels: { alertname: rule.name, severity: rule.severity, vendor_license: vendorLicense },
          annotations: {
            summary: `Licenses of ${vendorLicense} expire: ${sorted.length}, the first in ${humanDuration(value)}.`,
            description: `${listed.join(', ')}${others}. ${REMEDY}`,
          },
          value,
          isRaised: true,
        };
      });
      // a license that is not known may be the one that the alert is about
      const unknown = new Set(
        view.inventory.features.flatMap(({ vendorLicense, expiration }) =>
          expiration === undefined ? [vendorLicense] : [],
        ),
      );
      const isUnknown = ({ vendor_license: name = '' }: Labels) => !isExpiryKnown(view, name) || unknown.has(name);
      return { findings, isUnknown, isBlind: judgement.isBlind };
    },
  };
}

export function createDenials(settings: RuleSettings['LicenseDenials']): Rule {
  const lookup = createLookup(settings);
  const keyOf = ({ vendor_license = '', feature = '', package: pkg = '', feature_type = '' }: Labels) =>
    JSON.stringify([vendor_license, feature, pkg, feature_type]);
  return {
    id: 'LicenseDenials/warning',
    name: 'LicenseDenials',
    severity: 'warning',
    durations: ({ vendor_license = '', feature = '' }) => lookup(vendor_license, feature),
    judge: ({ now, inventory: { history }, knowledge }) => {
      const judged = new Set<string>();
      const findings = history.flatMap(
        ({ vendorLicense, feature, package: pkg, featureType, at, denials }): Finding[] => {
          const { enabled, above, maxAge } = lookup(vendorLicense, feature);
          if (!enabled || denials === undefined) return [];
          const labels = withoutEmpty({
            alertname: 'LicenseDenials',
            severity: 'warning',
            vendor_license: vendorLicense,
            feature,
            package: pkg,
            feature_type: featureType,
          });
          judged.add(keyOf(labels));
          if (denials <= above || now - at >= maxAge) return [];
          const annotations = {
            summary: `License requests for ${feature} of ${vendorLicense} were denied: ${denials}.`,
            description: `Requests refused on ${new Date(at * 1000).toISOString().slice(0, 10)}, the newest day of the analyzer's history. Compare the peak of the feature with its licenses.`,
          };
          return [{ labels, annotations, value: denials, isRaised: true }];
        },
      );
      const isKnown = ({ vendor_license = '', feature = '', package: pkg = '', feature_type = '' }: Labels) =>
        knowledge.history(vendor_license, feature, pkg, feature_type);
      return {
        findings,
        isUnknown: (labels) => !isKnown(labels) || !judged.has(keyOf(labels)),
        isBlind: history.length === 0,
      };
    },
  };
}
