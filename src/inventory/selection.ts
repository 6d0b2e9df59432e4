import { createHash } from 'node:crypto';

/** The shard of this exporter. With `total` 1 there is only one. */
export interface Shard {
  readonly index: number;
  readonly total: number;
}

/** The vendor licenses, by canonical name, and features that this exporter reports. */
export interface Selection {
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
export function createSelection(
  shard: Shard,
  select: { readonly include: readonly RegExp[]; readonly exclude: readonly RegExp[] },
): Selection {
  const excluded = (name: string): boolean => select.exclude.some((expression) => expression.test(name));
  return {
    ownsVendorLicense: (vendorLicense) =>
      (shard.total === 1 || shardOf(vendorLicense, shard.total) === shard.index) &&
      (select.include.length === 0 || select.include.some((expression) => expression.test(vendorLicense))) &&
      !excluded(vendorLicense),
    ownsFeature: (feature) => !excluded(feature),
  };
}
