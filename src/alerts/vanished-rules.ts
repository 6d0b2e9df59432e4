import type { Inventory } from '../inventory/inventory.ts';
import type { Finding } from './alert.ts';
import type { Missed } from './past.ts';
import { aboutSite, createRule, humanDuration, type RuleFactory } from './rule.ts';
import type { Durations } from './rule-settings.ts';
import { localTimeText } from './texts.ts';

/** Rules about what was there before and is missing now. */

interface VanishedParameters extends Durations {
  /** Seconds after it was missed first. */
  readonly within: number;
}

const missedText = ({ missedAt }: Missed, timeZone: string): string =>
  `It was missed first at ${localTimeText(missedAt, timeZone)}.`;

const endText = (within: number, what: string): string =>
  `The alert resolves when it is back, or ${humanDuration(within)} after that time, so silence it if the ${what} was removed on purpose.`;

export const createVendorLicenseVanished: RuleFactory<VanishedParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: 'none',
    evaluate: ({ now, past, inventory: { knowledge }, timeZone }, { parametersOf, finding }) => {
      const findings = past.vendorLicenses.flatMap((missed): Finding[] => {
        const { vendorLicense, missedAt } = missed;
        const { enabled, within } = parametersOf({ vendorLicense });
        if (!enabled || now - missedAt >= within) return [];
        const annotations = {
          summary: `The analyzer no longer lists ${vendorLicense}.`,
          description: `${missedText(missed, timeZone)} Its server is no longer monitored. Check the configuration of the analyzer. ${endText(within, 'vendor license')}`,
        };
        return [finding({ vendor_license: vendorLicense }, annotations, now - missedAt)];
      });
      return {
        findings,
        isUnknown: ({ vendor_license = '' }) => past.vendorLicense(vendor_license) === 'unknown',
        unknownAbout: aboutSite(!knowledge.products),
        hasNoData: !knowledge.products,
      };
    },
  });

export const createFeatureVanished: RuleFactory<VanishedParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: 'none',
    grouping: {
      worst: 'smallest',
      summarize: ({ vendorLicense, count }) => `The analyzer no longer lists ${count} features of ${vendorLicense}.`,
      remedy: 'Users may be denied them. Compare the license file with that of the day before.',
    },
    evaluate: ({ now, past, inventory, timeZone }, { parametersOf, finding }) => {
      const findings = past.features.flatMap((missed): Finding[] => {
        const { vendorLicense, feature, missedAt } = missed;
        const { enabled, within } = parametersOf(missed);
        if (!enabled || now - missedAt >= within) return [];
        const annotations = {
          summary: `The analyzer no longer lists ${feature} of ${vendorLicense}.`,
          description: `${missedText(missed, timeZone)} Users may be denied it. Compare the license file with that of the day before. ${endText(within, 'feature')}`,
        };
        return [finding({ vendor_license: vendorLicense, feature }, annotations, now - missedAt)];
      });
      return {
        findings,
        isUnknown: ({ vendor_license = '', feature }) =>
          feature === undefined
            ? !inventory.knowledge.features(vendor_license)
            : past.feature(vendor_license, feature) === 'unknown',
        unknownAbout: unknownVendorLicenses(inventory),
        hasNoData: !isSomethingKnown(inventory),
      };
    },
  });

const DROP_REMEDY =
  'Licenses expired, a license file changed, or a redundant server is missing. Compare the license file with that of the day before. The alert resolves a day after the drop.';

interface CapacityDroppedParameters extends Durations {
  /** A ratio of the licenses of a day ago. */
  readonly ratio: number;
  readonly licenses: number;
}

export const createCapacityDropped: RuleFactory<CapacityDroppedParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: ({ ratio }) => ratio,
    grouping: {
      worst: 'largest',
      summarize: ({ vendorLicense, count }) =>
        `There are fewer licenses of ${count} features of ${vendorLicense} than a day ago.`,
      remedy: DROP_REMEDY,
    },
    evaluate: ({ past, inventory }, { parametersOf, finding }) => {
      const findings = past.drops.flatMap(({ vendorLicense, feature, before, licenses }): Finding[] => {
        const parameters = parametersOf({ vendorLicense, feature });
        const missing = before - licenses;
        if (!parameters.enabled || missing < parameters.licenses || missing < parameters.ratio * before) return [];
        const annotations = {
          summary: `There are fewer licenses of ${feature} of ${vendorLicense} than a day ago: ${missing} of ${before} are missing.`,
          description: DROP_REMEDY,
          figure: `${missing} of ${before} are missing`,
        };
        return [finding({ vendor_license: vendorLicense, feature }, annotations, missing)];
      });
      return {
        findings,
        isUnknown: ({ vendor_license = '', feature }) =>
          feature === undefined
            ? !inventory.knowledge.features(vendor_license)
            : !past.isCapacityKnown(vendor_license, feature),
        unknownAbout: unknownVendorLicenses(inventory),
        hasNoData: !isSomethingKnown(inventory),
      };
    },
  });

/** Whether the features of at least one vendor license are known. */
const isSomethingKnown = ({ vendorLicenses, knowledge }: Inventory): boolean =>
  vendorLicenses.rows().some(({ vendorLicense }) => knowledge.features(vendorLicense));

/** The vendor licenses of which no features are known; with an empty name while it is not known which there are. */
const unknownVendorLicenses = ({ vendorLicenses, knowledge }: Inventory): ReadonlySet<string> =>
  new Set([
    ...aboutSite(!knowledge.products),
    ...vendorLicenses.rows().flatMap(({ vendorLicense }) => (knowledge.features(vendorLicense) ? [] : [vendorLicense])),
  ]);
