import { integer, ratio } from '../../../../base/settings/values.ts';
import { localTimeText, numberText, percentText } from '../../../../base/texts.ts';
import { engineAlert } from '../../definition.ts';
import { lossCondition } from '../../loss-condition.ts';
import type { Drop } from '../../past.ts';

const parameters = {
  ratio: ratio
    .prefault(0.05)
    .describe('The alert fires if at least this share of the licenses of a day ago, or of the first poll, is missing.'),
  licenses: integer(1, 1_000_000)
    .prefault(1)
    .describe('The alert fires only if at least this many licenses are missing.'),
};

/** A feature has fewer licenses than a day ago, or on the first day than at its first poll. LicenseExpired is about those that have expired since. */
export const capacityDropped = engineAlert({
  subject: 'feature',
  worst: 'largest',
  messages: 'loss',
  severities: ['warning'],
  for: '15m',
  keepFiringFor: '10m',
  parameters,
  threshold: { value: (values) => values.ratio, text: percentText },
  condition: lossCondition<typeof parameters, Drop>({
    isOfFeatures: true,
    losses: ({ drops }) => drops,
    met: ({ vendorLicense, feature, before, firstPoll, licenses: left }, values, { timeZone }) => {
      const value = before - left;
      const figure = `${numberText(value)} of ${numberText(before)} are missing`;
      const then = firstPoll === undefined ? 'a day ago' : `at its first poll at ${localTimeText(firstPoll, timeZone)}`;
      const summary = `There are fewer licenses of ${feature} of ${vendorLicense} than ${then}: ${figure}.`;
      return value >= values.licenses && value >= values.ratio * before && { summary, figure, value };
    },
    isUnknown: (past, vendorLicense, feature = '') => past.isCapacityUnknown(vendorLicense, feature),
    mayHave: (past) => past.withUnknownCapacity,
  }),
  attention: { what: 'Licenses are missing', class: 'partly' },
  texts: {
    summary: ({ features }) => `There are fewer licenses of ${features} than a day ago, or than at their first poll.`,
    impact: 'Users may be denied a license earlier than before.',
    step: 'Compare the license file with that of the day before, and check whether a redundant server is missing.',
  },
  example: () => ({ features: [{ maxAvailable: 26 }], before: { features: [{ maxAvailable: 28 }] } }),
});
