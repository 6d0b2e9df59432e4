import { createHash } from 'node:crypto';

/** The shard of this exporter. With `total` 1 there is only one. */
interface Shard {
  readonly index: number;
  readonly total: number;
}

/** What is selected, as plain data. */
export interface SelectionRules {
  readonly shard: Shard;
  readonly include: readonly RegExp[];
  readonly exclude: readonly RegExp[];
}

/** The vendor licenses, by canonical name, and features that this exporter reports. */
export interface Selection {
  readonly rules: SelectionRules;
  readonly ownsVendorLicense: (vendorLicense: string) => boolean;
  readonly ownsFeature: (feature: string) => boolean;
}

/**
 * The shard that owns a vendor license: the first 8 bytes of the SHA-256 of its canonical name, unsigned big-endian,
 * modulo the number of shards.
 */
export function shardOf(vendorLicense: string, total: number): number {
  const digest = createHash('sha256').update(vendorLicense).digest();
  return Number(digest.readBigUInt64BE(0) % BigInt(total));
}

/**
 * `include` keeps only the vendor licenses that match one of its expressions; if it is empty, it keeps all. `exclude`
 * drops vendor licenses and features that match.
 */
export function createSelection(rules: SelectionRules): Selection {
  const { shard, include, exclude } = rules;
  const excluded = (name: string): boolean => exclude.some((expression) => expression.test(name));
  return {
    rules,
    ownsVendorLicense: (vendorLicense) =>
      (shard.total === 1 || shardOf(vendorLicense, shard.total) === shard.index) &&
      (include.length === 0 || include.some((expression) => expression.test(vendorLicense))) &&
      !excluded(vendorLicense),
    ownsFeature: (feature) => !excluded(feature),
  };
}
