import type { Family } from './family.ts';
import { type Deflated, deflateChunks } from './gzip.ts';
import { renderGauges, rowsWithin } from './render.ts';

/** The part of the page from one source, rendered and compressed once for all scrapes. */
export interface Block {
  /** The rendered bytes. Rendered again on each call if there are too many to keep. */
  readonly chunks: () => Iterable<Buffer>;
  readonly deflated: Deflated;
  readonly series: number;
  /** Whether rows were left out because of the series limit. */
  readonly isLimited: boolean;
}

/** Above this many bytes, the plain form is not kept in memory. */
const KEEP_BYTES = 100 * 1024 * 1024;

/** Renders families into a block with at most `maxSeries` series. */
export async function createBlock(families: readonly Family[], maxSeries: number): Promise<Block> {
  const render = async (rowLimit: number): Promise<{ block: Block; isOver: boolean }> => {
    let kept: Buffer[] | undefined = [];
    let bytes = 0;
    let series = 0;
    const count = function* (): Generator<Buffer> {
      for (const chunk of renderGauges(families, rowLimit)) {
        series += chunk.samples;
        bytes += chunk.bytes.length;
        if (bytes > KEEP_BYTES) kept = undefined;
        kept?.push(chunk.bytes);
        yield chunk.bytes;
      }
    };
    const deflated = await deflateChunks(count());
    const again = () => renderGauges(families, rowLimit).map(({ bytes: chunk }) => chunk);
    const ready = kept;
    const chunks = ready === undefined ? again : () => ready;
    return {
      block: { chunks, deflated, series, isLimited: rowLimit !== Number.POSITIVE_INFINITY },
      isOver: series > maxSeries,
    };
  };
  const whole = await render(Number.POSITIVE_INFINITY);
  return whole.isOver ? (await render(rowsWithin(families, maxSeries))).block : whole.block;
}
