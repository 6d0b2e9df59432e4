import type { Family } from './family.ts';
import { combineChecksums, type Deflated, deflateText, type Joined } from './gzip.ts';
import { renderGauges, rowsWithin } from './render.ts';

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
    const pieces: Deflated[] = [];
    let series = 0;
    for (const { bytes, samples } of renderGauges(families, rowLimit, chunkBytes)) {
      series += samples;
      // awaiting lets other work run between chunks
      pieces.push(await deflateText(bytes));
    }
    return { ...combineChecksums(pieces), pieces, series, isLimited: rowLimit !== Number.POSITIVE_INFINITY };
  };
  const whole = await render(Number.POSITIVE_INFINITY);
  return whole.series > maxSeries ? render(rowsWithin(families, maxSeries)) : whole;
}
