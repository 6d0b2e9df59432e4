import { assets } from '../../base/html/assets.ts';
import type { PageLink } from '../../base/html/frame.ts';
import { refuseAsJson } from '../grafana/protocols/api-error.ts';
import type { createDatasource } from '../grafana/protocols/routes.ts';
import { type ListedPath, listenerPaths } from '../web/listener-paths.ts';
import type { PageContext } from './page.ts';
import type { Routes } from './routes.ts';

/** Every path for people and programs: the one table for the listener, the navigation, the documentation and the settings. */

export interface PagePath extends ListedPath {
  /** Its place in the navigation, and its title there and at the top of the browser; `undefined` if it is not there. */
  readonly menu: { readonly place: number; readonly title: string } | undefined;
  /** Whether the first page lists it for other programs. */
  readonly isListed: boolean;
  readonly routes: PageRoutes | GrafanaRoutes;
}

/** The routes of a page, whose files are read for the first request. */
interface PageRoutes {
  /** The keys of its routes. */
  readonly paths: readonly string[];
  readonly load: () => Promise<(context: PageContext, link: PageLink) => Routes>;
  /** The format of refusals there if it is not text. */
  readonly refuse?: typeof refuseAsJson;
}

/** Routes of all methods, which read bodies and have errors of their own. */
interface GrafanaRoutes {
  readonly plugin: () => Promise<(context: PageContext) => ReturnType<typeof createDatasource>>;
}

/** What paths have in common: those of people, and those of programs. */
const reading = { methods: 'GET, HEAD', readers: 'users', isListed: false, menu: undefined } as const;
const listed = { ...reading, isListed: true } as const;

/** In the order in which the first page lists them. A path that is below another one comes before it. */
export const pages = {
  status: {
    ...reading,
    path: '/',
    menu: { place: 1, title: 'Status' },
    about: 'What a license administrator asks first. The command `analyzer` has links only.',
    routes: { paths: ['/'], load: async () => (await import('./status/route.ts')).statusRoutes },
  },
  vendorLicense: {
    ...reading,
    path: '/vendor-license',
    about: 'A vendor license: its server and its features.',
    routes: { paths: ['/'], load: async () => (await import('./vendor-license/route.ts')).vendorLicenseRoutes },
  },
  feature: {
    ...reading,
    path: '/feature',
    about: 'A feature: what is in use, who holds it, and its last 30 days.',
    routes: { paths: ['/'], load: async () => (await import('./feature/route.ts')).featureRoutes },
  },
  alerts: {
    ...listed,
    path: '/alerts',
    menu: { place: 2, title: 'Alerts' },
    about: 'Alerts that fire now, and their delivery.',
    routes: { paths: ['/'], load: async () => (await import('./alerts/route.ts')).alertsRoutes },
  },
  reclaim: {
    ...listed,
    path: '/reclaim',
    menu: { place: 3, title: 'Reclaim' },
    about: 'Licenses that could come back now, of features for which people wait first.',
    routes: { paths: ['/'], load: async () => (await import('./reclaim/route.ts')).reclaimRoutes },
  },
  runbooks: {
    ...listed,
    path: '/runbooks',
    menu: { place: 7, title: 'Runbooks' },
    about: 'What each alert means, and what to check.',
    routes: { paths: ['/'], load: async () => (await import('./runbooks/route.ts')).runbooksRoutes },
  },
  sources: {
    ...listed,
    path: '/sources',
    menu: { place: 6, title: 'Sources' },
    about: 'License managers that the analyzer collects from, and their problems.',
    routes: { paths: ['/', '/status.json'], load: async () => (await import('./sources/route.ts')).sourcesRoutes },
  },
  rightsizing: {
    ...listed,
    path: '/rightsizing',
    menu: { place: 4, title: 'Right-sizing' },
    about: 'How many licenses could go, are missing or run out.',
    routes: { paths: ['/'], load: async () => (await import('./rightsizing/route.ts')).rightsizingRoutes },
  },
  contracts: {
    ...listed,
    path: '/contracts',
    menu: { place: 5, title: 'Contracts' },
    about: 'By when to act on renewals, notices and expiries, what they are worth, and whose they are.',
    routes: { paths: ['/'], load: async () => (await import('./contracts/route.ts')).contractsRoutes },
  },
  csv: {
    ...listed,
    path: '/expirations.csv',
    about: 'Which licenses expire when, as a table.',
    routes: { paths: ['/'], load: async () => (await import('./expiries/route.ts')).csvRoutes },
  },
  ics: {
    ...listed,
    path: '/expirations.ics',
    about: 'The same, as a calendar.',
    routes: { paths: ['/'], load: async () => (await import('./expiries/route.ts')).icsRoutes },
  },
  rightsizingApi: {
    ...reading,
    path: '/api/v1/rightsizing',
    about: 'The advice on the number of licenses, as JSON and CSV.',
    routes: {
      paths: ['/'],
      load: async () => (await import('../grafana/protocols/rightsizing-api.ts')).rightsizingApiRoutes,
      refuse: refuseAsJson,
    },
  },
  contractsApi: {
    ...reading,
    path: '/api/v1/contracts',
    about: 'The contracts as JSON, CSV and calendar.',
    routes: {
      paths: ['/'],
      load: async () => (await import('./contracts/api.ts')).contractsApiRoutes,
      refuse: refuseAsJson,
    },
  },
  api: {
    ...reading,
    path: '/api/v1',
    about: 'Below it `alerts`, `rules` and `attention`, as the JSON of Prometheus.',
    routes: {
      paths: ['/alerts', '/attention', '/rules'],
      load: async () => (await import('./api/route.ts')).apiRoutes,
      refuse: refuseAsJson,
    },
  },
  grafana: {
    ...listed,
    methods: 'GET, HEAD, POST',
    path: '/grafana',
    about: 'History, users and the last poll as JSON, for Grafana.',
    routes: {
      plugin: async () => {
        const routes = await import('../grafana/protocols/routes.ts');
        return (context) =>
          routes.createDatasource({
            ...context,
            answerBrowser: async (...request) =>
              (await import('./grafana/data-source-page.ts')).answerBrowser(context, ...request),
          });
      },
    },
  },
} as const satisfies Readonly<Record<string, PagePath>>;

/** The name of a page, by which the configuration and the menu find its path. */
export type PageName = keyof typeof pages;

/** The link of a page, relative to the first one. */
export const linkOf = ({ path, menu }: Pick<PagePath, 'path' | 'menu'>): PageLink => ({
  path: path === '/' ? './' : path.slice(1),
  title: menu?.title ?? path,
});

/** The pages that a daemon has, by name. @param isCollecting whether an analyzer in this process has sources */
export const pagesOf = (isCollecting: boolean): readonly (readonly [PageName, PagePath])[] =>
  (Object.entries(pages) as [PageName, PagePath][]).filter(([name]) => isCollecting || name !== 'sources');

/** The links of the navigation, in order. @param people whether there is something at `/reclaim` */
export const navigationOf = (isCollecting: boolean, people: boolean): readonly PageLink[] =>
  pagesOf(isCollecting)
    .filter(([name]) => people || name !== 'reclaim')
    .flatMap(([, page]) => (page.menu === undefined ? [] : [{ link: linkOf(page), place: page.menu.place }]))
    .sort((a, b) => a.place - b.place)
    .map(({ link }) => link);

/** The paths that a setting can move. */
const movable: readonly string[] = [pages.grafana.path, listenerPaths.metrics.path];

/** What a path that a setting moves must not be: the other paths. What is below them is theirs too. */
export const reservedPaths: readonly string[] = [
  ...[...Object.values(pages), ...Object.values(listenerPaths)].map(({ path }) => path.replace(/^\/-\/.*/, '/-')),
  ...Object.keys(assets).map((name) => `/${name}`),
]
  .filter((path, at, all) => path !== '/' && !movable.includes(path) && all.indexOf(path) === at)
  .filter((path, _, all) => !all.some((other) => path.startsWith(`${other}/`)))
  .sort();
