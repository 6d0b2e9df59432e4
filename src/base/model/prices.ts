import { canonical } from './vendor-license.ts';
import { createPattern } from './wildcard.ts';

/** A price of the licenses that match. `%` matches any text. */
export interface PriceEntry {
  /** Letter case is ignored. */
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  /** Of one license, for the time of `per`. */
  readonly price: number;
  /** ISO 4217, for example `EUR`. */
  readonly currency: string;
  /** `once`: bought permanently. */
  readonly per: 'year' | 'month' | 'once';
  /** Local day, counted from 1970-01-01. It replaces the expiry that the analyzer reports. */
  readonly renewal: number | undefined;
  /** How many days before the renewal the number of licenses must be announced. */
  readonly noticeDays: number | undefined;
  readonly note: string;
}

export interface Prices {
  readonly count: number;
  /** The first entry that matches. */
  of(vendorLicense: string, feature: string, packageName: string): PriceEntry | undefined;
}

interface Ranked {
  /** Entries with a lower rank take precedence. */
  readonly rank: number;
  readonly entry: PriceEntry;
  readonly matchesVendorLicense: (vendorLicense: string) => boolean;
  readonly matchesFeature: (feature: string) => boolean;
  readonly matchesPackage: (packageName: string) => boolean;
}

const ANY = '%';

const isExact = (text: string): boolean => !text.includes(ANY);

/** The same for entries with the same licenses. */
export const priceKey = ({ vendorLicense, feature, package: packageName }: PriceEntry): string =>
  JSON.stringify([canonical(vendorLicense), feature, packageName]);

function rank(entry: PriceEntry, position: number): Ranked {
  const matcherOf = (text: string) => createPattern(text, { ignoreCase: false });
  return {
    rank: position,
    entry,
    matchesVendorLicense: createPattern(canonical(entry.vendorLicense), { ignoreCase: true }),
    matchesFeature: matcherOf(entry.feature),
    matchesPackage: matcherOf(entry.package),
  };
}

const first = (entries: readonly Ranked[], matches: (entry: Ranked) => boolean): Ranked | undefined =>
  entries.find(matches);

/** The prices by these entries. A price list has thousands of them, and a site thousands of features. */
export function createPrices(entries: readonly PriceEntry[]): Prices {
  const ranked = entries.map(rank);
  const keyOf = (vendorLicense: string, feature: string): string => `${vendorLicense}\n${feature}`;
  const byName = Map.groupBy(
    ranked.filter(({ entry }) => isExact(entry.vendorLicense) && isExact(entry.feature)),
    ({ entry }) => keyOf(canonical(entry.vendorLicense), entry.feature),
  );
  const patterns = ranked.filter(({ entry }) => !isExact(entry.vendorLicense) || !isExact(entry.feature));
  const known = new Map<string, readonly Ranked[]>();

  /** The entries with a wildcard that match a vendor license, which has many features. */
  const patternsOf = (vendorLicense: string): readonly Ranked[] => {
    const found = known.get(vendorLicense);
    if (found !== undefined) return found;
    const matching = patterns.filter(({ matchesVendorLicense }) => matchesVendorLicense(vendorLicense));
    known.set(vendorLicense, matching);
    return matching;
  };

  return {
    count: entries.length,
    of: (vendorLicense, feature, packageName) => {
      if (entries.length === 0) return undefined;
      const named = byName.get(keyOf(vendorLicense.toLowerCase(), feature)) ?? [];
      const exact = first(named, ({ matchesPackage }) => matchesPackage(packageName));
      const matching = first(
        patternsOf(vendorLicense),
        ({ matchesFeature, matchesPackage }) => matchesFeature(feature) && matchesPackage(packageName),
      );
      if (exact === undefined || matching === undefined) return (exact ?? matching)?.entry;
      return (exact.rank < matching.rank ? exact : matching).entry;
    },
  };
}
