import type { Site } from '../../base/html/frame.ts';
import type { Log } from '../../base/model/log.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import { analyzerIdentity } from '../../exporter/client/identity.ts';
import { createSourceExposition } from '../../exporter/metrics/source-exposition.ts';
import { lazyPlugin } from '../../site/pages/routes.ts';
import { linkOf, pages } from '../../site/pages/table.ts';
import type { Reload } from '../../site/web/reload.ts';
import { createWebServer, type Mount, type WebServer } from '../../site/web/server.ts';
import type { Config } from '../config/config.ts';
import { externalUrl } from '../config/listeners.ts';
import type { WebAccess } from '../config/web-access.ts';

/** The page of sources. */
const sourcesMount = (
  sources: () => readonly SourceHealth[],
  recording: () => RecordingHealth,
  now: () => number,
  site: Site,
): Mount => ({
  path: pages.sources.path,
  about: pages.sources.about,
  plugin: lazyPlugin(pages.sources.routes.paths, async () => {
    const sourcesRoutes = await pages.sources.routes.load();
    return sourcesRoutes({ site, now, collecting: { sources, recording } }, linkOf(pages.sources));
  }),
});

/** What the pages of an analyzer without an exporter show. */
export interface AnalyzerWebDeps {
  readonly access: WebAccess;
  readonly health: () => readonly SourceHealth[];
  readonly recording: () => RecordingHealth;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly version: string;
  readonly revision: string;
  readonly log: Log;
  readonly reload: Reload['run'];
}

/** The HTTP server of the command `analyzer` for its metrics and its sources. The Query API has a listener of its own. */
export interface AnalyzerWeb extends Pick<WebServer, 'addresses'> {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Undefined if no address is configured. @param config the one in use, which a reload replaces */
export function createAnalyzerWeb(config: () => Config, deps: AnalyzerWebDeps): AnalyzerWeb | undefined {
  const {
    web: { telemetryPath },
    embeddedAnalyzer: { webListenAddress },
  } = config();
  if (webListenAddress === undefined) return undefined;
  const { access, health, recording, now, version, revision, log, reload } = deps;
  const site: Site = {
    demo: false,
    version,
    links: [{ path: './', title: 'Start' }, linkOf(pages.sources)],
  };
  const web = createWebServer({
    listen: [webListenAddress],
    listenSetting: 'embedded_analyzer.web_listen_address',
    telemetryPath,
    site,
    metricsPage: createSourceExposition({
      version,
      revision,
      nodeVersion: process.version,
      sources: health,
      recording,
      identity: () => ({
        // this process is the analyzer, also if it polls another one as an exporter
        ...analyzerIdentity({ ...config(), analyzer: undefined }),
        externalUrl: externalUrl({ ...config().web, listen: [webListenAddress] }),
      }),
    }),
    access: () => access.current(),
    mounts: [sourcesMount(health, recording, now, site)],
    isReady: () => true,
    protectHealth: () => config().web.protectHealth,
    reload: { isEnabled: () => config().web.enableLifecycle, run: reload },
    log,
  });
  return {
    addresses: () => web.addresses(),
    start: async () => {
      await web.start();
      access.start(web.refreshCertificates);
    },
    stop: async () => {
      access.stop();
      await web.stop();
    },
  };
}
