import type { PolledAnswers, PolledEndpoint, Snapshot } from '../../src/base/model/snapshot.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import type { QueryClient } from '../../src/exporter/client/query-client.ts';
import { decodeAnswer } from '../../src/exporter/inventory/decoding/decode.ts';
import { FeatureDerivation } from '../../src/exporter/inventory/feature-derivation.ts';
import { createFieldContract } from '../../src/exporter/inventory/field-contract.ts';
import { deriveInventory, type Inventory, type InventoryPolicy } from '../../src/exporter/inventory/inventory.ts';
import { createTestLog } from './harness.ts';

/** From the bytes of answers to the inventory, without sockets: a site whose records a test can break. */

/** A record as an analyzer writes it. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** The records of the polled lists. */
export interface WireLists {
  readonly GetProducts: readonly WireRecord[];
  readonly GetServerDown: readonly WireRecord[];
  /** With the vendor license that they belong to. */
  readonly GetFeatures: readonly (readonly [product: string, record: WireRecord])[];
  readonly GetExpirationFeatures: readonly (readonly [product: string, record: WireRecord])[];
}

const PERMANENT = 2_147_483_647;

export interface WireSite {
  readonly client: QueryClient<PolledAnswers>;
  /** What is known of a snapshot. @param now epoch seconds */
  inventoryOf(snapshot: Snapshot, now: number): Inventory;
}

/** @param lists what the analyzer has now */
export function createWireSite(lists: () => WireLists, policy: InventoryPolicy, now: () => number): WireSite {
  const features = new FeatureDerivation();
  const contract = createFieldContract({
    absent: [],
    isOwnAnalyzer: () => false,
    kept: () => undefined,
    now,
    log: createTestLog(),
    onChange: () => undefined,
  });

  const listed = <E extends 'GetFeatures' | 'GetExpirationFeatures'>(endpoint: E, product: string) => {
    const records = lists()[endpoint].filter(([owner]) => product === '%' || owner === product);
    return decodeAnswer(endpoint, Buffer.from(JSON.stringify(records.map(([, record]) => record))), PERMANENT);
  };
  const decoded = <E extends 'GetProducts' | 'GetServerDown'>(endpoint: E) =>
    decodeAnswer(endpoint, Buffer.from(JSON.stringify(lists()[endpoint])), PERMANENT);
  const answers = {
    getProducts: async () => decoded('GetProducts'),
    getServerDown: async () => decoded('GetServerDown'),
    getConcurrentUsers: async () => 3,
    getFeatures: async ({ product }: { product: string }) => listed('GetFeatures', product),
    getExpirationFeatures: async ({ product }: { product: string }) => listed('GetExpirationFeatures', product),
    getHistory: async () => [],
  } satisfies Readonly<Record<Uncapitalize<PolledEndpoint>, unknown>>;

  return {
    client: answers as unknown as QueryClient<PolledAnswers>,
    inventoryOf: (snapshot, at) => {
      contract.observe(snapshot);
      return runAtOnce(deriveInventory({ snapshot, now: at, policy, fields: contract.states(), features }));
    },
  };
}
