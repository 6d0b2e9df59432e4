import { unknown } from '../../../../base/model/unknown.ts';
import { duration } from '../../../../base/settings/values.ts';
import { durationText, localDateText, localTimeText, withWeekday } from '../../../../base/texts.ts';
import { featureCondition, isExpiryKnown, nameOf } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import { expiresOn, isUnused, renewedTexts, replacedBy } from '../../expiry-facts.ts';
import { boughtText, licensesText } from '../../texts.ts';

const parameters = {
  within: duration(1, 100 * 365 * 86_400)
    .prefault('14d')
    .describe('The alert ends this long after the expiry.'),
};

/** A license has expired. One that nobody uses, or that is renewed in part, is no reason to get up. */
export const expired = engineAlert({
  subject: 'feature',
  worst: 'first',
  messages: 'expiry',
  severities: ['critical', 'warning'],
  for: '10m',
  keepFiringFor: '10m',
  parameters,
  threshold: { value: ({ within }) => within, text: durationText },
  endsAfter: ({ within }) => within,
  // until a renewal for a part has made it a warning
  keepFiring: ({ for: pendingFor, keepFiringFor }) => pendingFor + keepFiringFor,
  condition: featureCondition<typeof parameters>(({ severity }) => ({
    condition: (row, { within }, view) => {
      const { expiration } = row;
      if (expiration === unknown) return 'unknown';
      const since = view.now - expiration;
      if (since < 0 || since >= within) return false;
      const replaced = replacedBy(row, view, view.now);
      if (replaced === 'enough') return false;
      const isHarmless = replaced === 'partly' || isUnused(row, view);
      return isHarmless === (severity === 'warning') && { value: since, isRaised: true };
    },
    isKnown: isExpiryKnown,
    label: (since, { now, timeZone }) => expiresOn(now - since, timeZone),
    tell: (row, since, view) => {
      const { words, sentence } = renewedTexts(row, view);
      const day = withWeekday(localDateText(view.now - since, view.timeZone));
      return {
        summary: `License ${nameOf(row)} expired on ${day}${words === '' ? '' : `, ${words}`}.`,
        facts: `It expired ${durationText(since)} ago, at ${localTimeText(view.now - since, view.timeZone)}.${sentence}${isUnused(row, view) ? ' Nobody has used it for 30 days.' : ''}`,
        // for mails
        licenses: boughtText(row),
        figure: words === '' ? licensesText(row) : words,
      };
    },
  })),
  attention: {
    what: 'Expired',
    class: (_, __, severity) => (severity === 'critical' ? 'unusable' : 'later'),
    time: 'value is time since',
  },
  texts: {
    summary: ({ features, onDay }) => `${features} expired${onDay}.`,
    impact: 'Users can no longer check out licenses that are not renewed.',
    step: 'Install the renewed license file. If a license is not needed any more, remove it from the license file, or add it to alerting.ignore.',
  },
  example: (now) => ({
    features: [{ licenseExpiration: now - 86_400 }, { feature: 'unused', inUse: 0, licenseExpiration: now - 86_400 }],
    forecasts: [{ feature: 'unused', isNeverUsed: true }],
  }),
});
