import type { FeatureColumns } from '../inventory/feature-columns.ts';
import type { CreatePageRenderer, PageRenderer, PageRendering, PageUpdate } from '../inventory/plane/page-renderer.ts';
import type { OwnerMapping } from '../model/owners.ts';
import type { BlockUpdate } from './block-update.ts';
import { FeatureBlock } from './feature-block.ts';
import { ChunkRenderer } from './feature-chunks.ts';
import { expirationGauges, featureGauges } from './feature-gauges.ts';
import { createLabelArena } from './label-arena.ts';
import type { Enabled } from './metric.ts';
import { OwnerTails } from './owner-tails.ts';
import { PieceMemory } from './piece-memory.ts';

/** What to render for a page. */
export interface Rendering extends PageRendering {
  readonly enabled: Enabled;
  /** Maximum number of series of both blocks. The expirations use it first. */
  readonly budget: number;
}

/** A new version of the blocks of the features. The page must apply every update. */
export interface FeatureUpdate extends PageUpdate {
  readonly expirations: BlockUpdate;
  readonly features: BlockUpdate;
}

/** The rows that have another record, or whose usage is withheld or shown again. */
function changedRows(columns: FeatureColumns, before: FeatureColumns): readonly number[] {
  const rows: number[] = [];
  for (let row = 0; row < columns.count; row += 1) {
    if (
      columns.featureSlots[row] !== before.featureSlots[row] ||
      columns.expirationSlots[row] !== before.expirationSlots[row] ||
      columns.withheld[row] !== before.withheld[row]
    ) {
      rows.push(row);
    }
  }
  return rows;
}

/**
 * Renders the blocks of the features. The labels are encoded when the layout changes. A chunk is rendered again when one of
 * its values changes.
 */
export class FeatureRenderer implements PageRenderer<Rendering, FeatureUpdate> {
  readonly #pieces = new PieceMemory();
  readonly #expirations: FeatureBlock;
  readonly #features: FeatureBlock;
  /** The generation of the last update, and the renderer of its layout. */
  #last: { readonly columns: FeatureColumns; readonly chunks: ChunkRenderer } | undefined;
  #owners: { readonly mapping: OwnerMapping; readonly tails: OwnerTails } | undefined;

  constructor(enabled: Enabled) {
    this.#expirations = new FeatureBlock(expirationGauges(enabled), this.#pieces);
    this.#features = new FeatureBlock(featureGauges(enabled), this.#pieces);
  }

  render(
    columns: FeatureColumns,
    version: number,
    { budget, oldestInUse }: Pick<Rendering, 'budget' | 'oldestInUse'>,
    mapping: OwnerMapping,
  ): FeatureUpdate {
    this.#pieces.free(oldestInUse);
    if (this.#owners?.mapping !== mapping) this.#owners = { mapping, tails: new OwnerTails(mapping) };
    const owners = this.#owners.tails;
    const last = this.#last?.columns.layout === columns.layout ? this.#last : undefined;
    const chunks = last?.chunks ?? new ChunkRenderer(createLabelArena(columns));
    const changes = last === undefined ? undefined : { before: last.columns, rows: changedRows(columns, last.columns) };
    const generation = { columns, chunks, owners, changes };
    const expirations = this.#expirations.render(generation, budget);
    const features = this.#features.render(generation, budget - expirations.series);
    this.#last = { columns, chunks };
    this.#pieces.close(version - 1);
    return { version, expirations, features };
  }
}

/** A renderer for the metrics that a page has; they do not change while it is used. */
export const createFeatureRenderer: CreatePageRenderer<Rendering, FeatureUpdate> = ({ enabled }) =>
  new FeatureRenderer(enabled);
