import { assets } from './assets.ts';
import { type Content, type Html, html } from './html.ts';

/** The frame of all pages: head, navigation, and what every page must show. Links are relative, for daemons behind a path. */

/** Another page, in the navigation. */
export interface PageLink {
  /** Its path without the first slash; `./` for the first page. */
  readonly path: string;
  readonly title: string;
}

/** What the pages of a daemon have in common. */
export interface Site {
  /** Whether the pages must show that the data is simulated. */
  readonly demo: boolean;
  readonly version: string;
  readonly links: readonly PageLink[];
}

export interface Page {
  readonly title: string;
  /** The link of the navigation that leads here; `undefined` if none does. */
  readonly path?: string;
  /** Whether the page replaces its content once a minute. */
  readonly refreshes?: boolean;
  /** After how many seconds the browser loads the whole page again, because something is not ready; by default never. */
  readonly reloadsAfter?: number;
  /** The way from the page to the first one, such as `../`; by default it is beside it. */
  readonly root?: string;
}

/** How often a page refreshes itself, seconds. */
const REFRESH = 60;

const linkHtml = ({ path, title }: PageLink, current: string | undefined, root: string): Html =>
  html`<li><a href="${root}${path}"${path === current ? html` aria-current="page"` : undefined}>${title}</a></li>`;

/** A page up to its content. */
const pageStart = (
  site: Site,
  { title, path, refreshes = false, reloadsAfter, root = '' }: Page,
): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - license-exporter</title>
<link rel="icon" href="${root}${assets['favicon.svg'].url}">
<link rel="stylesheet" href="${root}${assets['style.css'].url}">
${
  refreshes
    ? html`<script src="${assets['refresh.js'].url}" data-seconds="${REFRESH}" defer></script>
<noscript><meta http-equiv="refresh" content="${REFRESH}"></noscript>`
    : undefined
}${reloadsAfter === undefined ? undefined : html`<meta http-equiv="refresh" content="${reloadsAfter}">`}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${root}./">license-exporter</a>
<nav aria-label="Pages"><ul>${site.links.map((link) => linkHtml(link, path, root))}</ul></nav>
</header>
${site.demo ? html`<aside class="demo" aria-label="Demo">Simulated data: this is the demo, no license server is monitored. Its week and time zone can differ from yours, so that it starts on a working morning.</aside>` : undefined}
<main id="content">
`;

/** The end of a page. */
const pageEnd = ({ version }: Site): Html => html`
</main>
<footer><p>license-exporter ${version}<span id="refreshed" role="status"></span></p></footer>
</body>
</html>
`;

/** A page that is written at once. */
export const pageHtml = (site: Site, page: Page, content: Content): string =>
  `${pageStart(site, page)}${html`${content}`}${pageEnd(site)}`;
