import type { OwnerMapping } from '../../base/model/owners.ts';
import { steadyNow } from '../../base/model/steady-clock.ts';
import type { InventoryReader } from '../inventory/current.ts';
import type { IsSaturated } from '../inventory/feature-row.ts';
import { noFieldStates } from '../inventory/field-states.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { type AlertingState, type AlertScope, collectAlerts } from './alerting.ts';
import { type Body, SharedAnswers } from './answers.ts';
import type { Family } from './family.ts';
import { type Block, createBlock, renderGauges } from './family.ts';
import { expirationGauges, FeatureBlock, featureGauges, RangeLabels } from './feature-block.ts';
import { acceptsGzip, chooseFormat, contentTypes, type Format } from './negotiation.ts';
import type { SelfMetrics } from './self.ts';
import type { MetricsSection } from './settings.ts';
import {
  collectHistory,
  collectPolls,
  collectSaturated,
  collectSite,
  collectVendorLicenses,
  type PollingState,
  RightsizingBlock,
  type RightsizingState,
} from './site-collector.ts';

/** Parts of the page that `collect[]` can ask for, in page order. */
const blockNames = ['vendor_licenses', 'site', 'expirations', 'features', 'history', 'rightsizing'] as const;
type BlockName = (typeof blockNames)[number];
type Blocks = Readonly<Record<BlockName, Block>>;

/** Which metrics are shown, how many series at most, and from where they come. */
export interface ExpositionOptions {
  readonly metrics: Pick<MetricsSection, 'collectors' | 'maxSeries'>;
  readonly self: SelfMetrics;
  readonly owners: () => OwnerMapping;
  /** Which features are saturated. */
  readonly isSaturated: IsSaturated;
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

/** What a metric costs. */
export interface MetricSeries {
  readonly metric: string;
  readonly series: number;
}

/** The series of a page in the text format, by metric. A summary is one metric. */
function* metricsIn(text: string): Generator<MetricSeries> {
  let metric = '';
  let series = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) {
      if (series > 0) yield { metric, series };
      metric = line.split(' ')[2] ?? '';
      series = 0;
    } else if (line !== '' && !line.startsWith('#')) series += 1;
  }
  if (series > 0) yield { metric, series };
}

/** A reader of the inventory that renders it. */
export interface Exposition extends InventoryReader {
  /** Whether the newest page lacks series because of `maxSeries`; `undefined` before the first page. */
  isLimited(): boolean | undefined;
  /** How many series each metric has on the page now, the most first. */
  seriesByMetric(): Promise<readonly MetricSeries[]>;
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
});

/**
 * The pages of metrics. API data is rendered and compressed when it changes, into blocks that are replaced together. A
 * scrape is therefore cheap and never shows half of an update. The state of polling and the exporter's own metrics are
 * sampled when a page is requested, at most once a second.
 */
export function createExposition(options: ExpositionOptions): Exposition {
  const { self } = options;
  const { collectors: enabled, maxSeries } = options.metrics;
  const answers = new SharedAnswers(options.nowMs ?? steadyNow);
  const rightsizingBlock = new RightsizingBlock();
  const labels = new RangeLabels();
  const expirations = new FeatureBlock(expirationGauges(enabled), labels);
  const features = new FeatureBlock(featureGauges(enabled), labels);
  let shown: { readonly inventory: Inventory; readonly blocks: Blocks } | undefined;
  /** Whether the newest inventory could not be rendered. */
  let hasFailed = false;
  let saidOfAlerts: SaidOfAlerts | undefined;

  const createBlocks = async (inventory: Inventory): Promise<Blocks> => {
    const owners = options.owners();
    let budget = maxSeries;
    const spend = (made: Block): Block => {
      budget -= made.series;
      return made;
    };
    const block = async (families: readonly Family[]): Promise<Block> => spend(await createBlock(families, budget));
    return {
      vendor_licenses: await block([
        ...collectVendorLicenses(inventory, enabled, owners),
        ...(await collectSaturated(inventory, options.isSaturated)),
      ]),
      site: await block(collectSite(inventory)),
      expirations: spend(await expirations.render(inventory.features, owners, budget)),
      features: spend(await features.render(inventory.features, owners, budget)),
      history: await block(collectHistory(inventory, enabled)),
      rightsizing: await rightsizingBlock.render(enabled.rightsizing ? options.rightsizing() : undefined, budget),
    };
  };

  const read = async (inventory: Inventory): Promise<void> => {
    try {
      const blocks = await createBlocks(inventory);
      shown = { inventory, blocks };
      hasFailed = false;
      const all = Object.values(blocks);
      self.setSeries(
        all.reduce((sum, { series }) => sum + series, 0),
        all.some(({ isLimited }) => isLimited),
      );
    } catch (error) {
      hasFailed = true;
      // it is out of date
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

  const isTooOld = (): boolean => shown !== undefined && options.isOutdated(shown.inventory);

  return {
    name: 'metrics',
    read,
    seriesByMetric: async () => {
      const blocks = Object.values(shown?.blocks ?? {}).flatMap(({ seriesOf }) =>
        [...seriesOf].map(([metric, series]) => ({ metric, series })),
      );
      const tail = [...metricsIn((await renderTail('text')).toString())];
      return [...blocks, ...tail].sort((a, b) => b.series - a.series || (a.metric < b.metric ? -1 : 1));
    },
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
      const { body, length } = await answers.answer({ format, isGzip, blocks }, state, self.changes());
      return { status: 200, headers: { ...headersOf(format, isGzip), 'content-length': String(length) }, body };
    },
  };
}

function headersOf(format: Format, isGzip: boolean): Page['headers'] {
  const headers = { 'content-type': contentTypes[format], vary: 'Accept, Accept-Encoding' };
  return isGzip ? { ...headers, 'content-encoding': 'gzip' } : headers;
}
