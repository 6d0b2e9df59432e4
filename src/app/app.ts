import { extname } from 'node:path';
import type { DeliveryCounts } from '../alerts/delivery.ts';
import type { RecordedDemand } from '../analyzer/recorded-demand.ts';
import type { FieldState, FieldStates } from '../inventory/field-states.ts';
import { createPlaneThread } from '../inventory/plane/plane-thread.ts';
import type { MessageCounts } from '../messages/message-counts.ts';
import type { FeatureUpdate, Rendering } from '../metrics/feature-renderer.ts';
import { createSelfMetrics, type SelfMetrics } from '../metrics/self.ts';
import type { Log } from '../model/log.ts';
import type { RecordingHealth } from '../model/observation/recording.ts';
import type { SourceHealth } from '../model/observation/source.ts';
import { limitRepeats } from '../model/repeat-log.ts';
import { endpointNames } from '../query-api/endpoints.ts';
import { createNightlyPass } from '../rightsizing/nightly-pass.ts';
import { type Clock, createClock } from '../scheduling/clock.ts';
import { createLimit } from '../scheduling/limit.ts';
import { RIGHTSIZING_FILE } from '../storage/saved-files.ts';
import type { Reload } from '../web/reload.ts';
import { createWebServer } from '../web/server.ts';
import { createAccounts } from './accounts.ts';
import { externalUrl } from './alerting.ts';
import { type Carried, carryOver } from './carried.ts';
import { deniedRequests } from './denials.ts';
import { logFirstPoll } from './first-poll.ts';
import { analyzerIdentity } from './identity.ts';
import { createMounts, siteOf } from './mounts.ts';
import { createCurrentOwners } from './owners.ts';
import { type AppConfig, createPipeline, type Pipeline } from './pipeline.ts';
import { createCurrentPrices } from './prices.ts';
import { warnOfRestart, webRestartOnly } from './restart-only.ts';
import { createStorage, type Storage } from './storage.ts';
import { createUpstreamTotals } from './upstream-totals.ts';
import { createBackendOf } from './viewers.ts';
import { createWebAccess } from './web-access.ts';

export interface AppDeps {
  readonly log: Log;
  readonly version: string;
  readonly revision: string;
  /** Whether the data is simulated. */
  readonly demo: boolean;
  /** Sources of an analyzer in this process; undefined without one. */
  readonly sources?: () => readonly SourceHealth[];
  /** The history of an analyzer in this process; undefined without one. */
  readonly recorded?: RecordedDemand;
  /** How that history is recorded; undefined without one. */
  readonly recording?: () => RecordingHealth;
  /** The storage directory, if the caller uses it too. The caller takes it before, and releases it after, the application. */
  readonly storage?: Storage;
  /** Of this application; by default, that of the host. */
  readonly clock?: Clock;
  /** What a request to reload the configuration does; undefined if there is nothing to reload. */
  readonly reload?: Reload['run'];
}

export interface App {
  /** Listens and starts to poll. Resolves when it listens. */
  start(): Promise<void>;
  /** Polls once without listening. Returns the page of metrics, and whether every endpoint answered with all that is needed. */
  runOnce(): Promise<{ page: readonly Uint8Array[]; up: boolean }>;
  /** Applies another configuration. The data is kept if the analyzer is the same. */
  reload(config: AppConfig): Promise<void>;
  /** Reports in the metrics that a new configuration was refused. */
  refuseReload(): void;
  stop(): Promise<void>;
  addresses(): readonly string[];
}

/** Needed fields that no vendor license has. */
const neededEverywhere = ({ list }: FieldStates): readonly FieldState[] =>
  list.filter(({ isNeeded, missing, expected }) => isNeeded && missing.length === expected.length);

/** Wires the rooms together. */
export function createApp(initial: AppConfig, deps: AppDeps): App {
  const { log, clock = createClock() } = deps;
  const { now } = clock;
  const limitedLog = limitRepeats(log);
  let pipeline: Pipeline;
  /** After a reload, the previous one serves pages until the new one has rendered, so that no scrape misses a series. */
  let exposition: Pipeline['exposition'];
  /** Runs reloads and the stop one at a time, because each stops the pipeline of the previous one. */
  const inTurn = createLimit(1);
  let isStopping = false;
  const owners = createCurrentOwners(initial, log, () => void pipeline.inventory.commit(pipeline.poller.latest()));
  const prices = createCurrentPrices(initial, log);
  const storage = deps.storage ?? createStorage(log);
  const { writes } = storage;
  const accounts = createAccounts(log, writes);
  const releaseStorage = (): void => {
    if (deps.storage === undefined) storage.release();
  };
  const totals = createUpstreamTotals();
  const plane = createPlaneThread<Rendering, FeatureUpdate>({
    // .ts when run from source, .js when run from a build
    file: new URL(`./data-worker${extname(import.meta.url)}`, import.meta.url),
    onLost: (reason) => {
      log.error({ err: reason }, 'features and expiries are lost, and are requested again');
      pipeline.poller.loseRecords(reason);
    },
  });
  let isFirstPollOver = false;
  /** Delivery counts by Alertmanager, over all reloads. */
  const deliveryCounts = new Map<string, DeliveryCounts>();

  /** Counts by receiver of messages, over all reloads. */
  const messageCounts = new Map<string, MessageCounts>();

  /** Advice on the number of licenses, over all reloads. */
  const rightsizing = createNightlyPass({ now, log, writes: writes.of(RIGHTSIZING_FILE) });

  const self: SelfMetrics = createSelfMetrics({
    version: deps.version,
    revision: deps.revision,
    nodeVersion: process.version,
    demo: deps.demo,
    identity: () => ({ ...analyzerIdentity(pipeline.config), externalUrl: externalUrl(pipeline.config) }),
    now,
    shard: initial.shard,
    endpoints: endpointNames,
    upstream: () => totals.state(pipeline.gate, pipeline.dispatcher),
    web: () => web.counts(),
    alerting: () => pipeline.alerting.status(),
    receivers: () =>
      pipeline.messages.status().flatMap((status) => {
        const counts = messageCounts.get(status.receiver);
        return counts === undefined ? [] : [{ ...status, counts }];
      }),
    sources: deps.sources ?? (() => []),
    recording: () => deps.recording?.(),
    denials: () => (deps.recorded === undefined ? [] : deniedRequests(deps.recorded.denials, pipeline.passInputs.owns)),
    stateWrites: () => writes.all(),
    processMetrics: true,
  });

  const create = (config: AppConfig, carried?: Carried): Pipeline =>
    createPipeline(config, {
      gate: accounts.gateOf(config),
      self,
      plane,
      deliveryCounts,
      messageCounts,
      writes,
      carried,
      rightsizing,
      recorded: deps.recorded,
      sources: () => deps.sources?.(),
      recording: () => deps.recording?.(),
      owners: () => owners.current(),
      prices: () => prices.current(),
      version: deps.version,
      now,
      log,
    });

  const run = (): void => {
    const { poller, inventory, alerting, messages, passInputs } = pipeline;
    void rightsizing.use(passInputs);
    messages.start();
    alerting.start().catch((error: unknown) => log.error({ err: error }, 'alerting did not start'));
    poller
      .start()
      .then(() => inventory.commit(poller.latest()))
      .then(
        () => {
          if (!isFirstPollOver)
            logFirstPoll(inventory.latest(), initial.web.externalUrl ?? web.addresses()[0] ?? '', log);
          isFirstPollOver = true;
          // a reload can have replaced it
          if (pipeline.poller === poller) rightsizing.begin();
        },
        (error: unknown) => log.error({ err: error }, 'polling did not start'),
      );
  };

  /** @param apply what changes between the old one and the new one */
  const replacePipeline = async (config: AppConfig, apply?: () => void): Promise<void> => {
    const old = pipeline;
    await rightsizing.pause();
    await old.stop();
    totals.retire(old.dispatcher);
    apply?.();
    const counts = [...deliveryCounts.values(), ...messageCounts.values()];
    pipeline = create(config, carryOver(old, config, { clock, counts, log }));
    run();
    await pipeline.inventory.commit(pipeline.poller.latest());
    exposition = pipeline.exposition;
  };
  /** A pipeline remembers many times. With a new one, none of them can be forgotten here. */
  const followClock = (): Promise<void> =>
    inTurn(async () => {
      if (!isStopping && clock.moved() !== 0) await replacePipeline(pipeline.config);
    });
  let stopWatch: (() => void) | undefined;

  /** What decides who may see names and prices: the addresses at start, because a reload does not change them. */
  const site = () => ({
    access: pipeline.config.access,
    listen: initial.web.listen,
    demo: deps.demo,
    web: access.current(),
  });
  const backendOf = createBackendOf({
    site,
    datasource: () => pipeline.datasource,
    viewerOf: (request) => web.viewerOf(request),
    log,
  });
  const pages = siteOf(deps);
  const access = createWebAccess(initial, log, () => web.refreshCertificates());
  const web = createWebServer({
    listen: initial.web.listen,
    telemetryPath: initial.web.telemetryPath,
    site: pages,
    metricsPage: (request) => exposition.page(request),
    access: () => access.current(),
    mounts: createMounts({
      pages,
      initial,
      pipeline: () => pipeline,
      sources: deps.sources,
      recording: deps.recording,
      recorded: deps.recorded,
      backend: backendOf,
      now,
      log: limitedLog,
    }),
    isReady: () => isFirstPollOver,
    protectHealth: () => pipeline.config.web.protectHealth,
    reload: deps.reload && { isEnabled: () => pipeline.config.web.enableLifecycle, run: deps.reload },
    log: limitedLog,
  });

  pipeline = create(initial);
  exposition = pipeline.exposition;
  self.setReload(true, now());

  return {
    start: async () => {
      storage.take(initial.storagePath);
      await web.start().catch((error: unknown) => {
        releaseStorage();
        throw error;
      });
      access.start();
      owners.start();
      prices.start();
      run();
      stopWatch = clock.watch(() => {
        followClock().catch((error: unknown) =>
          limitedLog.error({ err: error }, 'the clock was set, and is not followed'),
        );
      });
    },
    runOnce: async () => {
      await pipeline.poller.pollOnce();
      const snapshot = pipeline.poller.latest();
      await pipeline.inventory.commit(snapshot);
      const request = { accept: undefined, acceptEncoding: undefined, collect: [] };
      const { status, body } = await exposition.page(request);
      // the log has the error; the output is for metrics alone
      if (status !== 200) return { page: [], up: false };
      // the page is not released, because no other one follows
      // not one text: the page of a very large site is longer than the longest string
      const page = Buffer.isBuffer(body) ? [body] : await Array.fromAsync<Uint8Array>(body);
      const inventory = pipeline.inventory.latest();
      return { page, up: inventory?.up === true && neededEverywhere(inventory.fields).length === 0 };
    },
    reload: (config) =>
      inTurn(async () => {
        if (isStopping) return;
        // an unusable configuration is rejected while the old pipeline still runs
        storage.take(config.storagePath);
        await replacePipeline(config, () => {
          owners.reload(config);
          prices.reload(config);
          access.reload(config);
          warnOfRestart(webRestartOnly(initial), webRestartOnly(config), log);
          self.setReload(true, now());
          log.info({}, 'configuration reloaded');
        });
      }),
    refuseReload: () => {
      self.setReload(false, now());
      void pipeline.alerting.evaluate();
    },
    stop: () => {
      isStopping = true;
      stopWatch?.();
      return inTurn(async () => {
        access.stop();
        owners.stop();
        prices.stop();
        await rightsizing.stop();
        await pipeline.stop();
        await plane.close();
        await web.stop();
        accounts.close();
        releaseStorage();
      });
    },
    addresses: () => web.addresses(),
  };
}
