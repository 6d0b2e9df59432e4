import { pageHtml, type Site } from '../../base/html/frame.ts';
import { type Html, html } from '../../base/html/html.ts';
import { listenerPaths } from './listener-paths.ts';

/** The paths of a web server. */
export interface Paths {
  readonly telemetryPath: string;
  /** A path of another room, and its description. */
  readonly mounts: readonly { readonly path: string; readonly about: string | undefined }[];
}

/** Links to all paths that have a description, relative to `/`. */
export function pathList({ telemetryPath, mounts }: Paths): Html {
  const paths = [
    { ...listenerPaths.metrics, path: telemetryPath },
    ...mounts.filter(({ about }) => about !== undefined),
    listenerPaths.healthy,
    listenerPaths.ready,
  ];
  const items = paths.map(({ path, about }) => html`<li><a href="${path.slice(1)}">${path}</a><p>${about}</p></li>\n`);
  return html`<ul class="rows two">\n${items}</ul>`;
}

/** The page at `/` of a process without a page of its own there. */
export function landingPage({ site, ...paths }: Paths & { readonly site: Site }): string {
  const content = html`<h1>license-exporter</h1>
<p>Usage and expiry of floating licenses for Prometheus, Alertmanager and Grafana, from the License Monitoring Query API.</p>
${pathList(paths)}`;
  return pageHtml(site, { title: 'Start', path: './' }, content);
}
