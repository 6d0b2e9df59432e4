import type { Inventory } from '../inventory/inventory.ts';
import { isUncounted } from '../model/uncounted.ts';
import { createAverages } from './averages.ts';
import { createFeatureRule, isUsageKnown, nameOf } from './feature-rules.ts';
import type { Rule, RuleFactory, Severity, View } from './rule.ts';
import type { Adjustable, Durations } from './rule-settings.ts';
import { usageText } from './texts.ts';

interface SaturatedParameters extends Durations {
  /** Ratios, 0 to 1. */
  readonly raise: number;
  readonly clear: number;
  /** Seconds over which the ratio is averaged. */
  readonly window: number;
  readonly minLicenses: number;
}

const REMEDY =
  'Users may soon be denied a license. Look for idle checkouts and unused reservations, or buy more licenses.';
/** What a sum of fractions may be away from the exact one. */
const TOLERANCE = 1e-9;

/** The usage of these vendor licenses is known. */
const withUsage = ({ inventory: { vendorLicenses, knowledge } }: View): readonly string[] =>
  [...vendorLicenses]
    .filter(({ vendorLicense, isWithheld }) => !isWithheld && knowledge.features(vendorLicense))
    .map(({ vendorLicense }) => vendorLicense);

/**
 * The rule about features whose licenses are nearly all in use. It averages the ratio over a window, so that it remembers past
 * ratios: one rule is for the views of one site, in the order of time.
 */
export const createSaturated: RuleFactory<SaturatedParameters> = (name, settings) =>
  (['warning', 'info'] as const).map((severity) => createRuleOf(severity, name, settings));

const recordsQueues = new WeakMap<Inventory, boolean>();

/**
 * Whether the site says who waits or is denied. These are the symptoms, and a full pool is only information then; without them, it
 * is the only sign that licenses are missing.
 */
function hasSymptoms({ inventory, denied }: View): boolean {
  const known =
    recordsQueues.get(inventory) ?? inventory.features.scan().some(({ maxQueued }) => maxQueued !== undefined);
  recordsQueues.set(inventory, known);
  return known || denied !== undefined;
}

function createRuleOf(severity: Severity, name: string, settings: Adjustable<SaturatedParameters>): Rule {
  const windows = [settings.base, ...settings.overrides.map(({ values }) => values)].flatMap(
    ({ window }) => window ?? [],
  );
  const averages = new Map(windows.map((window) => [window, createAverages(window)]));
  let hasHadSymptoms = false;
  let isOurs = false;
  return createFeatureRule({
    name,
    severity,
    settings,
    threshold: ({ raise }) => raise,
    grouping: {
      worst: 'largest',
      summarize: ({ vendorLicense, count }) =>
        `Nearly all licenses of ${count} features of ${vendorLicense} are in use.`,
      remedy: REMEDY,
    },
    begin: (view) => {
      hasHadSymptoms ||= hasSymptoms(view);
      isOurs = severity === (hasHadSymptoms ? 'info' : 'warning');
      const known = withUsage(view);
      for (const average of averages.values()) average.begin(view.now, known);
    },
    condition: (row, { raise, clear, window, minLicenses }) => {
      const { isReported, inUse, maxAvailable } = row;
      if (!isReported) return 'not reported';
      if (isUncounted(row) || (maxAvailable !== undefined && maxAvailable < minLicenses)) return false;
      if (inUse === undefined || maxAvailable === undefined) return 'unknown';
      const average = averages.get(window)?.add(row, inUse / maxAvailable) ?? 0;
      if (average < clear - TOLERANCE) return false;
      // a site that does not say now who waits may do so again
      if (!isOurs) return severity === 'info' && 'unknown';
      return { value: average, isRaised: average >= raise - TOLERANCE };
    },
    end: () => {
      for (const average of averages.values()) average.end();
    },
    isKnown: isUsageKnown,
    annotate: (row, average) => ({
      summary: `${usageText(row)} of ${nameOf(row)} are in use.`,
      description: `On average, ${Math.floor((average + TOLERANCE) * 100)} % were in use in the last minutes. ${REMEDY}`,
      figure: usageText(row) ?? `${Math.floor((average + TOLERANCE) * 100)} %`,
    }),
  });
}
