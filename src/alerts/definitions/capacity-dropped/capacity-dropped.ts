import { integer, ratio } from '../../../settings/values.ts';
import type { Finding } from '../../alert.ts';
import { engineAlert } from '../../definition.ts';
import { isSomethingKnown, unknownVendorLicenses } from '../../vanished.ts';

const parameters = {
  ratio: ratio
    .prefault(0.05)
    .describe('The alert fires if at least this share of the licenses of a day ago is missing.'),
  licenses: integer(1, 1_000_000)
    .prefault(1)
    .describe('The alert fires only if at least this many licenses are missing.'),
};

/** A feature has fewer licenses than a day ago. */
export const capacityDropped = engineAlert({
  subject: 'feature',
  worst: 'largest',
  severities: ['warning'],
  for: '15m',
  keepFiringFor: '10m',
  parameters,
  threshold: (values) => values.ratio,
  condition:
    ({ parametersOf, finding }) =>
    ({ past, inventory }) => {
      const findings = past.drops.flatMap(({ vendorLicense, feature, before, licenses }): Finding[] => {
        const values = parametersOf({ vendorLicense, feature });
        const missing = before - licenses;
        if (!values.enabled || missing < values.licenses || missing < values.ratio * before) return [];
        const figure = `${missing} of ${before} are missing`;
        const summary = `There are fewer licenses of ${feature} of ${vendorLicense} than a day ago: ${figure}.`;
        return [finding({ vendor_license: vendorLicense, feature }, { summary, figure }, missing)];
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
  attention: { what: 'Licenses are missing', class: 'partly' },
  texts: {
    summary: ({ features }) => `There are fewer licenses of ${features} than a day ago.`,
    remedy:
      'Licenses expired, a license file changed, or a redundant server is missing. Compare the license file with that of the day before. The alert resolves a day after the drop.',
  },
  example: () => ({ features: [{ maxAvailable: 26 }], before: { features: [{ maxAvailable: 28 }] } }),
});
