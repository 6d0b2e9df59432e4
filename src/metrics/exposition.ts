import type { InventoryReader } from '../inventory/current.ts';
import { noFieldStates } from '../inventory/field-states.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { Owners } from '../model/owners.ts';
import { steadyNow } from '../model/steady-clock.ts';
import { Uses } from '../scheduling/uses.ts';
import { type AlertingState, type AlertScope, collectAlerts } from './alerting.ts';
import { type Body, SharedAnswers } from './answers.ts';
import { type Block, createBlock } from './block.ts';
import { updateBlock } from './block-update.ts';
import type { Family } from './family.ts';
import type { FeatureUpdate, Rendering } from './feature-renderer.ts';
import type { Enabled } from './metric.ts';
import { acceptsGzip, chooseFormat, contentTypes, type Format } from './negotiation.ts';
import { renderGauges } from './render.ts';
import { RightsizingBlock, type RightsizingState } from './rightsizing-block.ts';
import type { SelfMetrics } from './self.ts';
import {
  collectHistory,
  collectPolls,
  collectSite,
  collectVendorLicenses,
  type PollingState,
} from './site-collector.ts';

/** Parts of the page that `collect[]` can ask for, in page order. */
const blockNames = ['vendor_licenses', 'site', 'expirations', 'features', 'history', 'rightsizing'] as const;
type BlockName = (typeof blockNames)[number];
type Blocks = Readonly<Record<BlockName, Block>>;

/** Blocks, and the version of the features in them. */
interface Versioned<N extends BlockName> {
  readonly blocks: Pick<Blocks, N>;
  readonly version: number;
}

/** Renders the blocks of the features of the newest inventory. */
export type RenderFeatures = (inventory: Inventory, rendering: Rendering) => Promise<FeatureUpdate>;

/** Which metrics are shown, how many series at most, and from where they come. */
export interface ExpositionOptions {
  readonly enabled: Enabled;
  /** Maximum number of series of API data. */
  readonly maxSeries: number;
  readonly self: SelfMetrics;
  readonly features: RenderFeatures;
  /** Of vendor licenses. `features` has those of features. */
  readonly owners: () => Owners;
  /** The results of right-sizing; `undefined` before the first pass. */
  readonly rightsizing: () => RightsizingState | undefined;
  /** The current inventory, for the state of polling before the first inventory is rendered. */
  readonly latest: () => Inventory | undefined;
  /** Whether a part of an inventory is too old by now. */
  readonly isOutdated: (inventory: Inventory) => boolean;
  /** Derives and renders the inventory again. */
  readonly renew: () => Promise<void>;
  /** A clock that is never set and counts sleep, milliseconds. */
  readonly nowMs?: () => number;
}

/** What of a request for the page decides about its answer. */
export interface PageRequest {
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly collect: readonly string[];
}

/** An answer to a scrape. */
export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Must be called once, when the body is not read any more: its memory is used again for a later page. */
  readonly release: () => void;
}

const nothingPolled: PollingState = {
  polls: [],
  availability: [],
  up: false,
  knowledge: { products: false },
  fields: noFieldStates,
};

/** What is said of alerts. */
type SaidOfAlerts = () => { readonly state: AlertingState; readonly scope: AlertScope };

/** A reader of the inventory that renders it. */
export interface Exposition extends InventoryReader {
  /** Whether the newest page lacks series because of `maxSeries`; `undefined` before the first page. */
  isLimited(): boolean | undefined;
  /** Shows what is said of alerts from now on. Without an alert engine, nothing is. */
  showAlerts(alerts: SaidOfAlerts): void;
  /**
   * Status 500 while the newest inventory cannot be rendered, because older data would look current. The age of what is shown is
   * checked for each page, because a timer is late after a sleep of the machine.
   */
  page(request: PageRequest): Promise<Page>;
}

const problem = (status: number, text: string): Page => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from(`${text}\n`),
  release: () => undefined,
});

/**
 * The pages of metrics. API data is rendered and compressed when it changes, into blocks that are replaced together. A
 * scrape is therefore cheap and never shows half of an update. The state of polling and the exporter's own metrics are
 * sampled when a page is requested, at most once a second.
 */
export function createExposition(options: ExpositionOptions): Exposition {
  const { enabled, self } = options;
  const answers = new SharedAnswers(options.nowMs ?? steadyNow);
  const rightsizingBlock = new RightsizingBlock();
  let shown: ({ readonly inventory: Inventory } & Versioned<BlockName>) | undefined;
  /** The features as of the last update, which the next update refers to. */
  let features: Versioned<'expirations' | 'features'> | undefined;
  /** The versions that responses are being sent from. */
  const sending = new Uses<number>();
  /** Whether the newest inventory could not be rendered. */
  let hasFailed = false;
  let saidOfAlerts: SaidOfAlerts | undefined;

  const updateFeatures = async (
    inventory: Inventory,
    budget: number,
  ): Promise<Versioned<'expirations' | 'features'>> => {
    const update = await options.features(inventory, {
      enabled,
      budget,
      base: features?.version ?? 0,
      oldestInUse: Math.min(...sending.items, shown?.version ?? Number.MAX_SAFE_INTEGER),
    });
    const blocks = {
      expirations: updateBlock(update.expirations, features?.blocks.expirations),
      features: updateBlock(update.features, features?.blocks.features),
    };
    features = { blocks, version: update.version };
    return features;
  };

  const createBlocks = async (inventory: Inventory): Promise<Versioned<BlockName>> => {
    let budget = options.maxSeries;
    const block = async (families: readonly Family[]): Promise<Block> => {
      const made = await createBlock(families, budget);
      budget -= made.series;
      return made;
    };
    const vendorLicenses = await block(collectVendorLicenses(inventory, enabled, options.owners()));
    const site = await block(collectSite(inventory));
    const { blocks, version } = await updateFeatures(inventory, budget);
    budget -= blocks.expirations.series + blocks.features.series;
    const history = await block(collectHistory(inventory, enabled));
    budget -= history.series;
    const rightsizing = await rightsizingBlock.render(enabled.rightsizing ? options.rightsizing() : undefined, budget);
    return { blocks: { vendor_licenses: vendorLicenses, site, ...blocks, history, rightsizing }, version };
  };

  const read = async (inventory: Inventory): Promise<void> => {
    try {
      const { blocks, version } = await createBlocks(inventory);
      shown = { inventory, blocks, version };
      hasFailed = false;
      const all = Object.values(blocks);
      self.setSeries(
        all.reduce((sum, { series }) => sum + series, 0),
        all.some(({ isLimited }) => isLimited),
      );
    } catch (error) {
      hasFailed = true;
      // it is out of date, and its memory can be used again
      shown = undefined;
      throw error;
    } finally {
      answers.clear();
    }
  };

  /** The state of polling in the inventory that is shown, and the exporter's own metrics. */
  const renderTail = async (format: Format): Promise<Buffer> => {
    const inventory = shown?.inventory ?? options.latest() ?? nothingPolled;
    const alerting = enabled.alerts ? saidOfAlerts?.() : undefined;
    const alerts = alerting === undefined ? [] : collectAlerts(alerting.state, alerting.scope);
    const polls = [...renderGauges([...collectPolls(inventory), ...alerts])].map(({ bytes }) => bytes);
    const end = format === 'openmetrics' ? '# EOF\n' : '';
    return Buffer.concat([...polls, Buffer.from(`${await self.render(format)}${end}`)]);
  };

  /** Begins to use what is shown. @returns ends it */
  const useShown = (): (() => void) => {
    if (shown === undefined) return () => undefined;
    const { version } = shown;
    sending.begin(version);
    return () => sending.end(version);
  };

  const isTooOld = (): boolean => shown !== undefined && options.isOutdated(shown.inventory);

  return {
    name: 'metrics',
    read,
    isLimited: () => shown && Object.values(shown.blocks).some(({ isLimited }) => isLimited),
    showAlerts: (alerts) => {
      saidOfAlerts = alerts;
    },
    page: async ({ accept, acceptEncoding, collect }) => {
      const unknown = collect.filter((name) => !(blockNames as readonly string[]).includes(name));
      if (unknown.length > 0) {
        return problem(
          400,
          `unknown collect[] value: ${unknown.join(', ')}; valid values are ${blockNames.join(', ')}.`,
        );
      }
      if (isTooOld()) await options.renew();
      const isOutdated = hasFailed || isTooOld() || (shown !== undefined && options.latest() === undefined);
      if (isOutdated) return problem(500, 'The metrics cannot be rendered; see the log for the error.');
      const format = chooseFormat(accept);
      const isGzip = acceptsGzip(acceptEncoding);
      const blocks = collect.length === 0 ? blockNames : blockNames.filter((name) => collect.includes(name));
      const state = { blocks: shown?.blocks ?? {}, renderTail };
      const release = useShown();
      try {
        const { body, length } = await answers.answer({ format, isGzip, blocks }, state, self.changes());
        return {
          status: 200,
          headers: { ...headersOf(format, isGzip), 'content-length': String(length) },
          body,
          release,
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

function headersOf(format: Format, isGzip: boolean): Page['headers'] {
  const headers = { 'content-type': contentTypes[format], vary: 'Accept, Accept-Encoding' };
  return isGzip ? { ...headers, 'content-encoding': 'gzip' } : headers;
}
