import type { Finding } from '../../alert.ts';
import { engineAlert } from '../../definition.ts';
import {
  isSomethingKnown,
  missedText,
  vanishedParameters as parameters,
  unknownVendorLicenses,
} from '../../vanished.ts';

/** The analyzer no longer lists a feature that it listed before. */
export const featureVanished = engineAlert({
  subject: 'feature',
  worst: 'smallest',
  severities: ['warning'],
  for: '15m',
  keepFiringFor: '0s',
  parameters,
  threshold: 'none',
  condition:
    ({ parametersOf, finding }) =>
    ({ now, past, inventory, timeZone }) => {
      const findings = past.features.flatMap(({ vendorLicense, feature, missedAt }): Finding[] => {
        const { enabled, within } = parametersOf({ vendorLicense, feature });
        if (!enabled || now - missedAt >= within) return [];
        const told = {
          summary: `The analyzer no longer lists ${feature} of ${vendorLicense}.`,
          facts: missedText(missedAt, within, timeZone),
        };
        return [finding({ vendor_license: vendorLicense, feature }, told, now - missedAt)];
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
  attention: { what: 'Feature is gone', class: 'partly' },
  texts: {
    summary: ({ features }) => `The analyzer no longer lists ${features}.`,
    remedy:
      'Users may be denied them. Compare the license file with that of the day before. If they were removed on purpose, silence this alert.',
  },
  example: () => ({ features: [{}], before: { features: [{}, { feature: 'gone' }] } }),
});
