import type { ExpirationRecord, FeatureRecord } from '../model/records.ts';
import { freshGood, type Snapshot, WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { earliest, either, mergeFeatures, withoutFeatureUsage } from './merge.ts';
import type { Selection } from './selection.ts';

/** A feature by its five labels, with what is known of its use and of its expiry. */
export interface FeatureEntry {
  /** The labels as one text, unique and sortable. */
  readonly key: string;
  readonly vendorLicense: string;
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
  /** From GetFeatures; usage that is withheld is `undefined` in it. */
  readonly record: FeatureRecord | undefined;
  /** From GetExpirationFeatures, or from GetFeatures where that has none. Epoch seconds, `Infinity` for permanent. */
  readonly expiration: number | undefined;
  readonly minExpiration: number | undefined;
  readonly expired: boolean | undefined;
  readonly expirationWarning: boolean | undefined;
}

export interface FeatureEntries {
  readonly entries: readonly FeatureEntry[];
  /** Records that shared all labels with another one. */
  readonly mergedFeatures: number;
  readonly mergedExpirations: number;
}

export interface FeatureIndex {
  /** The records the entries are made from, by identity. */
  readonly inputs: readonly unknown[];
  build(): Generator<void, FeatureEntries>;
}

interface Named {
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
}

/** The records of one fresh part. */
interface Part<T> {
  readonly part: string;
  readonly records: readonly T[];
}

interface Draft extends Named {
  readonly key: string;
  readonly vendorLicense: string;
  record?: FeatureRecord;
  expiration?: ExpirationRecord;
}

/** Records handled between two yields. */
const SLICE = 500;

function mergeExpirations(a: ExpirationRecord, b: ExpirationRecord): ExpirationRecord {
  return {
    ...a,
    licenseExpiration: earliest(a.licenseExpiration, b.licenseExpiration),
    minLicenseExpiration: earliest(a.minLicenseExpiration, b.minLicenseExpiration),
    showExpired: either(a.showExpired, b.showExpired),
    showWarning: either(a.showWarning, b.showWarning),
  };
}

function toEntry({ record, expiration, ...labels }: Draft, isWithheld: boolean): FeatureEntry {
  return {
    ...labels,
    record: record !== undefined && isWithheld ? withoutFeatureUsage(record) : record,
    expiration: expiration?.licenseExpiration ?? record?.licenseExpiration,
    minExpiration: expiration?.minLicenseExpiration,
    expired: expiration?.showExpired ?? record?.showExpired,
    expirationWarning: expiration?.showWarning ?? record?.showWarning,
  };
}

/**
 * Prepares the feature entries of a snapshot: which records there are, and whose they are. Records of an answer for all
 * vendor licenses belong to the one they name; those of an answer for one vendor license belong to that.
 */
export function createFeatureIndex(
  snapshot: Snapshot,
  now: number,
  selection: Selection,
  spell: (vendorLicense: string) => string,
  withheld: ReadonlySet<string>,
): FeatureIndex {
  const { GetFeatures, GetExpirationFeatures } = snapshot.endpoints;
  const features: Part<FeatureRecord>[] = [...(GetFeatures?.parts.keys() ?? [])].flatMap((part) => {
    const good = GetFeatures === undefined ? undefined : freshGood(GetFeatures, part, now);
    return good === undefined ? [] : [{ part, records: good.value.records }];
  });
  const expirations: Part<ExpirationRecord>[] = [...(GetExpirationFeatures?.parts.keys() ?? [])].flatMap((part) => {
    const good = GetExpirationFeatures === undefined ? undefined : freshGood(GetExpirationFeatures, part, now);
    return good === undefined ? [] : [{ part, records: good.value.records }];
  });
  const drafts = new Map<string, Map<string, Draft>>();

  const draft = (vendorLicense: string, { feature, version, package: pkg, featureType }: Named): Draft => {
    const key = JSON.stringify([vendorLicense, feature, version, pkg, featureType]);
    let ofLicense = drafts.get(vendorLicense);
    if (ofLicense === undefined) {
      ofLicense = new Map();
      drafts.set(vendorLicense, ofLicense);
    }
    let found = ofLicense.get(key);
    if (found === undefined) {
      found = { key, vendorLicense, feature, version, package: pkg, featureType };
      ofLicense.set(key, found);
    }
    return found;
  };

  /** Owners by the name in a record or part: many records, few names. */
  const owners = new Map<string, string>();
  const ownerOf = (name: string): string => {
    const owner = owners.get(name) ?? spell(parseVendorLicense(name).vendorLicense);
    owners.set(name, owner);
    return owner;
  };

  const build = function* (): Generator<void, FeatureEntries> {
    let handled = 0;
    let mergedFeatures = 0;
    let mergedExpirations = 0;
    for (const { part, records } of features) {
      for (const record of records) {
        handled += 1;
        if (handled % SLICE === 0) yield;
        const owner = ownerOf(part === WHOLE ? `${record.serverName};${record.daemon}` : part);
        if (!selection.ownsVendorLicense(owner) || !selection.ownsFeature(record.feature)) continue;
        const target = draft(owner, record);
        if (target.record !== undefined) mergedFeatures += 1;
        target.record = target.record === undefined ? record : mergeFeatures(target.record, record);
      }
    }
    for (const { part, records } of expirations) {
      const owner = ownerOf(part);
      if (!selection.ownsVendorLicense(owner)) continue;
      for (const record of records) {
        handled += 1;
        if (handled % SLICE === 0) yield;
        if (!selection.ownsFeature(record.feature)) continue;
        const target = draft(owner, record);
        if (target.expiration !== undefined) mergedExpirations += 1;
        target.expiration = target.expiration === undefined ? record : mergeExpirations(target.expiration, record);
      }
    }
    const entries: FeatureEntry[] = [];
    for (const owner of [...drafts.keys()].sort()) {
      const ofLicense = [...(drafts.get(owner)?.values() ?? [])].sort((a, b) => (a.key < b.key ? -1 : 1));
      for (const item of ofLicense) entries.push(toEntry(item, withheld.has(owner)));
      yield;
    }
    return { entries, mergedFeatures, mergedExpirations };
  };

  return {
    inputs: [...features, ...expirations].flatMap(({ part, records }) => [part, records]),
    build,
  };
}
