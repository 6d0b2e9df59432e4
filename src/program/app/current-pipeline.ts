import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { DeliveryCounts } from '../../alerting/alerts/delivery.ts';
import type { MessageCounts } from '../../alerting/messages/receiver-state.ts';
import type { Log } from '../../base/model/log.ts';
import { limitRepeats } from '../../base/model/repeat-log.ts';
import { toWall } from '../../base/model/steady-clock.ts';
import type { Clock } from '../../base/scheduling/clock.ts';
import { createLimit } from '../../base/scheduling/limit.ts';
import type { Logons } from '../../exporter/client/analyzer-connection.ts';
import { createStats, type NtlmStats } from '../../exporter/client/stats.ts';
import type { FieldState, FieldStates } from '../../exporter/inventory/field-states.ts';
import type { Exposition, Page } from '../../exporter/metrics/exposition.ts';
import type { UpstreamState } from '../../exporter/metrics/self.ts';
import type { NightlyPass } from '../../insight/advice/pass/nightly-pass.ts';
import type { Config } from '../config/config.ts';
import { type Carried, carryOver } from './carried.ts';
import type { Pipeline } from './pipeline.ts';

/** After the first poll: alerts are evaluated, the page is rendered, and a small pass is over. Milliseconds. */
const MEMORY_DELAY_MS = 60_000;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * Gives back the memory that only the start has needed. V8 keeps the pages of a heap that has become smaller, 110 MB with 100,000
 * features, until a collection for the sake of memory. By itself, it begins none while a daemon polls. It takes 30 ms with 200
 * features and 180 ms with 100,000, once.
 */
function giveBackStartMemory(): void {
  setTimeout(collectGarbage, MEMORY_DELAY_MS).unref();
}

/** Transport counters over all reloads: a counter must not decrease. */
interface UpstreamTotals {
  /** Adds the counts of a connection that is replaced. */
  retire(logons: Logons): void;
  /** All counts, including those of the current connection. */
  state(logons: Logons): UpstreamState;
}

function createUpstreamTotals(): UpstreamTotals {
  const retired = createStats();
  return {
    retire: ({ stats }) => {
      for (const name of Object.keys(retired) as (keyof NtlmStats)[]) retired[name] += stats[name];
    },
    state: ({ gate, stats }) => ({
      authenticated: gate.authenticated,
      authRetryAt: gate.retryAt === 0 ? 0 : toWall(gate.retryAt) / 1000,
      connectionsOpened: retired.sockets + stats.sockets,
      roundTrips: retired.roundTrips + stats.roundTrips,
      handshakes: retired.handshakes + stats.handshakes,
      reauthentications: retired.reauthentications + stats.reauthentications,
      rejectedLogons: retired.rejected + stats.rejected,
      staleRetries: retired.staleRetries + stats.staleRetries,
    }),
  };
}

/** Addresses of the first page; the first works on the host of the daemon. */
type Urls = readonly [string, ...string[]];

/**
 * Logs the line that an operator waits for at the start: whether the data is there, and which page to open. The address is in the
 * sentence, because people read it.
 *
 * @param urls of the first page
 */
function logFirstPoll({ config, exporter }: Pipeline, [url, ...others]: Urls, log: Log): void {
  const inventory = exporter.inventory.latest();
  if (inventory?.emptiness === 'not selected') {
    log.warn(
      {},
      'of the vendor licenses that the analyzer lists, none is selected: check select.include and select.exclude',
    );
    return;
  }
  if (inventory?.emptiness === 'not listed') {
    log.warn(
      {},
      config.analyzer === undefined
        ? `no source has a vendor license: open ${url}/sources for the reasons`
        : `the analyzer lists no vendor license: check what its account may see, and the sources, if it has any: open ${url}`,
    );
    return;
  }
  if (inventory === undefined || !inventory.up) {
    log.warn({}, `the first poll failed: open ${url} for the reason, or run license-exporter doctor`);
    return;
  }
  const { vendorLicenses, features } = inventory;
  const elsewhere = others.length === 0 ? '' : ` (or ${others.join(', ')})`;
  log.info({ vendorLicenses: vendorLicenses.length, features: features.length }, `ready: open ${url}${elsewhere}`);
}

/** Creates a pipeline, which continues what it can of the previous one. */
type Create = (config: Config, carried?: Carried) => Pipeline;

/** What outlives a reload, for the pipelines that do not. */
export interface CurrentPipelineOptions {
  readonly clock: Clock;
  /** By URL of the Alertmanager, over all reloads. */
  readonly deliveryCounts: ReadonlyMap<string, DeliveryCounts>;
  /** By receiver of messages, over all reloads. */
  readonly messageCounts: ReadonlyMap<string, MessageCounts>;
  readonly rightsizing: NightlyPass;
  readonly log: Log;
}

/** Needed fields that no vendor license has. */
const neededEverywhere = ({ list }: FieldStates): readonly FieldState[] =>
  list.filter(({ isNeeded, missing, expected }) => isNeeded && missing.length === expected.length);

/** The pipeline that runs. A reload replaces it, and so does a clock that was set: a pipeline remembers many times. */
export class CurrentPipeline {
  readonly #options: CurrentPipelineOptions;
  readonly #totals = createUpstreamTotals();
  /** Runs reloads and the stop one at a time, because each stops the pipeline of the previous one. */
  readonly #inTurn = createLimit(1);
  #create: Create | undefined;
  #pipeline: Pipeline | undefined;
  /** After a reload, the previous one serves pages until the new one has rendered, so that no scrape misses a series. */
  #exposition: Exposition | undefined;
  #urls: Urls = [''];
  #isFirstPollOver = false;
  #isStopping = false;
  #stopWatch: (() => void) | undefined;

  constructor(options: CurrentPipelineOptions) {
    this.#options = options;
  }

  /** Creates the first one. Before, nothing else may be called. */
  open(config: Config, create: Create): void {
    this.#create = create;
    this.#pipeline = create(config);
    this.#exposition = this.#pipeline.exporter.exposition;
  }

  get now(): Pipeline {
    if (this.#pipeline === undefined) throw new Error('unreachable: it is opened before anything runs');
    return this.#pipeline;
  }

  get isFirstPollOver(): boolean {
    return this.#isFirstPollOver;
  }

  page(...request: Parameters<Exposition['page']>): Promise<Page> {
    return (this.#exposition ?? this.now.exporter.exposition).page(...request);
  }

  /** The state of the logons; `undefined` where nobody logs on. */
  upstream(): UpstreamState | undefined {
    const { logons } = this.now.exporter;
    return logons && this.#totals.state(logons);
  }

  /** Derives the inventory again. */
  async recommit(): Promise<void> {
    const { inventory, poller } = this.now.exporter;
    await inventory.commit(poller.latest());
  }

  /** Polls what a collection of the analyzer in this process has changed. */
  pollChanged(vendorLicenses: readonly string[]): void {
    this.now.exporter.poller
      .pollChanged(vendorLicenses)
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'what was collected could not be polled'));
  }

  /** @param urls of the first page, for the log */
  start(urls: Urls): void {
    const { clock } = this.#options;
    const log = limitRepeats(this.#options.log);
    this.#urls = urls;
    this.#run();
    this.#stopWatch = clock.watch(() => {
      this.#followClock().catch((error: unknown) =>
        log.error({ err: error }, 'the clock was set, and is not followed'),
      );
    });
  }

  /** Polls once. @returns the page, and whether every endpoint answered with all that is needed */
  async runOnce(): Promise<{ page: readonly Uint8Array[]; up: boolean }> {
    await this.now.exporter.poller.pollOnce();
    await this.recommit();
    const { status, body } = await this.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
    // the log has the error; the output is for metrics alone
    if (status !== 200) return { page: [], up: false };
    // not one text: the page of a very large site is longer than the longest string
    const page = Buffer.isBuffer(body) ? [body] : await Array.fromAsync<Uint8Array>(body);
    const inventory = this.now.exporter.inventory.latest();
    return { page, up: inventory?.up === true && neededEverywhere(inventory.fields).length === 0 };
  }

  /** @param apply what changes between the old one and the new one. @param check throws if the configuration cannot be used */
  reload(config: Config, check: () => void, apply: () => void): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isStopping) return;
      // an unusable configuration is rejected while the old pipeline still runs
      check();
      await this.#replace(config, apply);
    });
  }

  /** Stops it and the nightly pass, which uses its inventory. */
  stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopWatch?.();
    return this.#inTurn(async () => {
      await this.#options.rightsizing.stop();
      await this.now.stop();
    });
  }

  #followClock(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#isStopping && this.#options.clock.moved() !== 0) await this.#replace(this.now.config);
    });
  }

  async #replace(config: Config, apply?: () => void): Promise<void> {
    const { clock, deliveryCounts, messageCounts, rightsizing, log } = this.#options;
    const old = this.now;
    await rightsizing.pause();
    await old.stop();
    const { logons } = old.exporter;
    if (logons !== undefined) this.#totals.retire(logons);
    apply?.();
    const counts = [...deliveryCounts.values(), ...messageCounts.values()];
    this.#pipeline = this.#create?.(config, carryOver(old, config, { clock, counts, log }));
    this.#run();
    await this.recommit();
    this.#exposition = this.now.exporter.exposition;
  }

  #run(): void {
    const { rightsizing, log } = this.#options;
    const pipeline = this.now;
    void rightsizing.use(pipeline.insight.inputs);
    pipeline.start().then(
      () => {
        if (!this.#isFirstPollOver) {
          logFirstPoll(pipeline, this.#urls, log);
          giveBackStartMemory();
        }
        this.#isFirstPollOver = true;
        // a reload can have replaced it
        if (this.now === pipeline) rightsizing.begin();
      },
      (error: unknown) => log.error({ err: error }, 'polling did not start'),
    );
  }
}
