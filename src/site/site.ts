import type { FastifyRequest } from 'fastify';
import { StoreError } from '../analyzer/history/history-file.ts';
import type { RecordedDemand } from '../analyzer/history/recorded-demand.ts';
import type { Site } from '../base/html/frame.ts';
import type { Log } from '../base/model/log.ts';
import type { RecordingHealth } from '../base/model/observation/recording.ts';
import type { SourceHealth } from '../base/model/observation/source.ts';
import type { Backend } from './grafana/answers/backend.ts';
import type { DenialSource } from './pages/denied.ts';
import type { PageContext } from './pages/page.ts';
import { lazyPlugin } from './pages/routes.ts';
import { linkOf, navigationOf, type PagePath, pagesOf } from './pages/table.ts';
import { pathList } from './web/landing-page.ts';
import type { Mount } from './web/server.ts';
import type { Config } from '../program/config/config.ts';
import { externalUrl } from '../alerting/alerting.ts';
import { alertCountsOf, collectionTimes, hasDenials } from '../program/app/attention.ts';
import { deniedToday, nameOf } from '../program/app/denials.ts';
import { shownName } from '../exporter/client/identity.ts';
import type { Pipeline } from '../program/app/pipeline.ts';

/** The routes of all rooms, and the pages among them. */

interface SiteDeps {
  readonly demo: boolean;
  readonly version: string;
  /** Of an analyzer in this process; `undefined` without one. */
  readonly sources?: () => readonly SourceHealth[];
}

/** What the pages have in common. */
export const siteOf = ({ demo, version, sources }: SiteDeps): Site => ({
  demo,
  version,
  links: navigationOf(sources !== undefined),
});

interface MountDeps {
  readonly pages: Site;
  /** The configuration at start, because a reload does not change paths. */
  readonly initial: Config;
  /** The current one, which a reload replaces. */
  readonly pipeline: () => Pipeline;
  readonly sources: (() => readonly SourceHealth[]) | undefined;
  readonly recording: (() => RecordingHealth) | undefined;
  readonly recorded: RecordedDemand | undefined;
  /** The data for the user of a request. */
  readonly backend: (request: FastifyRequest) => Backend;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

function denialSource({ config, passInputs }: Pipeline, recorded: RecordedDemand | undefined): DenialSource {
  if (recorded !== undefined) return { kind: 'recorded', today: () => deniedToday(recorded, passInputs.owns) };
  return { kind: hasDenials(config) ? 'polled' : 'not polled' };
}

function importedOf(recorded: RecordedDemand | undefined): PageContext['imported'] {
  if (recorded === undefined) return () => [];
  return (vendorLicense, feature) => {
    try {
      return recorded
        .series()
        .filter((series) => series.feature === feature && nameOf(series.vendorLicense) === vendorLicense)
        .flatMap(recorded.imported);
    } catch (error) {
      if (error instanceof StoreError) return [];
      throw error;
    }
  };
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

/** The routes of all rooms, by the paths of the configuration. */
export function createMounts({
  pages,
  initial,
  pipeline,
  sources,
  recording,
  recorded,
  backend,
  now,
  log,
}: MountDeps): readonly Mount[] {
  const deadline = (): number => pipeline().config.datasource.deadline;
  const collecting = sources && recording && { sources, recording };
  const offered = pagesOf(collecting !== undefined).map(([name, page]) => {
    const isGrafana = name === 'grafana';
    return {
      page,
      path: isGrafana ? initial.datasource.path : page.path,
      about: page.isListed ? page.about : undefined,
      ...(isGrafana && { deadline }),
    };
  });
  const context: PageContext = {
    site: pages,
    backend,
    deadline,
    onProblem: (error) => log.error({ err: error }, 'request from Grafana failed'),
    now,
    url: () => externalUrl(pipeline().config),
    analyzer: () => shownName(pipeline().config),
    engine: () => pipeline().alerting.status(),
    alertCounts: () => alertCountsOf(pipeline().alerting.status()),
    receivers: () => pipeline().messages.status(),
    runbooks: () => pipeline().config.alerting.runbookBaseUrl ?? 'runbooks',
    collectedAt: () => collectionTimes(pipeline().inventory.latest()),
    denials: () => denialSource(pipeline(), recorded),
    collecting,
    imported: importedOf(recorded),
    interfaces: pathList({ telemetryPath: initial.web.telemetryPath, mounts: offered }),
  };
  return offered.map(({ page, ...mount }) => ({ ...mount, ...routesOf(page, context) }));
}
