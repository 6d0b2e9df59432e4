import type { Inventory } from '../inventory/inventory.ts';
import { duration } from '../settings/values.ts';
import { aboutSite } from './rule.ts';
import { humanDuration, localTimeText } from './texts.ts';

/** What conditions about what was listed before have in common. */

export const vanishedParameters = {
  within: duration(3600, 7 * 86_400)
    .prefault('1d')
    .describe('The alert ends this long after it was missed first.'),
};

/** When it was missed first, and when the alert ends. @param within seconds */
export const missedText = (missedAt: number, within: number, timeZone: string): string =>
  `It was missed first at ${localTimeText(missedAt, timeZone)}. The alert resolves when it is back, or ${humanDuration(within)} after that time.`;

/** Whether the features of at least one vendor license are known. */
export const isSomethingKnown = ({ vendorLicenses, knowledge }: Inventory): boolean =>
  vendorLicenses.rows().some(({ vendorLicense }) => knowledge.features(vendorLicense));

/** The vendor licenses of which no features are known; with an empty name while it is not known which there are. */
export const unknownVendorLicenses = ({ vendorLicenses, knowledge }: Inventory): ReadonlySet<string> =>
  new Set([
    ...aboutSite(!knowledge.products),
    ...vendorLicenses.rows().flatMap(({ vendorLicense }) => (knowledge.features(vendorLicense) ? [] : [vendorLicense])),
  ]);
