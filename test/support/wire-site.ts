import type { QueryClient } from '../../src/client/query-client.ts';
import { decodeAnswer } from '../../src/inventory/decoding/decode.ts';
import { openFeatures } from '../../src/inventory/feature-columns.ts';
import { createFeatureTable } from '../../src/inventory/feature-table.ts';
import { createFieldContract } from '../../src/inventory/field-contract.ts';
import { type Inventory, type InventoryPolicy, planInventory } from '../../src/inventory/inventory.ts';
import { DataPlane } from '../../src/inventory/plane/data-plane.ts';
import { createFeatureRenderer } from '../../src/metrics/feature-renderer.ts';
import type { PolledAnswers, PolledEndpoint, Snapshot } from '../../src/model/snapshot.ts';
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
  const plane = new DataPlane(createFeatureRenderer, 0, now);
  const contract = createFieldContract({
    absent: [],
    isOwnAnalyzer: () => false,
    kept: () => undefined,
    now,
    log: createTestLog(),
    onChange: () => undefined,
  });

  const stored = <E extends 'GetFeatures' | 'GetExpirationFeatures'>(endpoint: E, product: string) => {
    const records = lists()[endpoint].filter(([owner]) => product === '%' || owner === product);
    const bodies = records.map(([, record]) => record);
    const arriving = plane.open({ endpoint, question: `${endpoint} ${product}`, permanentAfter: PERMANENT });
    arriving.write(Buffer.from(JSON.stringify(endpoint === 'GetFeatures' ? [bodies] : bodies)));
    arriving.end();
    return arriving.result as Promise<PolledAnswers[E]>;
  };
  const decoded = <E extends 'GetProducts' | 'GetServerDown'>(endpoint: E) =>
    decodeAnswer(endpoint, Buffer.from(JSON.stringify(lists()[endpoint])), PERMANENT);
  const answers = {
    getProducts: async () => decoded('GetProducts'),
    getServerDown: async () => decoded('GetServerDown'),
    getConcurrentUsers: async () => 3,
    getFeatures: ({ product }: { product: string }) => stored('GetFeatures', product),
    getExpirationFeatures: ({ product }: { product: string }) => stored('GetExpirationFeatures', product),
    getHistory: async () => [],
  } satisfies Readonly<Record<Uncapitalize<PolledEndpoint>, unknown>>;

  return {
    client: answers as unknown as QueryClient<PolledAnswers>,
    inventoryOf: (snapshot, at) => {
      contract.observe(snapshot);
      const { request, complete } = planInventory(snapshot, at, policy, contract.states());
      const derived = plane.derive(request, Number.MAX_SAFE_INTEGER);
      return complete({ ...derived, columns: createFeatureTable(openFeatures(derived.columns)) });
    },
  };
}
