import { expirationRecords, featureRecords } from '../../src/inventory/columns/record-fields.ts';
import { RecordStore } from '../../src/inventory/columns/record-store.ts';
import { TextTable } from '../../src/inventory/columns/text-table.ts';
import type { FeatureSource } from '../../src/inventory/current.ts';
import type { FeatureColumns } from '../../src/inventory/feature-columns.ts';
import { FeatureDerivation, type FeatureStores } from '../../src/inventory/feature-derivation.ts';
import type { FeatureRow } from '../../src/inventory/feature-row.ts';
import { createFeatureTable, type FeatureTable } from '../../src/inventory/feature-table.ts';
import { type Derived, type FeaturesRequest, isSameRequest } from '../../src/inventory/features-request.ts';
import { createFieldContract } from '../../src/inventory/field-contract.ts';
import { type Inventory, type InventoryPolicy, planInventory } from '../../src/inventory/inventory.ts';
import { createSelection } from '../../src/inventory/selection.ts';
import type { RenderFeatures } from '../../src/metrics/exposition.ts';
import { FeatureRenderer } from '../../src/metrics/feature-renderer.ts';
import { noOwners, type OwnerMapping } from '../../src/model/owners.ts';
import {
  type Answer,
  type ExpirationRecord,
  type FeatureRecord,
  ownersOf,
  type RecordOwner,
  type StoredAnswer,
} from '../../src/model/records.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';

/** The data plane of tests: answers of records that no body was decoded for, in this thread. */

const createStores = (): FeatureStores => ({
  features: new RecordStore(featureRecords.layout),
  expirations: new RecordStore(expirationRecords.layout),
  texts: new TextTable(),
});
let stores = createStores();
const slots = new Map<number, Uint32Array>();
let handles = 0;

/** Of answers that are stored before, no inventory can be derived any more. Those that were can be read. */
export function forgetAnswers(): void {
  stores = createStores();
  slots.clear();
}

/** The records of an answer, written to the stores. */
const slotsOf = (handle: number): Uint32Array => {
  const found = slots.get(handle);
  if (found === undefined) throw new Error(`there is no answer ${handle}`);
  return found;
};

function store(
  kind: 'features' | 'expirations',
  { records, discarded, unknownFields }: Answer<FeatureRecord | ExpirationRecord>,
  owners: readonly RecordOwner[],
): StoredAnswer {
  const fields = kind === 'features' ? featureRecords : expirationRecords;
  const written = records.map((record) => {
    const slot = stores[kind].allocate();
    fields.write(slot, record as unknown as Record<string, unknown>, stores[kind], stores.texts);
    return slot;
  });
  handles += 1;
  const handle = handles;
  slots.set(handle, Uint32Array.from(written));
  const incomplete = discarded.bad_record > 0 ? [''] : [];
  return { handle, count: records.length, owners, discarded, unknownFields, incomplete };
}

export function storeFeatures(answer: Answer<FeatureRecord>): StoredAnswer {
  return store('features', answer, ownersOf(answer.records));
}

export const storeExpirations = (answer: Answer<ExpirationRecord>): StoredAnswer => store('expirations', answer, []);

/** A new derivation over all stored answers. */
function createTestDerivation(): (request: FeaturesRequest) => Derived<FeatureColumns> {
  const derivation = new FeatureDerivation(stores);
  // nothing is released, so that each test can read its inventory as long as it wants
  return (request) => derivation.derive(request, slotsOf, 0);
}

/** A source of features in this thread. */
export function createTestFeatures(): FeatureSource {
  const derive = createTestDerivation();
  return {
    derive: async (request) => {
      const derived = derive(request);
      return { ...derived, columns: createFeatureTable(derived.columns) };
    },
    holds: () => true,
    release: () => undefined,
  };
}

let layouts = 0;

/** The columns of the tables of inventories. */
const columnsOf = new WeakMap<Inventory['features'], FeatureColumns>();

/** Renders the features of inventories of `deriveInventoryNow` in this thread. */
export function createInlineRendering(owners: OwnerMapping = noOwners): RenderFeatures {
  let renderer: FeatureRenderer | undefined;
  return async ({ features }, { enabled, budget, base, oldestInUse }) => {
    const columns = columnsOf.get(features);
    if (columns === undefined) throw new Error('the inventory is not one of deriveInventoryNow');
    renderer ??= new FeatureRenderer(enabled);
    return renderer.render(columns, base + 1, { budget, oldestInUse }, owners);
  };
}

/** One of the features of an inventory. @throws Error when there is no such row */
export function featureAt(features: Iterable<FeatureRow>, place: number): FeatureRow {
  const row = [...features][place];
  if (row === undefined) throw new Error(`there is no row ${place}`);
  return row;
}

/** Selects everything. */
export const everything = createSelection({ shard: { index: 0, total: 1 }, include: [], exclude: [] });

/** The features of a request. */
function deriveFeatures(request: FeaturesRequest): Derived<FeatureTable> {
  const derived = createTestDerivation()(request);
  const columns = createFeatureTable(derived.columns);
  // each derivation is new, so its layouts are not those of another one
  layouts += 1;
  columnsOf.set(columns, { ...derived.columns, layout: layouts });
  return { ...derived, columns };
}

const ignore = (): void => undefined;

/** The inventory of a snapshot. Of answers that say which fields they have, the needed ones can be missing. */
export function deriveInventoryNow(snapshot: Snapshot, now: number, policy: InventoryPolicy): Inventory {
  const contract = createFieldContract({
    absent: [],
    isOwnAnalyzer: () => false,
    kept: () => undefined,
    now: () => now,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },

    onChange: ignore,
  });
  contract.observe(snapshot);
  const { request, complete } = planInventory(snapshot, now, policy, contract.states());
  return complete(deriveFeatures(request));
}

/** Derives inventories one after another. As in the daemon, the features are derived only when their request changes. */
export function createInventories(policy: InventoryPolicy): (snapshot: Snapshot, now: number) => Inventory {
  let last: { readonly request: FeaturesRequest; readonly features: Derived<FeatureTable> } | undefined;
  return (snapshot, now) => {
    const { request, complete } = planInventory(snapshot, now, policy);
    if (last === undefined || !isSameRequest(last.request, request))
      last = { request, features: deriveFeatures(request) };
    return complete(last.features);
  };
}
