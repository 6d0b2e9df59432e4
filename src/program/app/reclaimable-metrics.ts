import type {
  ReclaimableFeature,
  ReclaimableVendorLicense,
  RecordedReclaimable,
} from '../../analyzer/history/recorded-reclaimable.ts';
import { type ReclaimKind, reclaimKinds } from '../../base/model/reclaim.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import type { LabelledValues } from '../../exporter/metrics/own-state.ts';
import type { Owns } from '../../insight/advice/pass/recorded-demand-source.ts';

/** Licenses that could come back, by the labels of their metric. */

/** Licenses by kind; `undefined` for a kind that is not known of one of the features. */
type KindSums = ReadonlyMap<ReclaimKind, number | undefined>;

/** Adds to each kind. A kind that is not known stays unknown. */
function addTo(sums: Map<ReclaimKind, number | undefined>, kind: ReclaimKind, licenses: number | undefined): void {
  const before = sums.has(kind) ? sums.get(kind) : 0;
  sums.set(kind, before === undefined || licenses === undefined ? undefined : before + licenses);
}

/** Without kinds if none of its features is selected. */
function sumsOf(vendorLicense: string, features: readonly ReclaimableFeature[], owns: Owns): KindSums {
  const sums = new Map<ReclaimKind, number | undefined>();
  for (const { feature, licenses } of features) {
    // which package it has is not asked
    if (!owns({ vendorLicense, feature, package: '', featureType: '' })) continue;
    for (const kind of reclaimKinds) addTo(sums, kind, licenses[kind]);
  }
  return sums;
}

const nothing: KindSums = new Map(reclaimKinds.map((kind) => [kind, undefined]));

/**
 * The samples of what is selected, and of this shard. A site can have 100,000 features: sums are kept until a vendor license is
 * collected again, or the selection changes.
 */
export function createReclaimableMetrics({ now }: RecordedReclaimable): (owns: Owns) => LabelledValues {
  const kept = new WeakMap<readonly ReclaimableFeature[], { readonly owns: Owns; readonly sums: KindSums }>();

  const sumsNow = (name: string, features: ReclaimableVendorLicense['features'], owns: Owns): KindSums => {
    if (features === undefined) return nothing;
    const before = kept.get(features);
    if (before?.owns === owns) return before.sums;
    const sums = sumsOf(name, features, owns);
    kept.set(features, { owns, sums });
    return sums;
  };

  return function* samples(owns) {
    const byName = new Map<string, Map<ReclaimKind, number | undefined>>();
    for (const { vendorLicense, features } of now()) {
      const name = parseVendorLicense(vendorLicense).vendorLicense;
      const sums = byName.get(name) ?? new Map<ReclaimKind, number | undefined>();
      byName.set(name, sums);
      for (const [kind, licenses] of sumsNow(name, features, owns)) addTo(sums, kind, licenses);
    }
    for (const [vendorLicense, sums] of byName)
      for (const [kind, licenses] of sums)
        if (licenses !== undefined) yield [{ vendor_license: vendorLicense, kind }, licenses];
  };
}
