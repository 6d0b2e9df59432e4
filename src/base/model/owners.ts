import { canonical } from './vendor-license.ts';
import { createPattern } from './wildcard.ts';

/** Who acts on a vendor license or a feature: labels such as `owner`, `team` and `site`. */
export interface Owners {
  /** The names of all labels, `owner` first. */
  readonly names: readonly string[];
  /** The labels of a vendor license, or of one of its features. A label without a value is left out. */
  of(vendorLicense: string, feature?: string): Readonly<Record<string, string>>;
}

/** Labels of the vendor licenses and features that match, as plain data. */
export interface OwnerEntry {
  /** `*` matches any text, and letter case is ignored. */
  readonly vendorLicense: string;
  /** `*` matches any text; `*` alone matches the vendor license itself too. */
  readonly feature: string;
  /** Labels without a value are not given. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Owners with the entries that they were made of. */
export interface OwnerMapping extends Owners {
  readonly entries: readonly OwnerEntry[];
}

/** Entries with the tests of their features, in order. */
interface Applicable {
  /** Entries of one feature each, by its name. */
  readonly exact: ReadonlyMap<string, readonly Ranked[]>;
  /** The others. */
  readonly patterns: readonly Ranked[];
}

interface Ranked {
  /** Entries with a lower rank take precedence. */
  readonly rank: number;
  readonly entry: OwnerEntry;
  readonly matchesVendorLicense: (vendorLicense: string) => boolean;
  readonly matchesFeature: (feature: string) => boolean;
}

const ANY = '*';

const isExact = (pattern: string): boolean => !pattern.includes(ANY);

function rank(entry: OwnerEntry, position: number): Ranked {
  return {
    rank: position,
    entry,
    matchesVendorLicense: createPattern(canonical(entry.vendorLicense), { ignoreCase: true, wildcard: ANY }),
    matchesFeature: createPattern(entry.feature, { ignoreCase: false, wildcard: ANY }),
  };
}

function applicableOf(entries: readonly Ranked[]): Applicable {
  return {
    exact: Map.groupBy(
      entries.filter(({ entry }) => isExact(entry.feature)),
      ({ entry }) => entry.feature,
    ),
    patterns: entries.filter(({ entry }) => !isExact(entry.feature)),
  };
}

/** Of each label, the value of the first entry that gives it. */
function labelsOf(matching: readonly Ranked[]): Readonly<Record<string, string>> {
  const ordered = matching.toSorted((a, b) => b.rank - a.rank);
  const given = ordered.flatMap(({ entry }) => Object.entries(entry.labels).filter(([, value]) => value !== ''));
  return Object.fromEntries(given);
}

/** The owners by these entries. If several match, the first one that gives a label wins. */
export function createOwners(entries: readonly OwnerEntry[]): OwnerMapping {
  const ranked = entries.map(rank);
  const byName = Map.groupBy(
    ranked.filter(({ entry }) => isExact(entry.vendorLicense)),
    ({ entry }) => canonical(entry.vendorLicense),
  );
  const patterns = ranked.filter(({ entry }) => !isExact(entry.vendorLicense));
  const known = new Map<string, Applicable>();

  /** The entries of a vendor license, which has many features. */
  const entriesOf = (vendorLicense: string): Applicable => {
    const found = known.get(vendorLicense);
    if (found !== undefined) return found;
    const matching = patterns.filter(({ matchesVendorLicense }) => matchesVendorLicense(vendorLicense));
    const applicable = applicableOf([...(byName.get(vendorLicense.toLowerCase()) ?? []), ...matching]);
    known.set(vendorLicense, applicable);
    return applicable;
  };

  return {
    entries,
    names: [...new Set(['owner', ...entries.flatMap(({ labels }) => Object.keys(labels))])],
    of: (vendorLicense, feature) => {
      if (entries.length === 0) return {};
      const { exact, patterns: others } = entriesOf(vendorLicense);
      if (feature === undefined) return labelsOf(others.filter(({ entry }) => entry.feature === ANY));
      return labelsOf([
        ...(exact.get(feature) ?? []),
        ...others.filter(({ matchesFeature }) => matchesFeature(feature)),
      ]);
    },
  };
}

/** Nobody is named. */
export const noOwners: OwnerMapping = createOwners([]);
