import type { Snapshot } from '../../src/base/model/snapshot.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import { FeatureDerivation } from '../../src/exporter/inventory/feature-derivation.ts';
import type { FeatureRow } from '../../src/exporter/inventory/feature-row.ts';
import { createFieldContract } from '../../src/exporter/inventory/field-contract.ts';
import { deriveInventory, type Inventory, type InventoryPolicy } from '../../src/exporter/inventory/inventory.ts';
import { createSelection } from '../../src/exporter/inventory/selection.ts';

/** Inventories of snapshots that no analyzer was asked for. */

/** One of the features of an inventory. @throws Error when there is no such row */
export function featureAt(features: readonly FeatureRow[], place: number): FeatureRow {
  const row = features[place];
  if (row === undefined) throw new Error(`there is no row ${place}`);
  return row;
}

/** Selects everything. */
export const everything = createSelection({ shard: { index: 0, total: 1 }, include: [], exclude: [] });

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
  const fields = contract.states();
  return runAtOnce(deriveInventory({ snapshot, now, policy, fields, features: new FeatureDerivation() }));
}

/** Derives inventories one after another. As in the daemon, what has not changed is the same. */
export function createInventories(policy: InventoryPolicy): (snapshot: Snapshot, now: number) => Inventory {
  const features = new FeatureDerivation();
  return (snapshot, now) => runAtOnce(deriveInventory({ snapshot, now, policy, features }));
}
