import type { Site } from '../html/frame.ts';
import type { RecordingHealth } from '../model/observation/recording.ts';
import type { SourceHealth } from '../model/observation/source.ts';
import { lazyPlugin } from '../pages/routes.ts';
import { linkOf, pages } from '../pages/table.ts';
import type { Mount } from '../web/server.ts';

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
