import { engineAlert } from '../../definition.ts';
import { vanishedParameters as parameters, vanishedCondition } from '../../loss-condition.ts';

/** The analyzer no longer lists a vendor license that it listed before. */
export const vendorLicenseVanished = engineAlert({
  subject: 'vendor_license',
  // a server is no longer monitored: with a longer `within`, that is said again
  messages: 'fault',
  severities: ['warning'],
  for: '15m',
  keepFiringFor: '0s',
  parameters,
  threshold: 'none',
  endsAfter: ({ within }) => within,
  condition: vanishedCondition(false),
  areFactsSteady: true,
  attention: { what: 'Vendor license is gone', class: 'partly', time: 'value is time since' },
  texts: {
    summary: ({ vendorLicense }) => `The analyzer no longer lists ${vendorLicense}.`,
    impact: 'It is no longer monitored: nobody is told if its server is down or its licenses run out.',
    step: 'Check whether it was removed or renamed in the analyzer. If that was on purpose, add it to alerting.ignore.',
  },
  example: () => ({ before: { products: [{}, { product: 'lic02;mgcld' }] } }),
});
