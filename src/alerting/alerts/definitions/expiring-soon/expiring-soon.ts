import { unknown } from '../../../../base/model/unknown.ts';
import { duration } from '../../../../base/settings/values.ts';
import { durationText, localDateText, localTimeText, withWeekday } from '../../../../base/texts.ts';
import { featureCondition, isExpiryKnown, nameOf } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import { expiresOn, isRenewed, isUnused, renewedText } from '../../expiry-facts.ts';
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
 * warning, and from there to the critical alert, if it is in use. Each keeps firing until the next one fires, so there is no gap.
 */
export const expiringSoon = engineAlert({
  subject: 'feature',
  worst: 'smallest',
  messages: 'expiry',
  severities: ['critical', 'warning', 'info'],
  for: '15m',
  keepFiringFor: '10m',
  parameters,
  contradiction: ({ warning, critical }) =>
    Number(critical) > Number(warning)
      ? { name: 'critical', message: 'critical is longer than warning; shorten it' }
      : undefined,
  threshold: (values, severity) => values[severity],
  keepFiring: ({ for: pendingFor, keepFiringFor }, severity) =>
    severity === 'critical' ? keepFiringFor : pendingFor + keepFiringFor,
  condition: featureCondition<typeof parameters>(({ severity }) => ({
    condition: (row, { info, warning, critical }, view) => {
      const { expiration } = row;
      if (expiration === unknown) return 'unknown';
      const value = expiration - view.now;
      if (value <= 0) return false;
      const range = value < critical ? 'critical' : value < warning ? 'warning' : value < info ? 'info' : undefined;
      if (range === undefined) return false;
      const isOurs = severity === (range === 'critical' && isUnused(row, view) ? 'warning' : range);
      return isOurs && !isRenewed(row, view, view.now + warning) && { value, isRaised: true };
    },
    isKnown: isExpiryKnown,
    label: (value, { now, timeZone }) => expiresOn(now + value, timeZone),
    tell: (row, value, view, { warning }) => {
      const { now, timeZone } = view;
      const figure = licensesText(row);
      const when = `on ${withWeekday(localDateText(now + value, timeZone))}, in ${durationText(value)}`;
      const licenses = figure === undefined ? '' : ` (${figure})`;
      return {
        summary: `License ${nameOf(row)} expires ${when}.`,
        when,
        facts: `It expires at ${localTimeText(now + value, timeZone)}${licenses}.${renewedText(row, view, now + warning)}`,
        // for the digest
        licenses: boughtText(row),
        figure,
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
    impact: 'Users cannot check out these licenses after that.',
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
