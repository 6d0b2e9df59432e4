import type { Answer, ExpirationRecord, FeatureRecord } from '../model/records.ts';
import { type EndpointState, freshGood, type Snapshot, WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { createFeatureRow, type FeatureLabels, type FeatureRow } from './feature-row.ts';
import { mergeExpirations, mergeFeatures } from './merge.ts';
import type { Selection } from './selection.ts';

export interface BuiltFeatures {
  /** Sorted by their labels. */
  readonly rows: readonly FeatureRow[];
  /** Number of records with the same labels as another record. */
  readonly mergedFeatures: number;
  readonly mergedExpirations: number;
}

export interface FeatureIndex {
  /** The source records, compared by identity. */
  readonly inputs: readonly unknown[];
  build(): Generator<void, BuiltFeatures>;
}

/** The records of one fresh part. */
interface Part<T> {
  readonly part: string;
  readonly records: readonly T[];
}

/** The parts of an endpoint whose records may still be shown. @param now epoch seconds */
function freshParts<T>(state: EndpointState<Answer<T>> | undefined, now: number): readonly Part<T>[] {
  return [...(state?.parts.keys() ?? [])].flatMap((part) => {
    const good = state === undefined ? undefined : freshGood(state, part, now);
    return good === undefined ? [] : [{ part, records: good.value.records }];
  });
}

/** A row that is being built. */
interface Draft extends FeatureLabels {
  readonly key: string;
  record?: FeatureRecord;
  expirationRecord?: ExpirationRecord;
}

/** Records processed between two yields. */
const SLICE = 500;

/**
 * Prepares the feature rows of a snapshot: its records and their owners. A record of an answer for all vendor licenses
 * belongs to the one it names. A record of an answer for one vendor license belongs to that one.
 */
export function createFeatureIndex(
  snapshot: Snapshot,
  now: number,
  selection: Selection,
  spell: (vendorLicense: string) => string,
  withheld: ReadonlySet<string>,
): FeatureIndex {
  const { GetFeatures, GetExpirationFeatures } = snapshot.endpoints;
  const features = freshParts(GetFeatures, now);
  const expirations = freshParts(GetExpirationFeatures, now);
  const drafts = new Map<string, Map<string, Draft>>();

  const draft = (
    vendorLicense: string,
    { feature, version, package: pkg, featureType }: Omit<FeatureLabels, 'vendorLicense'>,
  ): Draft => {
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

  /** Owners by the name in a record or part, cached because many records share few names. */
  const owners = new Map<string, string>();
  const ownerOf = (name: string): string => {
    const owner = owners.get(name) ?? spell(parseVendorLicense(name).vendorLicense);
    owners.set(name, owner);
    return owner;
  };

  const build = function* (): Generator<void, BuiltFeatures> {
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
        if (target.expirationRecord !== undefined) mergedExpirations += 1;
        target.expirationRecord =
          target.expirationRecord === undefined ? record : mergeExpirations(target.expirationRecord, record);
      }
    }
    const rows: FeatureRow[] = [];
    for (const owner of [...drafts.keys()].sort()) {
      const ofLicense = [...(drafts.get(owner)?.values() ?? [])].sort((a, b) => (a.key < b.key ? -1 : 1));
      for (const item of ofLicense) rows.push(createFeatureRow(item, withheld.has(owner)));
      yield;
    }
    return { rows, mergedFeatures, mergedExpirations };
  };

  return {
    inputs: [...features, ...expirations].flatMap(({ part, records }) => [part, records]),
    build,
  };
}
