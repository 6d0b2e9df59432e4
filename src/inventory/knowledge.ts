import { type EndpointState, freshGood, isExpected, type Snapshot, WHOLE } from '../model/snapshot.ts';
import { canonical } from '../model/vendor-license.ts';
import { type FieldEndpoint, recordFields } from '../query-api/records.ts';
import type { FieldStates } from './field-states.ts';
import { createIncompleteness } from './incomplete.ts';

/**
 * Which data is known now. If it is known, a missing record does not exist in the analyzer either. Vendor licenses are
 * canonical names.
 */
export interface Knowledge {
  readonly products: boolean;
  /** Whether GetServerDown lists all servers that are down: none of its records was discarded. */
  readonly serverDown: boolean;
  /** Whether its record of GetProducts lacks no field. */
  collection(vendorLicense: string): boolean;
  features(vendorLicense: string): boolean;
  /** Expiries come from GetExpirationFeatures or else GetFeatures. Each of the two that is expected must be fresh. */
  expiries(vendorLicense: string): boolean;
}

/** Vendor licenses without a fresh reading. */
function staleParts<T>(state: EndpointState<T>, now: number): ReadonlySet<string> {
  const stale = [...state.parts.keys()].filter((part) => freshGood(state, part, now) === undefined);
  return new Set(stale.map((part) => (part === WHOLE ? WHOLE : canonical(part))));
}

/** The fields of GetFeatures that expiries need. */
const expiryFields: ReadonlySet<string> = new Set(
  Object.entries(recordFields.GetFeatures)
    .filter(([name, { merge }]) => name === 'LicenseExpiration' || merge === 'identity')
    .map(([name]) => name),
);

/**
 * @param now epoch seconds
 * @param fields which fields are missing: what they say is not known
 */
export function createKnowledge(snapshot: Snapshot, now: number, fields: FieldStates): Knowledge {
  const { endpoints } = snapshot;
  const { GetProducts, GetServerDown } = endpoints;
  const down = GetServerDown && freshGood(GetServerDown, WHOLE, now);
  const isIncomplete = createIncompleteness(snapshot, now);
  const byVendorLicense = (endpoint: 'GetFeatures' | 'GetExpirationFeatures'): ((vendorLicense: string) => boolean) => {
    const state: EndpointState<unknown> | undefined = endpoints[endpoint];
    // without a state, the endpoint is off or there is nothing to request
    if (state === undefined) return () => isExpected(snapshot, endpoint);
    if (state.parts.size === 0) return () => false;
    const stale = staleParts(state, now);
    return (vendorLicense) =>
      !stale.has(WHOLE) && !stale.has(vendorLicense.toLowerCase()) && !isIncomplete(endpoint, vendorLicense);
  };
  const lacks = (endpoint: FieldEndpoint, vendorLicense: string): boolean =>
    fields.missingOf(endpoint, vendorLicense).length > 0;
  const features = byVendorLicense('GetFeatures');
  const expirations = byVendorLicense('GetExpirationFeatures');
  const sources = [
    ...(isExpected(snapshot, 'GetFeatures') ? [features] : []),
    ...(isExpected(snapshot, 'GetExpirationFeatures') ? [expirations] : []),
  ];
  return {
    products:
      GetProducts !== undefined && freshGood(GetProducts, WHOLE, now) !== undefined && !isIncomplete('GetProducts', ''),
    serverDown: down?.value.discarded.bad_record === 0,
    collection: (vendorLicense) => !lacks('GetProducts', vendorLicense),
    features: (vendorLicense) => features(vendorLicense) && !lacks('GetFeatures', vendorLicense),
    expiries: (vendorLicense) =>
      sources.length > 0 &&
      sources.every((isKnown) => isKnown(vendorLicense)) &&
      !lacks('GetExpirationFeatures', vendorLicense) &&
      !fields.missingOf('GetFeatures', vendorLicense).some((field) => expiryFields.has(field)),
  };
}
