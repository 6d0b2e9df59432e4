import { pageHtml, type Site } from '../html/frame.ts';
import { html } from '../html/html.ts';
import { type Paths, pathList } from './path-list.ts';

export interface LandingPageOptions extends Paths {
  readonly site: Site;
}

/** The page at `/` of a process without a page of its own there. */
export function landingPage({ site, ...paths }: LandingPageOptions): string {
  const content = html`<h1>license-exporter</h1>
<p>Usage and expiry of floating licenses for Prometheus, Alertmanager and Grafana, from the License Monitoring Query API.</p>
${pathList(paths)}`;
  return pageHtml(site, { title: 'Start', path: './' }, content);
}

/** The page of a path at which nothing is. @param path of the request, which can have any depth */
export const nothingPage = (site: Site, path: string): string => {
  const content = html`<h1>There is nothing at this path</h1>
<p>The address may be mistyped, or the page is gone. The pages of license-exporter are in the navigation at the top.</p>`;
  const root = '../'.repeat(path.split('/').length - 2);
  return pageHtml(site, { title: 'Nothing here', root }, content);
};
