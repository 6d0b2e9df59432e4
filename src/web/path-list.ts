import { type Html, html } from '../html/html.ts';
import { listenerPaths } from '../model/listener-paths.ts';

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
