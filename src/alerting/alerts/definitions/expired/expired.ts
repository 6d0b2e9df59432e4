import { unknown } from '../../../../base/model/unknown.ts';
import { duration } from '../../../../base/settings/values.ts';
import { durationText, localDateText, localTimeText, withWeekday } from '../../../../base/texts.ts';
import { featureCondition, isExpiryKnown, nameOf } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import { expiresOn, isRenewed, isUnused, renewedText } from '../../expiry-facts.ts';
import { licensesText } from '../../texts.ts';

const parameters = {
  within: duration(1, 100 * 365 * 86_400)
    .prefault('14d')
    .describe('The alert ends this long after the expiry.'),
};

/** A license has expired. One that nobody uses is no reason to get up. */
export const expired = engineAlert({
  subject: 'feature',
  worst: 'smallest',
  messages: 'expiry',
  severities: ['critical', 'warning'],
  for: '10m',
  keepFiringFor: '10m',
  parameters,
  threshold: ({ within }) => within,
  condition: featureCondition<typeof parameters>(({ severity }) => ({
    condition: (row, { within }, view) => {
      const { expiration } = row;
      if (expiration === unknown) return 'unknown';
      const since = view.now - expiration;
      if (since < 0 || since >= within) return false;
      const isOurs = isUnused(row, view) === (severity === 'warning');
      return isOurs && !isRenewed(row, view, view.now) && { value: since, isRaised: true };
    },
    isKnown: isExpiryKnown,
    label: (since, { now, timeZone }) => expiresOn(now - since, timeZone),
    tell: (row, since, view) => ({
      summary: `License ${nameOf(row)} expired on ${withWeekday(localDateText(view.now - since, view.timeZone))}.`,
      facts: `It expired ${durationText(since)} ago, at ${localTimeText(view.now - since, view.timeZone)}.${renewedText(row, view, view.now)}`,
      figure: licensesText(row),
    }),
  })),
  attention: {
    what: 'Expired',
    class: (_, __, severity) => (severity === 'critical' ? 'unusable' : 'later'),
    time: 'value is time since',
  },
  texts: {
    summary: ({ features, onDay }) => `${features} expired${onDay}.`,
    impact: 'Users can no longer check out these licenses.',
    step: 'Install the renewed license file. If a license is not needed any more, remove it from the license file, or silence this alert.',
  },
  example: (now) => ({
    features: [{ licenseExpiration: now - 86_400 }, { feature: 'unused', inUse: 0, licenseExpiration: now - 86_400 }],
    forecasts: [{ feature: 'unused', isNeverUsed: true }],
  }),
});
