/** Features whose licenses are the tokens that other features take: who holds tokens is listed there too. */

/** A feature as its record names it. */
interface Taken {
  readonly vendorLicense: string;
  /** Empty if it takes none. */
  readonly tokenPool: string;
  /** Vendor license of the tokens; empty if it is the same. */
  readonly tokenSource: string;
}

/** Names without letter case, as analyzers compare them. */
export const featureNameKey = (vendorLicense: string, feature: string): string =>
  JSON.stringify([vendorLicense.toLowerCase(), feature.toLowerCase()]);

/** The token pools of features, by `featureNameKey`. */
export function tokenPools(features: Iterable<Taken>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { vendorLicense, tokenPool, tokenSource } of features)
    if (tokenPool !== '') keys.add(featureNameKey(tokenSource || vendorLicense, tokenPool));
  return keys;
}
