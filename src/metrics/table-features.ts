import type { Inventory } from '../inventory/inventory.ts';
import { runSliced } from '../scheduling/slices.ts';
import { type Block, createBlock } from './block.ts';
import type { BlockUpdate } from './block-update.ts';
import type { Family } from './family.ts';
import { collectExpirations, collectFeatures, type FeatureRows } from './feature-collector.ts';
import type { FeatureUpdate } from './feature-renderer.ts';
import type { Enabled } from './metric.ts';

/** Renders the blocks of the features of an inventory. The receiver applies every update. @param budget maximum series of both */
export type RenderFeatures = (inventory: Inventory, enabled: Enabled, budget: number) => Promise<FeatureUpdate>;

/** Renders the features from the table of the inventory, on this thread. */
export function createTableFeatures(): RenderFeatures {
  const rows: FeatureRows = {};
  let shown: { features: Inventory['features']; enabled: Enabled; blocks: Record<'expirations' | 'features', Block> };

  return async (inventory, enabled, budget) => {
    const { features } = inventory;
    const before = shown?.features === features && shown.enabled === enabled ? shown.blocks : undefined;
    const render = async (
      collect: () => Promise<readonly Family[]>,
      last: Block | undefined,
      maxSeries: number,
    ): Promise<Block> =>
      last !== undefined && !last.isLimited && last.series <= maxSeries
        ? last
        : createBlock(await collect(), maxSeries);
    const expirations = await render(
      () => runSliced(collectExpirations(features, enabled, rows)),
      before?.expirations,
      budget,
    );
    const reported = await render(
      () => runSliced(collectFeatures(features, enabled, rows)),
      before?.features,
      budget - expirations.series,
    );
    const update = (block: Block, last: Block | undefined): BlockUpdate => ({
      ...block,
      chunks: block.pieces.map((piece, i) => (block === last ? i : { ...piece, samples: block.series })),
    });
    const updates = {
      expirations: update(expirations, before?.expirations),
      features: update(reported, before?.features),
    };
    shown = { features, enabled, blocks: { expirations, features: reported } };
    return updates;
  };
}
