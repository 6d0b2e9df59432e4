import type { InventoryReader } from '../inventory/current.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { runSliced } from '../scheduling/slices.ts';
import { type Block, createBlock } from './block.ts';
import type { Family } from './family.ts';
import { collectExpirations, collectFeatures, type FeatureRows } from './feature-collector.ts';
import { assembleGzip } from './gzip.ts';
import type { Enabled } from './metric.ts';
import { acceptsGzip, chooseFormat, contentTypes, type Format } from './negotiation.ts';
import { renderGauges } from './render.ts';
import type { SelfMetrics } from './self.ts';
import { collectHistory, collectPolls, collectSite, collectVendorLicenses } from './site-collector.ts';

/** Parts of the page that `collect[]` can ask for, in page order. */
const blockNames = ['vendor_licenses', 'site', 'expirations', 'features', 'history'] as const;
type BlockName = (typeof blockNames)[number];
type Blocks = Readonly<Record<BlockName, Block>>;

export interface ExpositionOptions {
  readonly enabled: Enabled;
  /** Maximum number of series of API data. */
  readonly maxSeries: number;
  readonly self: SelfMetrics;
  /** The current inventory, for the state of polling before the first inventory is rendered. */
  readonly latest: () => Inventory | undefined;
}

export interface PageRequest {
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly collect: readonly string[];
}

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | AsyncIterable<Buffer>;
}

const nothingPolled = { polls: [], availability: [], up: false };

/** A reader of the inventory that renders it. */
export interface Exposition extends InventoryReader {
  /** Status 500 while the newest inventory cannot be rendered, because older data would look current. */
  page(request: PageRequest): Promise<Page>;
}

const problem = (status: number, text: string): Page => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from(`${text}\n`),
});

/**
 * The pages of metrics. API data is rendered and compressed when it changes, into blocks that are replaced together. A
 * scrape is therefore cheap and never shows half of an update. It renders only the state of polling and the exporter's
 * own metrics.
 */
export function createExposition(options: ExpositionOptions): Exposition {
  const { enabled } = options;
  const rows: FeatureRows = {};
  let shown: { inventory: Inventory; blocks: Blocks } | undefined;
  /** Whether the newest inventory could not be rendered, so that the blocks are out of date. */
  let hasFailed = false;

  const createBlocks = async (inventory: Inventory): Promise<Blocks> => {
    const sameFeatures = shown !== undefined && shown.inventory.features === inventory.features;
    let budget = options.maxSeries;
    const block = async (
      collect: () => readonly Family[] | Promise<readonly Family[]>,
      before?: Block,
    ): Promise<Block> => {
      const isReusable = before !== undefined && !before.isLimited && before.series <= budget;
      const made = isReusable ? before : await createBlock(await collect(), budget);
      budget -= made.series;
      return made;
    };
    const before = sameFeatures ? shown?.blocks : undefined;
    const { features } = inventory;
    return {
      vendor_licenses: await block(() => collectVendorLicenses(inventory, enabled)),
      site: await block(() => collectSite(inventory)),
      expirations: await block(() => runSliced(collectExpirations(features, enabled, rows)), before?.expirations),
      features: await block(() => runSliced(collectFeatures(features, enabled, rows)), before?.features),
      history: await block(() => collectHistory(inventory, enabled)),
    };
  };

  const read = async (inventory: Inventory): Promise<void> => {
    try {
      const blocks = await createBlocks(inventory);
      shown = { inventory, blocks };
      hasFailed = false;
      const all = Object.values(blocks);
      options.self.setSeries(
        all.reduce((sum, { series }) => sum + series, 0),
        all.some(({ isLimited }) => isLimited),
      );
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };

  /** The state of polling in the inventory that is shown, and the exporter's own metrics. */
  const tail = async (format: Format): Promise<Buffer> => {
    const inventory = shown?.inventory ?? options.latest() ?? nothingPolled;
    const polls = [...renderGauges(collectPolls(inventory))].map(({ bytes }) => bytes);
    const end = format === 'openmetrics' ? '# EOF\n' : '';
    return Buffer.concat([...polls, Buffer.from(`${await options.self.render(format)}${end}`)]);
  };

  return {
    name: 'metrics',
    read,
    page: async ({ accept, acceptEncoding, collect }) => {
      const unknown = collect.filter((name) => !(blockNames as readonly string[]).includes(name));
      if (unknown.length > 0) {
        return problem(
          400,
          `unknown collect[] value: ${unknown.join(', ')}; valid values are ${blockNames.join(', ')}.`,
        );
      }
      const isOutdated = hasFailed || (shown !== undefined && options.latest() === undefined);
      if (isOutdated) return problem(500, 'The metrics cannot be rendered; see the log for the error.');
      const format = chooseFormat(accept);
      const last = await tail(format);
      const chosen = blockNames.filter((name) => collect.length === 0 || collect.includes(name));
      // one scrape uses one set of blocks, even if they are replaced meanwhile
      const blocks =
        shown === undefined ? [] : chosen.map((name) => shown?.blocks[name]).filter((b) => b !== undefined);
      const headers = { 'content-type': contentTypes[format], vary: 'Accept, Accept-Encoding' };
      if (acceptsGzip(acceptEncoding)) {
        const body = assembleGzip(
          blocks.map(({ deflated }) => deflated),
          last,
        );
        return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body };
      }
      const body = (async function* (): AsyncGenerator<Buffer> {
        for (const block of blocks) yield* block.chunks();
        yield last;
      })();
      return { status: 200, headers, body };
    },
  };
}
