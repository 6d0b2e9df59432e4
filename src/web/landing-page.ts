import { pageHtml, type Site } from '../html/frame.ts';
import { type Html, html } from '../html/html.ts';

export interface LandingPageOptions {
  readonly telemetryPath: string;
  /** A path of another room, and its description. */
  readonly mounts: readonly { readonly path: string; readonly about: string | undefined }[];
  readonly site: Site;
}

/** Links to all paths that have a description, relative to `/`. */
export function pathList({ telemetryPath, mounts }: Omit<LandingPageOptions, 'site'>): Html {
  const paths = [
    { path: telemetryPath, about: 'Metrics, in the text format or OpenMetrics.' },
    ...mounts.filter(({ about }) => about !== undefined),
    { path: '/-/healthy', about: 'Whether the process answers.' },
    { path: '/-/ready', about: 'Whether the first poll has ended.' },
  ];
  const items = paths.map(({ path, about }) => html`<li><a href="${path.slice(1)}">${path}</a><p>${about}</p></li>\n`);
  return html`<ul class="rows two">\n${items}</ul>`;
}

/** The page at `/` of a process without a page of its own there. */
export function landingPage({ site, ...paths }: LandingPageOptions): string {
  const content = html`<h1>license-exporter</h1>
<p>Usage and expiry of floating licenses for Prometheus, Alertmanager and Grafana, from the License Monitoring Query API.</p>
${pathList(paths)}`;
  return pageHtml(site, { title: 'Start', path: './' }, content);
}
