import { type FailureKind, QueryError } from '../../base/model/failure.ts';
import type { Log } from '../../base/model/log.ts';
import type { FeatureRecord } from '../../base/model/records.ts';
import {
  historyPart,
  historyQuestion,
  type PolledAnswers,
  type PolledEndpoint,
  productNames,
  type Snapshot,
  WHOLE,
} from '../../base/model/snapshot.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import { createPattern } from '../../base/model/wildcard.ts';
import type { QueryClient } from '../client/query-client.ts';
import type { Selection } from '../inventory/selection.ts';
import { createExpirationSearch } from './expiration-search.ts';
import { type PollingConfig, polledHistory } from './settings.ts';

/** How one endpoint is polled: its current parts, and how to request one. */
export interface EndpointRequest<E extends PolledEndpoint> {
  readonly endpoint: E;
  /** Empty if there is nothing to request; `undefined` while that is not known. */
  parts(snapshot: Snapshot): readonly string[] | undefined;
  /** @param before the last good answer of the part */
  send(part: string, signal: AbortSignal, before: PolledAnswers[E] | undefined): Promise<PolledAnswers[E]>;
}

/** Failures after which GetFeatures is requested per vendor license instead of all at once. */
export const featuresRefusals: ReadonlySet<FailureKind> = new Set([
  'status',
  'timeout',
  'too_large',
  'parse',
  'schema',
]);

/** How each polled endpoint is asked. */
export type EndpointRequests = { readonly [E in PolledEndpoint]: EndpointRequest<E> };

/** What the requests depend on: the selection, the form of GetFeatures and the search of expiries. */
export interface EndpointRequestsOptions {
  readonly client: QueryClient<PolledAnswers>;
  readonly config: PollingConfig;
  readonly selection: Selection;
  readonly log: Log;
  /** Whether GetFeatures is currently requested per vendor license. */
  readonly featuresPerVendorLicense: () => boolean;
}

/** Vendor licenses of the last good GetProducts, as the API spells them. */
function knownProducts(snapshot: Snapshot): readonly string[] | undefined {
  const products = productNames(snapshot);
  return products === undefined ? undefined : [...new Set(products)];
}

/** An answer with the features of all vendor licenses is usable only if each record names its vendor license. */
function requireOwners(records: readonly FeatureRecord[]): void {
  if (records.length === 0 || records.some(({ serverName, daemon }) => serverName !== '' && daemon !== '')) return;
  const message = 'no record of the answer has both ServerName and Daemon: set features.request: per_vendor_license';
  throw new QueryError('schema', message);
}

/** The requests of each endpoint. */
export function createEndpointRequests(options: EndpointRequestsOptions): EndpointRequests {
  const { client, config, selection } = options;
  /** The last known products, to find names that cannot be requested alone. */
  let products: readonly string[] = [];

  const ownProducts = (snapshot: Snapshot): readonly string[] | undefined => {
    const known = knownProducts(snapshot);
    products = known ?? products;
    return known?.filter((product) => selection.ownsVendorLicense(parseVendorLicense(product).vendorLicense));
  };

  /** Refuses a name whose `%` matches another name: the API treats `%` as a wildcard, and there is no escape. */
  const refuseAmbiguous = (product: string): void => {
    if (!product.includes('%')) return;
    const matches = createPattern(product, { ignoreCase: true });
    const other = products.find((name) => name !== product && matches(name));
    if (other !== undefined) {
      throw new QueryError('ambiguous_name', `${JSON.stringify(product)} also matches ${JSON.stringify(other)}`);
    }
  };

  const whole = (): readonly string[] => [WHOLE];
  const requestExpirations = createExpirationSearch({ client, level: config.expiration.search, log: options.log });
  return {
    GetProducts: {
      endpoint: 'GetProducts',
      parts: whole,
      send: (_, signal, before) => client.getProducts({}, signal, before),
    },
    GetServerDown: {
      endpoint: 'GetServerDown',
      parts: whole,
      send: (_, signal, before) => client.getServerDown({}, signal, before),
    },
    GetConcurrentUsers: {
      endpoint: 'GetConcurrentUsers',
      parts: () => (config.shard.index === 0 ? [WHOLE] : []),
      send: (_, signal) => client.getConcurrentUsers({}, signal),
    },
    GetFeatures: {
      endpoint: 'GetFeatures',
      parts: (snapshot) => {
        const own = ownProducts(snapshot);
        if (own?.length === 0) return [];
        return options.featuresPerVendorLicense() ? own : [WHOLE];
      },
      send: async (part, signal, before) => {
        refuseAmbiguous(part);
        const answer = await client.getFeatures({ product: part === WHOLE ? '%' : part }, signal, before);
        if (part === WHOLE) requireOwners(answer.records);
        return answer;
      },
    },
    GetExpirationFeatures: {
      endpoint: 'GetExpirationFeatures',
      parts: ownProducts,
      send: async (part, signal, before) => {
        refuseAmbiguous(part);
        return requestExpirations(part, signal, before);
      },
    },
    GetHistory: {
      endpoint: 'GetHistory',
      parts: () =>
        polledHistory(config)
          .filter(({ vendorLicense }) => selection.ownsVendorLicense(parseVendorLicense(vendorLicense).vendorLicense))
          .map(({ vendorLicense, ...feature }) => historyPart({ product: vendorLicense, ...feature })),
      send: (part, signal) => {
        const { product, feature, package: pkg, featureType } = historyQuestion(part);
        return client.getHistory(
          { product, feature, ...(pkg !== '' && { package: pkg }), ...(featureType !== '' && { ftype: featureType }) },
          signal,
        );
      },
    },
  };
}
