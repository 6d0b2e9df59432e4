import {
  deriveInventory,
  deriveInventoryNow,
  type Inventory,
  type InventoryPolicy,
  nextAgeOut,
} from '../inventory/inventory.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { runSliced } from '../scheduling/slices.ts';
import { type Block, createBlock } from './block.ts';
import type { Family } from './family.ts';
import { collectExpirations, collectFeatures, type Enabled, type FeatureRows } from './feature-collector.ts';
import { assembleGzip } from './gzip.ts';
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
  /** Series of API data at most. */
  readonly maxSeries: number;
  readonly policy: InventoryPolicy;
  readonly self: SelfMetrics;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
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

export interface Exposition {
  /** Takes a snapshot over; resolves when pages show it, or a newer one. */
  commit(snapshot: Snapshot): Promise<void>;
  page(request: PageRequest): Promise<Page>;
  /** What pages show now, and what it was made from; undefined before the first commit has been rendered. */
  shown(): { readonly inventory: Inventory; readonly snapshot: Snapshot } | undefined;
  stop(): void;
}

/** Timers cannot wait longer, milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * The pages of metrics. API data is rendered and compressed when it changes, into blocks that are swapped whole, so that
 * a scrape costs next to nothing and never sees half of an update; a scrape adds only how polling goes and the
 * exporter's own metrics.
 */
export function createExposition(options: ExpositionOptions): Exposition {
  const { enabled, policy, now } = options;
  const rows: FeatureRows = {};
  let shown: { inventory: Inventory; snapshot: Snapshot; blocks: Blocks } | undefined;
  let newest: Snapshot | undefined;
  let refreshing: Promise<void> | undefined;
  let isStale = false;
  let ageOut: NodeJS.Timeout | undefined;
  let stopped = false;

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
      expirations: await block(() => runSliced(collectExpirations(features, rows)), before?.expirations),
      features: await block(() => runSliced(collectFeatures(features, enabled, rows)), before?.features),
      history: await block(() => collectHistory(inventory, enabled)),
    };
  };

  const refresh = async (): Promise<void> => {
    while (isStale && newest !== undefined && !stopped) {
      isStale = false;
      const snapshot = newest;
      const inventory = await runSliced(deriveInventory(snapshot, now(), policy, shown?.inventory));
      const blocks = await createBlocks(inventory);
      shown = { inventory, snapshot, blocks };
      const all = Object.values(blocks);
      options.self.setSeries(
        all.reduce((sum, { series }) => sum + series, 0),
        all.some(({ isLimited }) => isLimited),
      );
      clearTimeout(ageOut);
      const next = nextAgeOut(snapshot, inventory.at);
      if (next === undefined || stopped) continue;
      // a little later than the moment itself, so that it has passed then
      const wait = Math.min(Math.max(0, (next - now()) * 1000) + 20, MAX_TIMEOUT);
      ageOut = setTimeout(() => void update(), wait).unref();
    }
  };

  const update = (): Promise<void> => {
    isStale = true;
    refreshing ??= refresh()
      .catch(options.onProblem)
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };

  /** How polling goes, as of the newest snapshot even while its data is still being rendered. */
  const tail = async (format: Format): Promise<Buffer> => {
    const empty: Snapshot = { at: 0, endpoints: {} };
    const inventory = shown?.inventory ?? deriveInventoryNow(newest ?? empty, now(), policy);
    const polls = [...renderGauges(collectPolls(inventory))].map(({ bytes }) => bytes);
    const end = format === 'openmetrics' ? '# EOF\n' : '';
    return Buffer.concat([...polls, Buffer.from(`${await options.self.render(format)}${end}`)]);
  };

  return {
    commit: (snapshot) => {
      newest = snapshot;
      return update();
    },
    page: async ({ accept, acceptEncoding, collect }) => {
      const unknown = collect.filter((name) => !(blockNames as readonly string[]).includes(name));
      if (unknown.length > 0) {
        const text = `collect[] does not know ${unknown.join(', ')}; it knows ${blockNames.join(', ')}.\n`;
        return { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(text) };
      }
      const format = chooseFormat(accept);
      const last = await tail(format);
      const chosen = blockNames.filter((name) => collect.length === 0 || collect.includes(name));
      // taken at once: what is swapped in meanwhile is for the next scrape
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
    shown: () => shown,
    stop: () => {
      stopped = true;
      clearTimeout(ageOut);
    },
  };
}
