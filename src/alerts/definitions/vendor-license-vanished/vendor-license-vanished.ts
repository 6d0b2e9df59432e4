import type { Finding } from '../../alert.ts';
import { engineAlert } from '../../definition.ts';
import { aboutSite } from '../../rule.ts';
import { missedText, vanishedParameters as parameters } from '../../vanished.ts';

/** The analyzer no longer lists a vendor license that it listed before. */
export const vendorLicenseVanished = engineAlert({
  subject: 'vendor_license',
  severities: ['warning'],
  for: '15m',
  keepFiringFor: '0s',
  parameters,
  threshold: 'none',
  condition:
    ({ parametersOf, finding }) =>
    ({ now, past, inventory: { knowledge }, timeZone }) => {
      const findings = past.vendorLicenses.flatMap(({ vendorLicense, missedAt }): Finding[] => {
        const { enabled, within } = parametersOf({ vendorLicense });
        if (!enabled || now - missedAt >= within) return [];
        const facts = missedText(missedAt, within, timeZone);
        return [finding({ vendor_license: vendorLicense }, { facts }, now - missedAt)];
      });
      return {
        findings,
        isUnknown: ({ vendor_license = '' }) => past.vendorLicense(vendor_license) === 'unknown',
        unknownAbout: aboutSite(!knowledge.products),
        hasNoData: !knowledge.products,
      };
    },
  attention: { what: 'Vendor license is gone', class: 'partly' },
  texts: {
    summary: ({ vendorLicense }) => `The analyzer no longer lists ${vendorLicense}.`,
    remedy:
      'Its server is no longer monitored. Check the configuration of the analyzer. If the vendor license was removed on purpose, silence this alert.',
  },
  example: () => ({ before: { products: [{}, { product: 'lic02;mgcld' }] } }),
});
