import type { DeliveryCounts } from '../../alerting/alerts/delivery.ts';
import type { MessageCounts } from '../../alerting/messages/receiver-state.ts';
import type { RecordedDemand } from '../../analyzer/history/recorded-demand.ts';
import type { Analyzer } from '../../analyzer/server/server.ts';
import type { Log } from '../../base/model/log.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import { type Clock, createClock } from '../../base/scheduling/clock.ts';
import { RIGHTSIZING_FILE } from '../../base/storage/saved-files.ts';
import { createAccounts } from '../../exporter/client/account.ts';
import {
  type Connection,
  type ConnectionListeners,
  connectByHttp,
  connectInProcess,
} from '../../exporter/client/analyzer-connection.ts';
import { analyzerIdentity } from '../../exporter/client/identity.ts';
import { createSelfMetrics } from '../../exporter/metrics/self.ts';
import { NightlyPass } from '../../insight/advice/pass/nightly-pass.ts';
import { createSite } from '../../site/site.ts';
import type { Reload } from '../../site/web/reload.ts';
import type { Config } from '../config/config.ts';
import { createCurrentOwners, createCurrentPrices } from '../config/followed-entries.ts';
import { externalUrl, openAddresses } from '../config/listeners.ts';
import { WebAccess } from '../config/web-access.ts';
import { CurrentPipeline } from './current-pipeline.ts';
import { EffectWatch } from './effect-watch.ts';
import { createPipeline } from './pipeline.ts';
import { createReclaimableMetrics } from './reclaimable-metrics.ts';
import { deniedRequests, deniedToday, importedOf } from './recorded.ts';
import { peopleMetrics, withoutPeople } from './recorded-people.ts';
import { warnOfRestart } from './restart-only.ts';
import { createStorage, type Storage } from './storage.ts';

/** What the process gives the daemon: log, version, sources and how it is stopped. */
export interface AppDeps {
  readonly log: Log;
  readonly version: string;
  readonly revision: string;
  /** Whether the data is simulated. */
  readonly demo: boolean;
  /** The analyzer in this process that hands its answers over; undefined without one. */
  readonly own?: Pick<Analyzer, 'answer' | 'onCollected'>;
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

/** The daemon: it polls, evaluates, serves and can be reloaded. */
export interface App {
  /** Listens and starts to poll. Resolves when it listens. */
  start(): Promise<void>;
  /** Polls once without listening. Returns the page of metrics, and whether every endpoint answered with all that is needed. */
  runOnce(): Promise<{ page: readonly Uint8Array[]; up: boolean }>;
  /** Applies another configuration. The data is kept if the analyzer is the same. */
  reload(config: Config): Promise<void>;
  /** Reports in the metrics that a new configuration was refused. */
  refuseReload(): void;
  stop(): Promise<void>;
  addresses(): readonly string[];
}

/** Puts together what survives a reload and, for each configuration, a pipeline. */
export function createApp(initial: Config, deps: AppDeps): App {
  const { log, clock = createClock() } = deps;
  const { now } = clock;
  const storage = deps.storage ?? createStorage(log);
  const { writes } = storage;
  const releaseStorage = (): void => {
    if (deps.storage === undefined) storage.release();
  };
  const accounts = createAccounts(log, writes);
  // over all reloads
  const deliveryCounts = new Map<string, DeliveryCounts>();
  const messageCounts = new Map<string, MessageCounts>();
  const rightsizing = new NightlyPass({ now, log, writes: writes.of(RIGHTSIZING_FILE) });
  deps.recorded?.onImported(() => rightsizing.renew());
  const current = new CurrentPipeline({ clock, deliveryCounts, messageCounts, rightsizing, log });
  const owners = createCurrentOwners(initial, log, () => {
    effects.renew();
    void current.recommit();
  });
  const prices = createCurrentPrices(initial, log, () => effects.renew());
  const access = new WebAccess(initial, log);
  const effects = new EffectWatch({
    followed: () => [...owners.parts(), ...prices.parts()],
    known: () => ({ owners: owners.current().entries, users: new Set(access.current().users.keys()) }),
    log,
  });

  const recorded = deps.recorded && (initial.people ? deps.recorded : withoutPeople(deps.recorded));
  const reclaimable = recorded && createReclaimableMetrics(recorded.reclaimable);
  const web = createSite(initial, {
    ...deps,
    served: () => current.now,
    metricsPage: (request) => current.page(request),
    access: () => access.current(),
    isReady: () => current.isFirstPollOver,
    url: () => externalUrl(current.now.config.web),
    sources: deps.sources,
    recording: deps.recording,
    reload: deps.reload,
    deniedToday: recorded && (() => deniedToday(recorded, current.now.insight.owns)),
    imported: importedOf(recorded),
    now,
  });
  const self = createSelfMetrics({
    version: deps.version,
    revision: deps.revision,
    nodeVersion: process.version,
    demo: deps.demo,
    identity: () => {
      const { config } = current.now;
      return { ...analyzerIdentity(config), externalUrl: externalUrl(config.web) };
    },
    now,
    shard: initial.shard,
    upstream: () => current.upstream(),
    web: web.counts,
    alerting: () => current.now.engine.status(),
    receivers: () =>
      current.now.messages.status().flatMap((status) => {
        const counts = messageCounts.get(status.receiver);
        return counts === undefined ? [] : [{ ...status, counts }];
      }),
    sources: deps.sources ?? (() => []),
    recording: () => deps.recording?.(),
    denials: () => (recorded === undefined ? [] : deniedRequests(recorded.denials, current.now.insight.owns)),
    people: () => recorded && peopleMetrics(recorded.blocked, current.now.insight.owns),
    reclaimable: () => reclaimable?.(current.now.insight.owns) ?? [],
    stateWrites: () => writes.all(),
    processMetrics: true,
  });
  const connect = (config: Config, listeners: ConnectionListeners): Connection => {
    const { analyzer, storage: place } = config;
    if (analyzer !== undefined) {
      const gate = accounts.gateOf({ analyzer, storagePath: place.path });
      return connectByHttp(analyzer, { gate, version: deps.version, now, log }, listeners);
    }
    const { own } = deps;
    if (own === undefined) throw new Error('unreachable: without an analyzer to poll, it is in this process');
    return connectInProcess(own.answer, listeners);
  };
  current.open(initial, (config, carried) =>
    createPipeline(config, {
      connect,
      self,
      deliveryCounts,
      messageCounts,
      writes,
      carried,
      rightsizing,
      recorded,
      knowsPeople: initial.people,
      sources: () => deps.sources?.(),
      recording: () => deps.recording?.(),
      effects,
      owners: owners.current,
      prices: prices.current,
      version: deps.version,
      now,
      log,
    }),
  );
  self.setReload(true, now());

  return {
    start: async () => {
      storage.take(initial.storage.path);
      await web.start().catch((error: unknown) => {
        releaseStorage();
        throw error;
      });
      access.start(() => {
        web.refreshCertificates();
        effects.renew();
      });
      owners.start();
      prices.start();
      deps.own?.onCollected((vendorLicenses) => current.pollChanged(vendorLicenses));
      current.start(openAddresses(initial.web.externalUrl, web.addresses()));
    },
    runOnce: () => current.runOnce(),
    reload: (config) =>
      current.reload(
        config,
        () => storage.take(config.storage.path),
        () => {
          owners.reload(config);
          prices.reload(config);
          access.reload(config);
          warnOfRestart(initial, config, recorded !== undefined, log);
          self.setReload(true, now());
          log.info({}, 'configuration reloaded');
        },
      ),
    refuseReload: () => {
      self.setReload(false, now());
      void current.now.engine.evaluate();
    },
    stop: async () => {
      access.stop();
      owners.stop();
      prices.stop();
      await current.stop();
      await web.stop();
      accounts.close();
      releaseStorage();
    },
    addresses: web.addresses,
  };
}
