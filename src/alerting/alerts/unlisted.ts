import type { AlertStates, Labels } from './alert.ts';
import type { Past } from './past.ts';
import type { Evaluation, Rule } from './rule.ts';

/**
 * What is not listed any more is not known to be over: until an alert says that it has vanished, and then it has ended without
 * being over.
 */

const NO_LONGER_LISTED = 'no longer listed by the analyzer';
const LEFT_OUT = 'no longer selected by the settings';

/** The alerts that say so. They know themselves what is listed. */
const vanishings = { vendorLicense: 'LicenseVendorLicenseVanished', feature: 'LicenseFeatureVanished' } as const;
const names: ReadonlySet<string> = new Set(Object.values(vanishings));

/** Whether an alert says itself that something is not listed any more. */
export const isVanishing = (alertname = ''): boolean => names.has(alertname);

const subjectKey = (vendorLicense = '', feature = ''): string => JSON.stringify([vendorLicense.toLowerCase(), feature]);

/** What the alerts of before say has vanished. */
function vanishedIn(states: AlertStates): ReadonlySet<string> {
  const said = states.values().filter(({ state, labels }) => state === 'firing' && isVanishing(labels.alertname));
  return new Set(said.map(({ labels }) => subjectKey(labels.vendor_license, labels.feature)));
}

type Outcome = 'by its condition' | 'unknown' | { readonly ending: string };

interface UnlistedOptions {
  readonly past: Past;
  /** The alerts of before. */
  readonly states: AlertStates;
  /** Epoch seconds. */
  readonly now: number;
  /** How long what is missed keeps this daemon from saying that it knows everything, if no alert says so, seconds. */
  readonly unknownHold: number;
}

/** The evaluation of a rule about vendor licenses or features, where something is not listed any more. */
export function createUnlisted({ past, states, now, unknownHold }: UnlistedOptions) {
  const vanished = vanishedIn(states);
  const unsaid = past.missed.filter(
    ({ vendorLicense, feature, missedAt }) =>
      now - missedAt < unknownHold && !vanished.has(subjectKey(vendorLicense, feature)),
  );
  const about = unsaid.map(({ vendorLicense }) => vendorLicense);
  const outcomeOf = ({ vendor_license: vendorLicense, feature }: Labels): Outcome => {
    if (vendorLicense === undefined) return 'by its condition';
    const listing = past.listingOf(vendorLicense, feature);
    if (listing === 'left out') return { ending: LEFT_OUT };
    if (listing === 'expired') return { ending: NO_LONGER_LISTED };
    if (listing === 'listed' || listing === 'forgotten') return 'by its condition';
    const isSaid = vanished.has(subjectKey(vendorLicense)) || vanished.has(subjectKey(vendorLicense, feature));
    return isSaid ? { ending: NO_LONGER_LISTED } : 'unknown';
  };
  return ({ name, subject }: Rule, evaluation: Evaluation): Evaluation =>
    subject === 'analyzer' || isVanishing(name)
      ? evaluation
      : {
          ...evaluation,
          unknownAbout: about.length === 0 ? evaluation.unknownAbout : new Set([...evaluation.unknownAbout, ...about]),
          isUnknown: (labels) => {
            const outcome = outcomeOf(labels);
            return outcome === 'by its condition' ? evaluation.isUnknown(labels) : outcome === 'unknown';
          },
          endingOf: (labels) => {
            const outcome = outcomeOf(labels);
            return typeof outcome === 'string' ? undefined : outcome.ending;
          },
        };
}
