import { createOwners, type OwnerMapping } from '../../base/model/owners.ts';
import { WHOLE } from '../../base/model/snapshot.ts';
import { isKnown } from '../../base/model/unknown.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import { countText } from '../../base/texts.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import { missingPart, type Readings } from '../../exporter/inventory/knowledge.ts';

/** Which expiries are not known, and why. A list of expiries without them would look complete. */

/** A vendor license of which some expiries, or all of them, are not known. */
export interface UnknownExpiry {
  readonly vendorLicense: string;
  /** One line, without secrets. */
  readonly reason: string;
}

/** Nothing is known about expiries. The message is one line without secrets, for users. */
export class ExpiriesUnknown extends Error {
  override readonly name = 'ExpiriesUnknown';
}

/** Finds what is not known while the features are read. */
export interface UnknownExpiries {
  /** Notes a feature of an owner who is asked for. */
  see(vendorLicense: string, isKnown: boolean): void;
  /** By vendor license. */
  list(): readonly UnknownExpiry[];
}

type Endpoint = 'GetExpirationFeatures' | 'GetFeatures';
const endpoints: readonly Endpoint[] = ['GetExpirationFeatures', 'GetFeatures'];

const spell = (vendorLicense: string): string => vendorLicense.toLowerCase();
const nameOf = (part: string): string => parseVendorLicense(part).vendorLicense;

function reasonText(readings: Readings, endpoint: Endpoint, part: string): string {
  const { what, cause } = missingPart(readings, endpoint, part);
  return typeof cause === 'string' ? `${what} ${cause}` : `${what}: ${cause.message}`;
}

/** Why an endpoint does not know all about a vendor license; `undefined` if it does. */
function createReason(readings: Readings, endpoint: Endpoint): (vendorLicense: string) => string | undefined {
  const known = readings.of(endpoint);
  const byName = Map.groupBy(known?.parts ?? [], ([part]) => spell(nameOf(part)));
  return (vendorLicense) => {
    const parts = byName.get(spell(vendorLicense)) ?? byName.get(WHOLE);
    if (parts === undefined) return reasonText(readings, endpoint, vendorLicense);
    const [stale] = parts.find(([, { isFresh }]) => !isFresh) ?? [];
    if (stale !== undefined) return reasonText(readings, endpoint, stale);
    return readings.isIncomplete(endpoint, vendorLicense) ? reasonText(readings, endpoint, vendorLicense) : undefined;
  };
}

/** @throws ExpiriesUnknown if no endpoint has any current data */
function requireSome(readings: Readings, expected: readonly Endpoint[]): void {
  const [first] = expected;
  if (first === undefined) {
    throw new ExpiriesUnknown('neither GetExpirationFeatures nor GetFeatures is polled: they are off or absent');
  }
  const parts = expected.flatMap((endpoint) => [...(readings.of(endpoint)?.parts ?? [])]);
  if (parts.some(([, { isFresh }]) => isFresh)) return;
  // an empty GetProducts leaves nothing to poll
  if (parts.length === 0 && readings.of('GetProducts')?.parts.get(WHOLE)?.isFresh === true) return;
  throw new ExpiriesUnknown(reasonText(readings, first, parts[0]?.[0] ?? WHOLE));
}

/** Whether a vendor license can have features of an owner who is asked for. */
function createOwnership(
  owners: OwnerMapping,
  isOwnerAsked: (owner: string | undefined) => boolean,
): (vendorLicense: string) => boolean {
  const asked = owners.entries.filter(({ labels }) => isOwnerAsked(labels.owner));
  const owning = createOwners(asked.map((entry) => ({ ...entry, feature: '*' })));
  return (vendorLicense) =>
    isOwnerAsked(owners.of(vendorLicense).owner) || owning.of(vendorLicense).owner !== undefined;
}

/** @throws ExpiriesUnknown if no expiry can be known */
export function createUnknownExpiries(
  { readings, vendorLicenses }: Inventory,
  owners: OwnerMapping,
  isOwnerAsked: (owner: string | undefined) => boolean,
): UnknownExpiries {
  const expected = endpoints.filter(readings.isExpected);
  requireSome(readings, expected);
  /** The number of features without a known expiry, by vendor license. */
  const seen = new Map<string, number>();
  return {
    see: (vendorLicense, isExpiryKnown) => {
      seen.set(vendorLicense, (seen.get(vendorLicense) ?? 0) + (isExpiryKnown ? 0 : 1));
    },
    list: () => {
      const reasons = expected.map((endpoint) => createReason(readings, endpoint));
      const neverCollected = new Set(
        vendorLicenses
          .filter(({ isReported, collectionTime }) => isReported && !isKnown(collectionTime))
          .map(({ vendorLicense }) => vendorLicense),
      );
      const reasonOf = (name: string): string | undefined => {
        if (neverCollected.has(name)) return 'the license server was never collected';
        for (const reason of reasons) {
          const found = reason(name);
          if (found !== undefined) return found;
        }
        const count = seen.get(name) ?? 0;
        if (count === 0) return undefined;
        return `${countText(count, 'feature has', 'features have')} no known expiry`;
      };
      const mayOwn = createOwnership(owners, isOwnerAsked);
      const names = vendorLicenses.map(({ vendorLicense }) => vendorLicense);
      return [...new Set([...names, ...seen.keys()])]
        .filter((name) => seen.has(name) || mayOwn(name))
        .sort()
        .flatMap((vendorLicense) => {
          const reason = reasonOf(vendorLicense);
          return reason === undefined ? [] : [{ vendorLicense, reason }];
        });
    },
  };
}
