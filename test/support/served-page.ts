import Fastify from 'fastify';
import type { Site } from '../../src/base/html/frame.ts';
import { lazyPlugin, type Routes } from '../../src/site/pages/routes.ts';
import { serveAssets } from '../../src/site/web/page-answers.ts';
import type { Cleanup } from './harness.ts';

/** Pages without a daemon, with what they load. */

export const testSite: Site = {
  demo: false,
  version: '0.0.0',
  links: [
    { path: './', title: 'Status' },
    { path: 'alerts', title: 'Alerts' },
  ],
};

/** Serves the routes of a page below a path on a free port. @returns the URL of the server */
export async function servePage(cleanup: Cleanup, path: string, routes: Routes): Promise<string> {
  const app = Fastify();
  cleanup.add(() => app.close());
  await app.register(serveAssets);
  await app.register(
    lazyPlugin(Object.keys(routes), async () => routes),
    { prefix: path },
  );
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** The text of a page below its title in the head, without markup. */
export const textOf = (page: string): string =>
  page
    .slice(page.indexOf('<main'), page.indexOf('</main>'))
    // a day in a sentence
    .replace(/<\/?time[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ')
    .trim();
