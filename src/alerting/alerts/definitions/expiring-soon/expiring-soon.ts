import { unknown } from '../../../../base/model/unknown.ts';
import { duration } from '../../../../base/settings/values.ts';
import { durationText, localDateText, localTimeText, withWeekday } from '../../../../base/texts.ts';
import { featureCondition, isExpiryKnown, nameOf } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import { expiresOn, isUnused, renewedTexts, replacedBy } from '../../expiry-facts.ts';
import { boughtText, licensesText } from '../../texts.ts';

const DAY = 86_400;
const left = duration(0, 100 * 365 * DAY);

const parameters = {
  info: left
    .prefault('60d')
    .describe(
      'The alert for information fires if less time is left. It never fires if that is not longer than `warning`.',
    ),
  warning: left.prefault('30d').describe('The warning fires if less time is left.'),
  critical: left.prefault('7d').describe('The critical alert fires if less time is left.'),
};

/**
 * A license will expire. The ranges of the severities do not overlap: before its expiry, a license moves from information to the
 * warning, and from there to the critical alert, if it is in use and not renewed in part. Each keeps firing until the next one fires, so there is no gap.
 */
export const expiringSoon = engineAlert({
  subject: 'feature',
  worst: 'first',
  messages: 'expiry',
  severities: ['critical', 'warning', 'info'],
  for: '15m',
  keepFiringFor: '10m',
  parameters,
  contradiction: ({ warning, critical }) =>
    Number(critical) > Number(warning)
      ? { name: 'critical', message: 'critical is longer than warning; shorten it' }
      : undefined,
  threshold: { value: (values, severity) => values[severity], text: durationText },
  keepFiring: ({ for: pendingFor, keepFiringFor }) => pendingFor + keepFiringFor,
  condition: featureCondition<typeof parameters>(({ severity }) => ({
    condition: (row, { info, warning, critical }, view) => {
      const { expiration } = row;
      if (expiration === unknown) return 'unknown';
      const value = expiration - view.now;
      if (value <= 0) return false;
      const range = value < critical ? 'critical' : value < warning ? 'warning' : value < info ? 'info' : undefined;
      if (range === undefined) return false;
      const replaced = replacedBy(row, view, view.now + warning);
      if (replaced === 'enough') return false;
      const isHarmless = replaced === 'partly' || isUnused(row, view);
      return severity === (range === 'critical' && isHarmless ? 'warning' : range) && { value, isRaised: true };
    },
    isKnown: isExpiryKnown,
    label: (value, { now, timeZone }) => expiresOn(now + value, timeZone),
    tell: (row, value, view) => {
      const { now, timeZone } = view;
      const figure = licensesText(row);
      const when = `on ${withWeekday(localDateText(now + value, timeZone))}, in ${durationText(value)}`;
      const licenses = figure === undefined ? '' : ` (${figure})`;
      const { words, sentence } = renewedTexts(row, view);
      return {
        summary: `License ${nameOf(row)} expires ${when}${words === '' ? '' : `, ${words}`}.`,
        when,
        facts: `It expires at ${localTimeText(now + value, timeZone)}${licenses}.${sentence}`,
        // for the digest
        licenses: boughtText(row),
        figure: words === '' ? figure : words,
      };
    },
  })),
  attention: {
    what: 'Expires soon',
    class: (due, now) => (due !== undefined && due < now + 7 * DAY ? 'soon' : 'later'),
    time: 'value is time until',
  },
  texts: {
    summary: ({ features, onDay }) => `${features} expire${onDay}.`,
    impact: 'After the expiry, users cannot check out these licenses.',
    step: 'Order the renewal, and install the new license file.',
  },
  example: (now) => ({
    features: [
      { feature: 'in two months', licenseExpiration: now + 50 * DAY },
      { feature: 'soon', licenseExpiration: now + 20 * DAY },
      { feature: 'very soon', licenseExpiration: now + DAY },
    ],
  }),
});
