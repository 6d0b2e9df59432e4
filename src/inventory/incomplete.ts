import {
  type EndpointState,
  type FeaturesAnswer,
  KEEP_NOT_LISTED,
  lastGood,
  type ProductsAnswer,
  type Snapshot,
  WHOLE,
} from '../model/snapshot.ts';

/** The endpoints whose answers are lists of what exists. */
type ListEndpoint = 'GetProducts' | 'GetFeatures' | 'GetExpirationFeatures';

/** Whether a list may lack something of a vendor license: it has unusable records, and has not had them for a day. */
type Incompleteness = (endpoint: ListEndpoint, vendorLicense: string) => boolean;

const isRecent = (since: number | undefined, now: number): boolean => now - (since ?? now) < KEEP_NOT_LISTED;

const ofProducts = (products: ProductsAnswer | undefined, now: number): readonly string[] =>
  products !== undefined && products.discarded.bad_record > 0 && isRecent(products.incompleteSince, now) ? [WHOLE] : [];

const ofFeatures = (state: EndpointState<FeaturesAnswer> | undefined, now: number): readonly string[] =>
  [...(state?.parts.values() ?? [])].flatMap((part) =>
    [...(lastGood(part)?.value.incompleteSince ?? [])].flatMap(([name, since]) => (isRecent(since, now) ? name : [])),
  );

/** @param now epoch seconds */
export function createIncompleteness({ endpoints }: Snapshot, now: number): Incompleteness {
  const { GetProducts, GetFeatures, GetExpirationFeatures } = endpoints;
  const found: Readonly<Record<ListEndpoint, ReadonlySet<string>>> = {
    GetProducts: new Set(ofProducts(lastGood(GetProducts?.parts.get(WHOLE))?.value, now)),
    GetFeatures: new Set(ofFeatures(GetFeatures, now)),
    GetExpirationFeatures: new Set(ofFeatures(GetExpirationFeatures, now)),
  };
  return (endpoint, vendorLicense) => found[endpoint].has(WHOLE) || found[endpoint].has(vendorLicense.toLowerCase());
}
