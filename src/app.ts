import { createAlerting } from './alerting.ts';
import type { DeliveryCounts } from './alerts/delivery.ts';
import type { AlertEngine } from './alerts/engine.ts';
import { createAlertApi, createAlertPage } from './alerts/routes.ts';
import type { AlertStates } from './alerts/state-machine.ts';
import type { NtlmDispatcher } from './client/dispatcher.ts';
import { createStats } from './client/handshake.ts';
import { createQueryClient, type QueryClient } from './client/query-client.ts';
import type { AnalyzerConfig, Config } from './config/config.ts';
import { readPasswordFile } from './config/upstream-analyzer.ts';
import { createQuestions } from './datasource/questions.ts';
import { createDatasource } from './datasource/routes.ts';
import type { Sources } from './datasource/sources.ts';
import { createExposition, type Exposition } from './metrics/exposition.ts';
import { createSelfMetrics, type SelfMetrics, type UpstreamState } from './metrics/self.ts';
import { createLocalTime } from './model/local-time.ts';
import type { Log } from './model/log.ts';
import { createSelection } from './model/selection.ts';
import type { Snapshot } from './model/snapshot.ts';
import type { CredentialGate } from './ntlm/credential-gate.ts';
import { createPoller, type Poller } from './poll/poller.ts';
import { endpointNames } from './query-api/endpoints.ts';
import { lockStorage, type StorageLock } from './storage-lock.ts';
import { createDispatcher, createGate, credentialsOf } from './upstream.ts';
import { createWebServer } from './web/server.ts';
import { createWebAccess, refusalOfUsers } from './web-access.ts';

export interface AppDeps {
  readonly log: Log;
  readonly version: string;
  readonly revision: string;
  /** Whether the data is simulated. */
  readonly demo: boolean;
}

/** A configuration that names the analyzer to poll. */
export type AppConfig = Config & { readonly analyzer: AnalyzerConfig };

export interface App {
  /** Listens at once and polls; resolves when it listens. */
  start(): Promise<void>;
  /** Polls once without listening and gives the page of metrics, and whether every endpoint answered. */
  runOnce(): Promise<{ page: string; up: boolean }>;
  /** Takes another configuration over, and keeps the data when the analyzer is the same. */
  reload(config: AppConfig): Promise<void>;
  /** Says in the metrics that a new configuration was refused. */
  refuseReload(): void;
  stop(): Promise<void>;
  addresses(): readonly string[];
}

/** Everything that is made anew when the configuration changes. */
interface Engine {
  readonly config: AppConfig;
  readonly gate: CredentialGate;
  readonly dispatcher: NtlmDispatcher;
  readonly client: QueryClient;
  readonly exposition: Exposition;
  readonly poller: Poller;
  readonly datasource: Sources;
  /** Undefined while no Alertmanager is configured. */
  readonly alerting: AlertEngine | undefined;
}

/** What a reload carries over when the analyzer stays the same. */
interface Carried {
  readonly data: Snapshot;
  readonly alerts: AlertStates | undefined;
}

const now = (): number => Date.now() / 1000;

/** What a reload cannot change. */
const restartOnly = ({ web, datasource }: Config): string =>
  JSON.stringify([web.listen, web.telemetryPath, datasource.path]);

/** Wires the rooms together. */
export function createApp(initial: AppConfig, deps: AppDeps): App {
  const { log } = deps;
  let engine: Engine;
  /** Of all accounts ever used: a reload must not forget a hold. */
  const gates = new Map<string, CredentialGate>();
  let isFirstPollOver = false;
  let storage: StorageLock | undefined;

  /** Takes the storage directory, and lets another one go. @throws Error when another process has it */
  const takeStorage = ({ storagePath }: AppConfig): void => {
    if (storage?.path === storagePath) return;
    const before = storage;
    storage = storagePath === undefined ? undefined : lockStorage(storagePath, log);
    before?.release();
  };

  const gateOf = (config: AppConfig): CredentialGate => {
    const credentials = credentialsOf(config.analyzer);
    const account = `${credentials.domain}\\${credentials.username}`.toLowerCase();
    const known = gates.get(account);
    if (known !== undefined) {
      known.resetCredentials(credentials);
      return known;
    }
    const gate = createGate(config.analyzer, config.storagePath, log);
    gates.set(account, gate);
    return gate;
  };

  const upstream = (): UpstreamState => {
    const { gate, dispatcher } = engine;
    const { stats } = dispatcher;
    return {
      authenticated: gate.authenticated,
      authRetryAt: gate.retryAt / 1000,
      connectionsOpened: retired.sockets + stats.sockets,
      roundTrips: retired.roundTrips + stats.roundTrips,
      handshakes: retired.handshakes + stats.handshakes,
      reauthentications: retired.reauthentications + stats.reauthentications,
      rejectedLogons: retired.rejected + stats.rejected,
      staleRetries: retired.staleRetries + stats.staleRetries,
    };
  };
  /** Counts of dispatchers that a reload replaced: counters must not fall. */
  const retired = createStats();
  /** How alerts were delivered, by Alertmanager, over all reloads. */
  const deliveryCounts = new Map<string, DeliveryCounts>();

  const self: SelfMetrics = createSelfMetrics({
    version: deps.version,
    revision: deps.revision,
    nodeVersion: process.version,
    demo: deps.demo,
    shard: initial.shard,
    endpoints: endpointNames,
    upstream,
    alerting: () => engine.alerting?.status(),
    processMetrics: true,
  });

  /** Looks at the password file again, so that a corrected password is picked up without a restart. */
  const createRefresh = (config: AppConfig, gate: CredentialGate): (() => void) => {
    const { passwordFile } = config.analyzer;
    let lookedAt = 0;
    return () => {
      if (passwordFile === undefined || now() - lookedAt < 1) return;
      lookedAt = now();
      try {
        const password = readPasswordFile(passwordFile).reveal();
        if (gate.resetCredentials({ ...gate.credentials, password })) log.info({}, 'new password taken over');
      } catch (error) {
        log.warn({ reason: (error as Error).message }, 'password file not usable, the last password stays');
      }
    };
  };

  const createEngine = (config: AppConfig, carried?: Carried): Engine => {
    const gate = gateOf(config);
    const { analyzer, poll, shard } = config;
    const dispatcher = createDispatcher(analyzer, gate, log);
    const client = createQueryClient({
      baseUrl: analyzer.url,
      dispatcher,
      isUnproven: () => gate.state === 'unknown',
      refreshCredentials: createRefresh(config, gate),
      timeout: analyzer.timeout,
      maxResponseSize: analyzer.maxResponseSize,
      permanentAfter: config.permanentAfter,
      userAgent: `license-exporter/${deps.version}`,
      observe: self.observeRequest,
    });
    const selection = createSelection(shard, config.select);
    const exposition = createExposition({
      enabled: config.metrics.collectors,
      maxSeries: config.metrics.maxSeries,
      policy: { ...selection, usageWhenNotCurrent: config.metrics.usageWhenNotCurrent },
      self,
      now,
      onProblem: (error) => log.error({ err: error }, 'metrics not rendered'),
    });
    const poller = createPoller({
      client,
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
      requestTimeout: analyzer.timeout,
      concurrency: analyzer.concurrency,
      featuresRequest: config.featuresRequest,
      selection,
      ownsSite: shard.index === 0,
      history: config.metrics.collectors.history
        ? config.historyFeatures.map(({ vendorLicense, ...feature }) => ({ product: vendorLicense, ...feature }))
        : [],
      now,
      log,
      onCommit: (snapshot) => void exposition.commit(snapshot).then(() => alerting?.evaluate()),
      ...(carried !== undefined && { initial: carried.data }),
    });
    const site = () => {
      const inventory = exposition.inventory();
      return inventory === undefined ? undefined : { inventory, snapshot: poller.latest() };
    };
    const alerting = createAlerting(config, {
      data: site,
      authenticated: () => gate.authenticated,
      ownsVendorLicense: selection.ownsVendorLicense,
      version: deps.version,
      counts: deliveryCounts,
      initial: carried?.alerts,
      now,
      log,
    });
    void exposition.commit(poller.latest());
    const { cacheTtl, timeZone, pseudonymKey } = config.datasource;
    const datasource: Sources = {
      site,
      questions: createQuestions({
        client,
        connections: analyzer.concurrency,
        cacheTtl,
        now,
      }),
      users: {
        // what is really listened on: a reload does not change that
        refusal: () => refusalOfUsers(config.datasource.users, initial.web.listen, access.current()),
        pseudonymKey: pseudonymKey?.reveal(),
      },
      localTime: createLocalTime(timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone),
      now,
    };
    return { config, gate, dispatcher, client, exposition, poller, datasource, alerting };
  };

  const run = (): void => {
    const { poller, exposition, alerting } = engine;
    alerting?.start().catch((error: unknown) => log.error({ err: error }, 'alerting did not start'));
    poller
      .start()
      .then(() => exposition.commit(poller.latest()))
      .then(
        () => {
          isFirstPollOver = true;
        },
        (error: unknown) => log.error({ err: error }, 'polling did not start'),
      );
  };

  const end = async ({ poller, client, exposition, alerting }: Engine): Promise<void> => {
    await poller.stop();
    await alerting?.stop();
    exposition.stop();
    await client.close();
  };

  const alertRoutes = { status: () => engine.alerting?.status(), demo: deps.demo, now };
  const access = createWebAccess(initial, log, () => web.refreshCertificates());
  const web = createWebServer({
    listen: initial.web.listen,
    telemetryPath: initial.web.telemetryPath,
    version: deps.version,
    demo: deps.demo,
    metricsPage: (request) => engine.exposition.page(request),
    access: () => access.current(),
    mounts: [
      { path: '/alerts', about: 'What fires now, and how it is delivered.', ...createAlertPage(alertRoutes) },
      { path: '/api/v1', about: undefined, ...createAlertApi(alertRoutes) },
      {
        path: initial.datasource.path,
        about: 'History, users and the last poll as JSON, for Grafana.',
        ...createDatasource({
          sources: () => engine.datasource,
          deadline: () => engine.config.datasource.deadline,
          onProblem: (error) => log.error({ err: error }, 'request of Grafana failed'),
        }),
      },
    ],
    isReady: () => isFirstPollOver,
    log,
  });

  engine = createEngine(initial);
  self.setReload(true, now());

  return {
    start: async () => {
      takeStorage(initial);
      await web.start();
      access.start();
      run();
    },
    runOnce: async () => {
      await engine.poller.pollOnce();
      const snapshot = engine.poller.latest();
      await engine.exposition.commit(snapshot);
      const { body } = await engine.exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
      const chunks = Buffer.isBuffer(body) ? [body] : await Array.fromAsync(body);
      const page = Buffer.concat(chunks).toString();
      return { page, up: /^license_up 1$/m.test(page) };
    },
    reload: async (config) => {
      takeStorage(config);
      const old = engine;
      const isSameAnalyzer = old.config.analyzer.url === config.analyzer.url;
      await end(old);
      for (const name of Object.keys(retired) as (keyof typeof retired)[]) retired[name] += old.dispatcher.stats[name];
      engine = createEngine(
        config,
        isSameAnalyzer ? { data: old.poller.latest(), alerts: old.alerting?.states() } : undefined,
      );
      access.reload(config);
      if (restartOnly(config) !== restartOnly(initial)) {
        log.warn({}, 'web.listen_address, web.telemetry_path and datasource.path need a restart to change');
      }
      self.setReload(true, now());
      log.info({}, 'configuration reloaded');
      run();
    },
    refuseReload: () => self.setReload(false, now()),
    stop: async () => {
      access.stop();
      await end(engine);
      await web.stop();
      storage?.release();
    },
    addresses: () => web.addresses(),
  };
}
