import type { Family } from './family.ts';
import { deflateChunks, type Joined } from './gzip.ts';
import { type Chunk, renderGauges, rowsWithin } from './render.ts';

/** The part of the page from one source, rendered and compressed once for all scrapes. */
export interface Block extends Joined {
  readonly series: number;
  /** Whether rows were left out because of the series limit. */
  readonly isLimited: boolean;
}

/**
 * Renders families into a block with at most `maxSeries` series.
 *
 * @param chunkBytes how much is rendered without a pause
 */
export async function createBlock(families: readonly Family[], maxSeries: number, chunkBytes?: number): Promise<Block> {
  const render = async (rowLimit: number): Promise<Block> => {
    let series = 0;
    const count = ({ bytes, samples }: Chunk): Buffer => {
      series += samples;
      return bytes;
    };
    const piece = await deflateChunks(renderGauges(families, rowLimit, chunkBytes).map(count));
    const { crc, length } = piece;
    const isLimited = rowLimit !== Number.POSITIVE_INFINITY;
    return { pieces: length === 0 ? [] : [piece], crc, length, series, isLimited };
  };
  const whole = await render(Number.POSITIVE_INFINITY);
  return whole.series > maxSeries ? render(rowsWithin(families, maxSeries)) : whole;
}
