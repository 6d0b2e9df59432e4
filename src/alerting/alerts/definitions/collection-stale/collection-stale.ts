import { unknown } from '../../../../base/model/unknown.ts';
import { duration } from '../../../../base/settings/values.ts';
import { durationText, localTimeText, withWeekday } from '../../../../base/texts.ts';
import { vendorLicenseCondition } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

const parameters = {
  max_age: duration(1, 365 * 86_400)
    .prefault('1h')
    .describe('Age of the last collection above which it is stale.'),
};

/** The analyzer does not say that a server is down, but its data is old. */
export const collectionStale = engineAlert({
  subject: 'vendor_license',
  messages: 'fault',
  severities: ['warning'],
  for: '10m',
  keepFiringFor: '10m',
  parameters,
  threshold: { value: ({ maxAge }) => maxAge, text: durationText },
  condition: vendorLicenseCondition<typeof parameters>(
    ({ inventory: { knowledge } }) => !knowledge.products || !knowledge.serverDown,
    ({ vendorLicense, up, collectedAt }, { maxAge }, { now, inventory: { knowledge }, timeZone }) => {
      if (up === false) return false;
      if (collectedAt === unknown) return 'unknown';
      const age = now - collectedAt;
      if (age <= maxAge) return false;
      // not even that its server is down is known
      if (up === undefined && !knowledge.serverDown) return 'unknown';
      return {
        summary: `Data of ${vendorLicense} is ${durationText(age)} old.`,
        facts: `Its last collection was on ${withWeekday(localTimeText(collectedAt, timeZone))}.`,
        value: age,
      };
    },
  ),
  areFactsSteady: true,
  attention: { what: 'Data is old', class: 'partly', time: 'value is time since' },
  texts: {
    summary: ({ vendorLicense }) => `Data of ${vendorLicense} is old.`,
    impact: 'Who uses its licenses, and whether they run out, is not known now, nor whether users are affected.',
    step: 'Read the log of the collector for this server on the analyzer.',
  },
  example: (now) => ({ products: [{ collectionTime: now - 86_400 }] }),
});
