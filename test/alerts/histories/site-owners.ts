import { createOwners } from '../../../src/model/owners.ts';

/** Owners of one vendor license, a team for the features of one name, and nobody for the rest. */
export const owners = createOwners([
  { vendorLicense: 'lic01;*', feature: '*', labels: { owner: 'design' } },
  { vendorLicense: '*', feature: 'shared', labels: { team: 'tools' } },
]);
