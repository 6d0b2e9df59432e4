import type { Labels } from '../alerts/alert.ts';

/** One cause, one message: an alert that follows from another one is not sent while the other one fires. */

export interface Selector {
  readonly alertname: RegExp;
}

/** While an alert of `source` fires, those of `target` with the same values of the labels in `equal` are not sent. */
export interface Inhibition {
  readonly source: Selector;
  readonly target: Selector;
  readonly equal: readonly string[];
}

const ofServer = /^License(CollectionStale|Feature.*|RequestsQueued|CapacityDropped)$/;

/**
 * The inhibitions of `deploy/alertmanager/alertmanager.yml` that concern alerts of the engine. The labels `analyzer` and `shard`
 * are left out, because all alerts of one engine that have them have the same.
 */
export const inhibitions: readonly Inhibition[] = [
  {
    source: { alertname: /^LicenseAnalyzerAuthFailing$/ },
    target: { alertname: /^License(AnalyzerUnreachable|PollPartial|CollectionStale)$/ },
    equal: [],
  },
  {
    source: { alertname: /^LicenseAnalyzerUnreachable$/ },
    target: { alertname: /^License(PollPartial|CollectionStale)$/ },
    equal: [],
  },
  {
    source: { alertname: /^LicenseProductsEmpty$/ },
    target: { alertname: /^License(VendorLicenseVanished|FeatureVanished|CapacityDropped)$/ },
    equal: [],
  },
  {
    source: { alertname: /^LicenseSourceDown$/ },
    target: { alertname: new RegExp(`^LicenseServerDown$|${ofServer.source}`) },
    equal: ['vendor_license'],
  },
  { source: { alertname: /^LicenseServerDown$/ }, target: { alertname: ofServer }, equal: ['vendor_license'] },
  {
    source: { alertname: /^LicenseVendorLicenseVanished$/ },
    target: { alertname: /^License(FeatureVanished|CapacityDropped)$/ },
    equal: ['vendor_license'],
  },
];

const matches = ({ alertname }: Selector, labels: Labels): boolean => alertname.test(labels.alertname ?? '');

/** The values of the labels that must be equal. Their lengths keep them apart. */
function keyOf({ equal }: Inhibition, labels: Labels): string {
  let key = '';
  for (const name of equal) {
    const value = labels[name] ?? '';
    key += `${value.length}:${value}`;
  }
  return key;
}

/** Whether an alert follows from one of those that fire. */
export function createInhibitor(firing: readonly Labels[]): (labels: Labels) => boolean {
  const causes = inhibitions.map((inhibition) => ({
    inhibition,
    keys: new Set(
      firing.filter((labels) => matches(inhibition.source, labels)).map((labels) => keyOf(inhibition, labels)),
    ),
  }));
  const isInhibited = (labels: Labels): boolean =>
    causes.some(
      ({ inhibition, keys }) =>
        keys.size > 0 && matches(inhibition.target, labels) && keys.has(keyOf(inhibition, labels)),
    );
  /** Several parts of a message ask about the same alert, of which there can be thousands. */
  const known = new WeakMap<Labels, boolean>();
  return (labels) => {
    const found = known.get(labels) ?? isInhibited(labels);
    known.set(labels, found);
    return found;
  };
}
