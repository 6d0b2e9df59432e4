import type { Block } from './block.ts';
import type { PageChunk } from './feature-chunks.ts';

/** What a block shows now. */
export interface BlockUpdate {
  /** In page order: a new chunk, or the position of an unchanged chunk among the chunks of the previous update. */
  readonly chunks: readonly (PageChunk | number)[];
  /** CRC-32 and length of the plain text of the whole block. */
  readonly crc: number;
  readonly length: number;
  readonly series: number;
  /** Whether rows were left out because of the series limit. */
  readonly isLimited: boolean;
}

/** Applies an update to the block of the previous update. */
export function updateBlock({ chunks, crc, length, series, isLimited }: BlockUpdate, before: Block | undefined): Block {
  const pieces = chunks.map((chunk) => {
    const piece = typeof chunk === 'number' ? before?.pieces[chunk] : chunk;
    if (piece === undefined) throw new Error(`the update refers to chunk ${chunk}, which the block does not have`);
    return piece;
  });
  return { pieces, crc, length, series, isLimited };
}
