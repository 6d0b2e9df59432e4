import type { Site } from '../../base/html/frame.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import { lazyPlugin } from '../../site/pages/routes.ts';
import { linkOf, pages } from '../../site/pages/table.ts';
import type { Mount } from '../../site/web/server.ts';

/** The page of sources. */
export const sourcesMount = (
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
