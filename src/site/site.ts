import { countsByClass } from '../alerting/alerts/alert-classes.ts';
import { attentionItems } from '../alerting/alerts/attention.ts';
import type { AlertEngine } from '../alerting/alerts/engine.ts';
import { type EngineStatus, isEvaluatedLately, withoutData } from '../alerting/alerts/engine-status.ts';
import type { Messages } from '../alerting/messages/messages.ts';
import type { Site } from '../base/html/frame.ts';
import { createLocalTime } from '../base/model/local-time.ts';
import type { Log } from '../base/model/log.ts';
import type { RecordingHealth } from '../base/model/observation/recording.ts';
import type { SourceHealth } from '../base/model/observation/source.ts';
import type { OwnerMapping } from '../base/model/owners.ts';
import { limitRepeats } from '../base/model/repeat-log.ts';
import type { AnalyzerConfig } from '../base/settings/analyzer.ts';
import { type Identified, shownName } from '../exporter/client/identity.ts';
import type { Exporter } from '../exporter/exporter.ts';
import type { Inventory } from '../exporter/inventory/inventory.ts';
import { type PollingConfig, polledHistory } from '../exporter/poll/settings.ts';
import type { ProposalSource } from '../insight/advice/pass/proposals.ts';
import type { Attention, SharedBackend } from './grafana/answers/backend.ts';
import { createUpstreamCache } from './grafana/answers/upstream-cache.ts';
import type { DenialSource } from './pages/denied.ts';
import type { AlertCounts, PageContext } from './pages/page.ts';
import { pollProblem } from './pages/poll-list.ts';
import { lazyPlugin } from './pages/routes.ts';
import { linkOf, navigationOf, type PagePath, pagesOf } from './pages/table.ts';
import type { AccessSection, DatasourceConfig, WebSection } from './settings.ts';
import { createBackendOf } from './viewers.ts';
import { pathList } from './web/landing-page.ts';
import type { Reload } from './web/reload.ts';
import { createWebServer, type Mount, type WebOptions, type WebServer } from './web/server.ts';

/** Wires what is served: the listener, the routes for Grafana, and the pages. */

/**
 * How many alerts fire or are pending; `undefined` until the rules have been evaluated.
 *
 * @param inventory what they are evaluated over
 * @param now epoch seconds
 */
export function alertCountsOf(
  status: EngineStatus,
  inventory: Inventory | undefined,
  now: number,
): AlertCounts | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const { critical, warning, info, pending } = countsByClass(status.alerts);
  const isPolled = inventory !== undefined && pollProblem(inventory) === undefined;
  const isZeroKnown = isPolled && isEvaluatedLately(status, now);
  return { critical, warning, info, pending, withoutData: withoutData(status).length, isZeroKnown };
}

/**
 * What needs attention, for Grafana and the pages; `undefined` until the rules have been evaluated.
 *
 * @param now epoch seconds
 */
export function attentionOf(status: EngineStatus, now: number): Attention | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const rows = attentionItems({ status, now });
  return { rows, withoutData: withoutData(status).length };
}

/** What the listener and its routes read of the configuration. */
export interface SiteConfig extends Identified {
  readonly analyzer: AnalyzerConfig | undefined;
  readonly web: Pick<WebSection, 'telemetryPath' | 'protectHealth' | 'enableLifecycle'> & {
    readonly listen: WebSection['listenAddress'];
  };
  readonly access: AccessSection;
  readonly people: boolean;
  readonly datasource: DatasourceConfig;
  readonly alerting: { readonly runbookBaseUrl: string | undefined };
  readonly metrics: PollingConfig['metrics'];
  readonly history: PollingConfig['history'];
}

/** What a reload replaces, as it is now. */
export interface Served {
  readonly config: SiteConfig;
  readonly exporter: Exporter;
  readonly engine: Pick<AlertEngine, 'status'>;
  readonly messages: Pick<Messages, 'status'>;
  readonly backend: SharedBackend;
}

/** What the site shows of others. */
export interface SiteNeighbors
  extends Pick<WebOptions, 'metricsPage' | 'access' | 'isReady'>,
    Pick<PageContext, 'url' | 'imported'> {
  readonly demo: boolean;
  readonly version: string;
  readonly served: () => Served;
  /** Of an analyzer in this process; `undefined` without one. */
  readonly sources: (() => readonly SourceHealth[]) | undefined;
  readonly recording: (() => RecordingHealth) | undefined;
  /** The denials that an analyzer in this process records; `undefined` without one. */
  readonly deniedToday: Extract<DenialSource, { readonly kind: 'recorded' }>['today'] | undefined;
  /** What a request to reload does; `undefined` if there is nothing to reload. */
  readonly reload: Reload['run'] | undefined;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** The routes of a path. */
function routesOf({ routes, ...page }: PagePath, context: PageContext): Pick<Mount, 'plugin' | 'refuse'> {
  if ('load' in routes) {
    const { paths, load, refuse } = routes;
    return { plugin: lazyPlugin(paths, async () => (await load())(context, linkOf(page))), ...(refuse && { refuse }) };
  }
  let datasource: ReturnType<Awaited<ReturnType<typeof routes.plugin>>> | undefined;
  return {
    plugin: async (app) => {
      datasource = (await routes.plugin())(context);
      await datasource.plugin(app);
    },
    refuse: (...refusal) => datasource?.refuse(...refusal),
  };
}

/** The data behind Grafana and the pages, for one configuration. */
export function createBackend(
  { datasource }: Pick<SiteConfig, 'datasource'>,
  neighbors: {
    readonly exporter: Pick<Exporter, 'asked' | 'concurrency' | 'inventory'>;
    readonly engine: Pick<AlertEngine, 'status'>;
    readonly proposals: ProposalSource;
    readonly owners: () => OwnerMapping;
    readonly isSaturated: SharedBackend['isSaturated'];
    readonly isAnalyzerHere: boolean;
    readonly waits: SharedBackend['waits'];
    readonly now: () => number;
  },
): SharedBackend {
  const { exporter, engine, proposals, owners, isSaturated, isAnalyzerHere, waits, now } = neighbors;
  const { asked, concurrency, inventory } = exporter;
  return {
    inventory: () => inventory.latest(),
    attention: () => attentionOf(engine.status(), now()),
    upstream: createUpstreamCache({ client: asked, connections: concurrency, cacheTtl: datasource.cacheTtl, now }),
    isAnalyzerHere,
    users: { pseudonymKey: datasource.pseudonymKey?.reveal() },
    owners,
    isSaturated,
    proposals,
    waits,
    localTime: createLocalTime(datasource.timeZone),
    now,
  };
}

/** The routes of all rooms, by the paths of the configuration at start: a reload does not change them. */
export function createMounts(
  initial: SiteConfig,
  site: Site,
  neighbors: SiteNeighbors,
  limitedLog: Log,
): readonly Mount[] {
  const { served, sources, recording, deniedToday, now, log } = neighbors;
  const deadline = (): number => served().config.datasource.deadline;
  const collecting = sources && recording && { sources, recording };
  const offered = pagesOf(collecting !== undefined).map(([name, page]) => {
    const isGrafana = name === 'grafana';
    return {
      page,
      path: isGrafana ? initial.datasource.path : page.path,
      about: page.isListed && (initial.people || name !== 'reclaim') ? page.about : undefined,
      ...(isGrafana && { deadline }),
    };
  });
  const context: PageContext = {
    site,
    backend: createBackendOf({
      // what decides who may see what: the addresses at start, because a reload does not change them
      site: () => ({
        access: served().config.access,
        listen: initial.web.listen,
        demo: neighbors.demo,
        web: neighbors.access(),
      }),
      datasource: () => served().backend,
      log,
    }),
    deadline,
    onProblem: (error) => limitedLog.error({ err: error }, 'request from Grafana failed'),
    now,
    url: neighbors.url,
    analyzer: () => shownName(served().config),
    engine: () => served().engine.status(),
    alertCounts: () => {
      const { engine, exporter } = served();
      return alertCountsOf(engine.status(), exporter.inventory.latest(), now());
    },
    receivers: () => served().messages.status(),
    series: () => served().exporter.exposition.seriesByMetric(),
    runbooks: () => served().config.alerting.runbookBaseUrl ?? 'runbooks',
    denials: () => {
      if (deniedToday !== undefined) return { kind: 'recorded', today: deniedToday };
      return { kind: polledHistory(served().config).length > 0 ? 'polled' : 'not polled' };
    },
    people: initial.people,
    collecting,
    imported: neighbors.imported,
    interfaces: pathList({ telemetryPath: initial.web.telemetryPath, mounts: offered }),
  };
  return offered.map(({ page, ...mount }) => ({ ...mount, ...routesOf(page, context) }));
}

/** The HTTP server with all routes. It does not listen yet. @param initial the configuration at start */
export function createSite(initial: SiteConfig, neighbors: SiteNeighbors): WebServer {
  const { served, reload } = neighbors;
  const log = limitRepeats(neighbors.log);
  const site: Site = {
    demo: neighbors.demo,
    version: neighbors.version,
    links: navigationOf(neighbors.sources !== undefined, initial.people),
  };
  return createWebServer({
    listen: initial.web.listen,
    telemetryPath: initial.web.telemetryPath,
    site,
    metricsPage: neighbors.metricsPage,
    access: neighbors.access,
    mounts: createMounts(initial, site, neighbors, log),
    isReady: neighbors.isReady,
    prepare: () => served().exporter.inventory.refresh(),
    protectHealth: () => served().config.web.protectHealth,
    reload: reload && { isEnabled: () => served().config.web.enableLifecycle, run: reload },
    log,
  });
}
