import { duration } from '../../../../base/settings/values.ts';
import { durationText, monthText } from '../../../../base/texts.ts';
import type { Finding } from '../../alert.ts';
import { featureKey } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import type { Listing } from '../../past.ts';
import { aboutSite, currentForecasts, type Forecast, nothingKnown } from '../../rule.ts';

const DAY = 86_400;

const parameters = {
  lead: duration(DAY, 365 * DAY)
    .prefault('120d')
    .describe(
      'The alert starts when the licenses are expected to run out within this time. It ends when that is more than 1.5 times as far away.',
    ),
};

/** The alert ends when the date is farther away than this times `lead`. */
const FAR = 1.5;
/** Features read between two yields. */
const SLICE = 1000;

const isMissed = (listing: Listing): boolean => listing === 'missed' || listing === 'expired';

/** `2027-03 (2027-01 to 2027-08)`. The range belongs to the last computation, which may have found no date. */
function dateText(day: number, { runsOut: computed }: Forecast): string {
  if (computed === undefined) return monthText(day);
  const { earliest, latest } = computed;
  const range = latest === undefined ? 'or later' : `to ${monthText(latest)}`;
  return `${monthText(day)} (${monthText(earliest)} ${range})`;
}

/**
 * The use of a feature grows until all licenses are in use. One of which the last good pass gives no date does not run out, unless
 * its data are not enough to tell.
 */
export const runsOut = engineAlert({
  subject: 'feature',
  worst: 'first',
  messages: 'usage',
  severities: ['warning'],
  for: '0s',
  keepFiringFor: '1d',
  parameters,
  threshold: { value: ({ lead }) => lead, text: durationText },
  needs: 'forecasts',
  condition: ({ parametersOf, finding }) =>
    function* (view) {
      const { now, inventory, past } = view;
      const forecasts = currentForecasts(view);
      if (forecasts === undefined) return nothingKnown;
      const listed = new Set(
        inventory.vendorLicenses.flatMap(({ isReported, vendorLicense }) => (isReported ? vendorLicense : [])),
      );
      const findings: Finding[] = [];
      const unknown = new Set<string>();
      for (const [i, forecast] of forecasts.rows.entries()) {
        if (i % SLICE === SLICE - 1) yield;
        const { confirmedRunsOut: day, vendorLicense, feature, package: pkg, featureType: feature_type } = forecast;
        const subject = { vendor_license: vendorLicense, feature, package: pkg, feature_type };
        if (forecast.state === 'not enough data') unknown.add(featureKey(subject));
        // the pass of last night can name what is gone since then
        if (day === undefined || !listed.has(vendorLicense) || isMissed(past.listingOf(vendorLicense, feature)))
          continue;
        const { enabled, lead } = parametersOf(forecast);
        const at = forecasts.startOf(day);
        if (!enabled || at > now + FAR * lead) continue;
        const name = `${feature}${pkg === '' ? '' : ` (package ${pkg})`} of ${vendorLicense}`;
        const date = `about ${dateText(day, forecast)}`;
        const told = { summary: `${name} is expected to run out of licenses ${date}.`, figure: date };
        findings.push(finding(subject, told, at, at <= now + lead));
      }
      const isListKnown = inventory.knowledge.products;
      return {
        findings,
        isUnknown: (labels) =>
          (!isListKnown && !listed.has(labels.vendor_license ?? '')) || unknown.has(featureKey(labels)),
        unknownAbout: aboutSite(!isListKnown),
        hasNoData: !isListKnown,
      };
    },
  attention: {
    what: 'Runs out',
    class: (due, now) => (due !== undefined && due < now + 7 * DAY ? 'soon' : 'later'),
    time: 'value is due time',
  },
  texts: {
    summary: ({ features }) => `${features} are expected to run out of licenses.`,
    impact: 'Once they run out, all licenses are expected to be in use at some moment in about one week of four.',
    step: 'Find out why the use grows, and order more licenses in time.',
  },
  example: () => ({ forecasts: [{}] }),
});
