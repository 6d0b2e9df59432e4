import { isUncounted } from '../../../../base/model/uncounted.ts';
import { isKnown } from '../../../../base/model/unknown.ts';
import { duration, integer, ratio } from '../../../../base/settings/values.ts';
import { durationText, percentText } from '../../../../base/texts.ts';
import type { Inventory } from '../../../../exporter/inventory/inventory.ts';
import { Averages } from '../../averages.ts';
import { featureCondition, inUseText, isUsageKnown, nameOf } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';
import type { View } from '../../rule.ts';
import { usageText } from '../../texts.ts';

const parameters = {
  raise: ratio
    .prefault(0.95)
    .describe('The alert starts when the ratio of licenses in use, averaged over `window`, reaches this value.'),
  clear: ratio.prefault(0.9).describe('The alert ends below this averaged ratio.'),
  window: duration(60, 86_400)
    .prefault('10m')
    .describe('The ratio is averaged over this time. Ratios below one half count as one half.'),
  min_licenses: integer(1, 1_000_000).prefault(2).describe('Features with fewer licenses are ignored.'),
};

/** What a sum of fractions may be away from the exact one. */
const TOLERANCE = 1e-9;

/** The usage of these vendor licenses is known. */
const withUsage = ({ inventory: { vendorLicenses, knowledge } }: View): readonly string[] =>
  vendorLicenses
    .filter(({ vendorLicense, isWithheld }) => !isWithheld && knowledge.features(vendorLicense))
    .map(({ vendorLicense }) => vendorLicense);

const reportsQueues = new WeakMap<Inventory, ReadonlySet<string>>();

/** Vendor licenses that say who waits. */
function withQueues(inventory: Inventory): ReadonlySet<string> {
  const known =
    reportsQueues.get(inventory) ??
    new Set(
      Iterator.from(inventory.features)
        .filter(({ maxQueued }) => isKnown(maxQueued))
        .map(({ vendorLicense }) => vendorLicense),
    );
  reportsQueues.set(inventory, known);
  return known;
}

/**
 * Vendor licenses that say who waits or is denied. These are the symptoms, and a full pool is only information then; without them, it
 * is the only sign that licenses are missing.
 */
const withSymptoms = ({ inventory, denied = [] }: View): readonly string[] => [
  ...withQueues(inventory),
  ...denied.map(({ vendorLicense }) => vendorLicense),
];

/**
 * Nearly all licenses of a feature are in use. The ratio is averaged over a window, so that the condition remembers past ratios: it
 * is for the views of one site, in the order of time.
 */
export const featureSaturated = engineAlert({
  subject: 'feature',
  worst: 'largest',
  messages: 'usage',
  severities: ['warning', 'info'],
  for: '5m',
  keepFiringFor: '10m',
  parameters,
  contradiction: ({ raise, clear }) => {
    if (Number(clear) <= 0.5)
      return { name: 'clear', message: `clear (${clear}) must be above 0.5, as lower ratios count as 0.5; raise it` };
    return Number(clear) > Number(raise)
      ? { name: 'clear', message: `clear (${clear}) is above raise (${raise}); lower it` }
      : undefined;
  },
  threshold: { value: ({ raise }) => raise, text: percentText },
  condition: featureCondition<typeof parameters>(({ severity, settings: { base, overrides } }) => {
    const windows = [base, ...overrides.map(({ values }) => values)].flatMap(({ window }) => window ?? []);
    const averages = new Map(windows.map((window) => [window, new Averages(window)]));
    const haveHadSymptoms = new Set<string>();
    return {
      begin: (view) => {
        for (const vendorLicense of withSymptoms(view)) haveHadSymptoms.add(vendorLicense);
        const known = withUsage(view);
        for (const average of averages.values()) average.begin(view.now, known);
      },
      condition: (row, { raise, clear, window, minLicenses }) => {
        const { isReported, inUse, maxAvailable } = row;
        if (!isReported) return 'not reported';
        if (isUncounted(row) || (isKnown(maxAvailable) && maxAvailable < minLicenses)) return false;
        if (!isKnown(inUse) || !isKnown(maxAvailable)) return 'unknown';
        const average = averages.get(window)?.add(row, inUse / maxAvailable) ?? 0;
        if (average < clear - TOLERANCE) return false;
        // one that does not say now who waits may do so again
        const isOurs = severity === (haveHadSymptoms.has(row.vendorLicense) ? 'info' : 'warning');
        if (!isOurs) return severity === 'info' && 'unknown';
        return { value: average, isRaised: average >= raise - TOLERANCE };
      },
      end: () => {
        for (const average of averages.values()) average.end();
      },
      isKnown: isUsageKnown,
      tell: (row, average, _view, { window }) => {
        const of = ` of ${nameOf(row)}`;
        const percent = `${Math.floor((average + TOLERANCE) * 100)} %`;
        return {
          summary: `${inUseText(row, of) ?? `${percent} of the licenses${of} are in use`}.`,
          facts: `On average, ${percent} were in use over the last ${durationText(window)}.`,
          figure: usageText(row) ?? percent,
        };
      },
    };
  }),
  attention: { what: 'Saturated', class: 'full' },
  texts: {
    summary: ({ features }) => `Nearly all licenses of ${features} are in use.`,
    impact: 'Users may soon wait for a license, or be denied one.',
    step: 'Look for idle checkouts and unused reservations.',
  },
  example: () => ({ features: [{ inUse: 10, maxAvailable: 10 }] }),
});
