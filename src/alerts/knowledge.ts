import { type EndpointState, freshGood, type PolledEndpoint, type Snapshot, WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';

/**
 * What is known now. Where it is, something missing is known not to exist; where it is not, nothing can be concluded.
 * Vendor licenses are canonical names.
 */
export interface Knowledge {
  readonly products: boolean;
  readonly serverDown: boolean;
  features(vendorLicense: string): boolean;
  expirations(vendorLicense: string): boolean;
}

const nameOf = (part: string): string => parseVendorLicense(part).vendorLicense.toLowerCase();

/** Good readings that are no longer fresh, or never were, by the vendor license they are about. */
function staleParts<T>(state: EndpointState<T>, now: number): ReadonlySet<string> {
  const stale = [...state.parts.keys()].filter((part) => freshGood(state, part, now) === undefined);
  return new Set(stale.map((part) => (part === WHOLE ? WHOLE : nameOf(part))));
}

/** @param now epoch seconds */
export function createKnowledge({ endpoints }: Snapshot, now: number): Knowledge {
  const isWholeKnown = (endpoint: 'GetProducts' | 'GetServerDown'): boolean => {
    const state: EndpointState<unknown> | undefined = endpoints[endpoint];
    return state !== undefined && freshGood(state, WHOLE, now) !== undefined;
  };
  const byVendorLicense = (endpoint: PolledEndpoint): ((vendorLicense: string) => boolean) => {
    const state: EndpointState<unknown> | undefined = endpoints[endpoint];
    // not polled, because there is nothing to ask for
    if (state === undefined) return () => true;
    if (state.parts.size === 0) return () => false;
    const stale = staleParts(state, now);
    return (vendorLicense) => !stale.has(WHOLE) && !stale.has(vendorLicense.toLowerCase());
  };
  return {
    products: isWholeKnown('GetProducts'),
    serverDown: isWholeKnown('GetServerDown'),
    features: byVendorLicense('GetFeatures'),
    expirations: byVendorLicense('GetExpirationFeatures'),
  };
}
