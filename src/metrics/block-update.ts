import type { Block } from './block.ts';
import type { Deflated } from './gzip.ts';

/** A piece of a block, which can be joined with any other. */
export interface PageChunk extends Deflated {
  readonly samples: number;
}

/** What a block shows now. */
export interface BlockUpdate extends Omit<Block, 'pieces'> {
  /** In page order: a new chunk, or the position of an unchanged chunk among the chunks of the previous update. */
  readonly chunks: readonly (PageChunk | number)[];
}

/** Applies an update to the block of the previous update. */
export function updateBlock({ chunks, ...rest }: BlockUpdate, before: Block | undefined): Block {
  const pieces = chunks.map((chunk) => {
    const piece = typeof chunk === 'number' ? before?.pieces[chunk] : chunk;
    if (piece === undefined) throw new Error(`the update refers to chunk ${chunk}, which the block does not have`);
    return piece;
  });
  return { ...rest, pieces };
}
