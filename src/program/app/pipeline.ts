import { join } from 'node:path';
import type { DeliveryCounts } from '../../alerting/alerts/delivery.ts';
import type { AlertEngine } from '../../alerting/alerts/engine.ts';
import { Listed } from '../../alerting/alerts/listed.ts';
import type { MessageCounts } from '../../alerting/messages/message-counts.ts';
import type { Messages } from '../../alerting/messages/messages.ts';
import type { RecordedDemand } from '../../analyzer/history/recorded-demand.ts';
import { createLocalTime } from '../../base/model/local-time.ts';
import type { Log } from '../../base/model/log.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import type { OwnerMapping } from '../../base/model/owners.ts';
import type { Prices } from '../../base/model/prices.ts';
import { limitRepeats } from '../../base/model/repeat-log.ts';
import type { StateWrites } from '../../base/storage/file-writes.ts';
import { RIGHTSIZING_FILE } from '../../base/storage/saved-files.ts';
import { createQueryClient } from '../../exporter/client/query-client.ts';
import { CurrentInventory } from '../../exporter/inventory/current.ts';
import { AskedDecoder } from '../../exporter/inventory/decoding/asked-decoder.ts';
import type { Answers } from '../../exporter/inventory/decoding/decode.ts';
import { createPolledDecoder } from '../../exporter/inventory/decoding/polled-decoder.ts';
import { createFieldContract, type FieldContract } from '../../exporter/inventory/field-contract.ts';
import { createSelection } from '../../exporter/inventory/selection.ts';
import { createExposition, type Exposition } from '../../exporter/metrics/exposition.ts';
import type { SelfMetrics } from '../../exporter/metrics/self.ts';
import { createPoller, type Poller } from '../../exporter/poll/poller.ts';
import type { PassInputs } from '../../insight/advice/pass/nightly-pass.ts';
import { createProposalSource } from '../../insight/advice/pass/proposals.ts';
import type { Rightsizing } from '../../insight/advice/pass/rightsizing.ts';
import type { SharedBackend } from '../../site/grafana/answers/backend.ts';
import { createUpstreamCache } from '../../site/grafana/answers/upstream-cache.ts';
import type { Config } from '../config/config.ts';
import { defaultsOf } from '../config/settings.ts';
import { createAlerting } from '../../alerting/alerting.ts';
import { attentionOf, notConfiguredRules } from './attention.ts';
import type { Carried } from './carried.ts';
import type { Connection, ConnectionListeners, Logons } from '../../exporter/client/analyzer-connection.ts';
import { demandInputs } from '../../insight/advice/pass/demand-inputs.ts';
import { createDenialWatch } from './denials.ts';
import { createFieldFile } from '../../exporter/inventory/field-file.ts';
import { analyzerIdentity } from '../../exporter/client/identity.ts';
import { createAppMessages } from './messages.ts';

/** Everything from the client of the analyzer to the readers of the inventory. A reload creates a new pipeline. */
export interface Pipeline {
  readonly config: Config;
  readonly logons: Logons | undefined;
  readonly inventory: CurrentInventory;
  readonly exposition: Exposition;
  readonly poller: Poller;
  /** Which fields its answers have. */
  readonly fieldContract: FieldContract;
  /** What does not depend on the user of a request. */
  readonly datasource: SharedBackend;
  readonly alerting: AlertEngine;
  /** What the analyzer listed before. */
  readonly listed: Listed;
  /** Messages about alerts, by e-mail and webhook. */
  readonly messages: Messages;
  /** What the advice on the number of licenses is computed from. */
  readonly passInputs: PassInputs;
  /** Starts polling, alerts and messages. Resolves when the first poll is over. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What a pipeline shares with the parts of the daemon that survive a reload. */
interface PipelineDeps {
  readonly connect: (config: Config, listeners: ConnectionListeners) => Connection;
  readonly self: SelfMetrics;
  /** Counts by URL of the Alertmanager. */
  readonly deliveryCounts: Map<string, DeliveryCounts>;
  /** Counts by receiver of messages. */
  readonly messageCounts: Map<string, MessageCounts>;
  /** How writing the state files goes. */
  readonly writes: StateWrites;
  readonly carried: Carried | undefined;
  /** Advice on the number of licenses. It survives a reload. */
  readonly rightsizing: Rightsizing;
  /** The prices of licenses. They can change at any time. */
  readonly prices: () => Prices;
  /** The history of an analyzer in this process; `undefined` without one. */
  readonly recorded: RecordedDemand | undefined;
  /** Sources of an analyzer in this process; `undefined` without one. */
  readonly sources: () => readonly SourceHealth[] | undefined;
  /** How that history is recorded; `undefined` without one. */
  readonly recording: () => RecordingHealth | undefined;
  /** Who acts on a vendor license or a feature. It can change at any time; the inventory must be committed again then. */
  readonly owners: () => OwnerMapping;
  readonly version: string;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Wires the rooms from the client to metrics, alerts and Grafana. Nothing runs yet. */
export function createPipeline(config: Config, deps: PipelineDeps): Pipeline {
  const { self, carried, now, log } = deps;
  const { poll, shard } = config;
  const { permanentAfter } = config.expiration;
  const { timeout, concurrency, maxResponseSize, absentFields } = config.analyzer ?? defaultsOf('analyzer');
  const limitedLog = limitRepeats(log);
  const selection = createSelection({ shard, ...config.select });
  const { timeZone } = config.datasource;
  const identity = analyzerIdentity(config);

  const { transport, logons } = deps.connect(config, {
    observe: self.observeRequest,
    onRecovered: () => poller.retryFailed(),
  });
  const askedDecoder = new AskedDecoder({ permanentAfter, maxResponseSize });
  const asked = createQueryClient<Answers>(transport, askedDecoder);
  const polledDecoder = createPolledDecoder({ permanentAfter, whole: askedDecoder });

  const fieldFile = createFieldFile(config.storage.path, identity.analyzer, deps);
  const fieldContract = createFieldContract({
    absent: absentFields,
    isOwnAnalyzer: () => transport.isOwnAnalyzer,
    kept: () => carried?.fields ?? fieldFile.load(),
    now,
    log,
    onChange: fieldFile.save,
  });
  const inventory = new CurrentInventory({
    policy: { ...selection, usageWhenNotCurrent: config.metrics.usageWhenNotCurrent },
    fields: fieldContract.states,
    now,
    onProblem: (reader, error) => limitedLog.error({ reader, err: error }, 'the inventory could not be used'),
  });

  const { enabled: isEnabled, tolerance, workingTime } = config.rightsizing;
  const passInputs: PassInputs = {
    isEnabled,
    tolerance,
    workingTime,
    file: config.storage.path === undefined ? undefined : join(config.storage.path, RIGHTSIZING_FILE),
    inventory: () => inventory.latest(),
    ...demandInputs(config, selection, { recorded: deps.recorded, client: asked, concurrency, timeZone }),
  };
  /** The results of right-sizing that metrics and alerts read. */
  const latestPass = () => {
    const table = deps.rightsizing.latest();
    if (table === undefined) return undefined;
    const { durationSeconds } = deps.rightsizing.status();
    const { startOf } = passInputs.source.localTime;
    return { computedAt: table.computedAt, durationSeconds, rows: table.rows, startOf };
  };

  const exposition = createExposition({
    enabled: config.metrics.collectors,
    maxSeries: config.metrics.maxSeries,
    self,
    owners: deps.owners,
    rightsizing: latestPass,
    latest: () => inventory.latest(),
    isOutdated: (shown) => inventory.isOutdated(shown),
    renew: () => inventory.renew(),
  });
  const messages = createAppMessages(config, {
    timeZone,
    version: deps.version,
    counts: deps.messageCounts,
    writes: deps.writes,
    initial: carried?.messages,
    now,
    log,
  });
  const listed = carried?.listed ?? new Listed();
  const alerting = createAlerting(config, {
    inventory: () => inventory.latest(),
    authenticated: () => logons?.gate.authenticated,
    sources: deps.sources,
    recording: deps.recording,
    notConfigured: () => notConfiguredRules(config, { logons, sources: deps.sources(), recording: deps.recording() }),
    forecasts: latestPass,
    denied: createDenialWatch(deps.recorded, passInputs.owns, now),
    isSeriesLimited: exposition.isLimited,
    isReloadRefused: self.isReloadRefused,
    owners: deps.owners,
    timeZone,
    owned: selection,
    listed,
    version: deps.version,
    counts: deps.deliveryCounts,
    writes: deps.writes,
    handOver: messages.take,
    initial: carried?.alerts,
    now,
    log,
  });
  exposition.showAlerts(() => ({ state: alerting.status(), scope: { ...identity, shards: shard.total } }));
  inventory.subscribe(exposition);
  inventory.subscribe({ name: 'alerts', read: () => alerting.evaluate() });

  const poller = createPoller({
    client: createQueryClient(transport, polledDecoder),
    schedules: {
      GetProducts: poll.products,
      GetServerDown: poll.serverDown,
      GetConcurrentUsers: poll.concurrentUsers,
      GetFeatures: poll.features,
      GetExpirationFeatures: poll.expirations,
      GetHistory: poll.history,
    },
    maxDataAge: poll.maxDataAge,
    startOffset: poll.startOffset,
    requestTimeout: timeout,
    concurrency,
    featuresRequest: config.features.request,
    expirationSearch: config.expiration.search,
    selection,
    ownsSite: shard.index === 0,
    history: config.metrics.collectors.history
      ? config.history.features.map(({ vendorLicense, ...feature }) => ({ product: vendorLicense, ...feature }))
      : [],
    now,
    log,
    onCommit: (snapshot) => {
      fieldContract.observe(snapshot);
      void inventory.commit(snapshot);
    },
    ...(carried !== undefined && { initial: carried.data }),
  });

  const datasource: SharedBackend = {
    inventory: () => inventory.latest(),
    attention: () => attentionOf(alerting.status(), inventory.latest(), now()),
    upstream: createUpstreamCache({
      client: asked,
      connections: concurrency,
      cacheTtl: config.datasource.cacheTtl,
      now,
    }),
    users: { pseudonymKey: config.datasource.pseudonymKey?.reveal() },
    owners: deps.owners,
    proposals: createProposalSource({
      rightsizing: deps.rightsizing,
      prices: deps.prices,
      localTime: () => passInputs.source.localTime,
      nextPass: () => (passInputs.isEnabled ? passInputs.nextRun(now()) : undefined),
    }),
    localTime: createLocalTime(timeZone),
    now,
  };

  return {
    config,
    logons,
    inventory,
    exposition,
    poller,
    fieldContract,
    datasource,
    alerting,
    listed,
    messages,
    passInputs,
    start: async () => {
      void inventory.commit(poller.latest());
      messages.start();
      alerting.start().catch((error: unknown) => log.error({ err: error }, 'alerting did not start'));
      await poller.start();
      await inventory.commit(poller.latest());
    },
    stop: async () => {
      await poller.stop();
      await alerting.stop();
      await messages.stop();
      inventory.stop();
      await polledDecoder.close();
      await askedDecoder.close();
      await transport.close();
      await fieldFile.settled();
    },
  };
}
