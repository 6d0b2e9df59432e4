import type { FastifyRequest } from 'fastify';
import type { Log } from '../base/model/log.ts';
import type { Backend, SharedBackend } from './grafana/answers/backend.ts';
import { type AccessSection, EVERYONE, GROUP, type WebSection } from './settings.ts';
import type { Access } from './web/access.ts';
import { viewerOf } from './web/server.ts';
import type { Viewer } from './web/trusted-proxy.ts';

/** Who may see names of license users, prices, and how checkouts are taken back, and who has seen some. */

interface Site {
  readonly access: AccessSection;
  /** The addresses of the listeners. */
  readonly listen: WebSection['listenAddress'];
  readonly demo: boolean;
  /** The users of the web config, and the proxy that names others. */
  readonly web: Pick<Access, 'users' | 'proxy'>;
}

const isLoopback = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);

/** Loopback counts only in the demo: a reverse proxy on the same host makes every client local. */
const isDemoOnLoopback = ({ demo, listen }: Site): boolean => demo && listen.every(({ host }) => isLoopback(host));

/** An entry is a group, or a user: a user whose name looks like a group is neither. */
function isListed(list: readonly string[], viewer: Viewer | undefined): boolean {
  if (list.includes(EVERYONE)) return true;
  if (viewer === undefined) return false;
  const { user, groups } = viewer;
  return (!user.startsWith(GROUP) && list.includes(user)) || groups.some((group) => list.includes(`${GROUP}${group}`));
}

/** Whether a request can have a user. */
const hasUsers = ({ web: { users, proxy } }: Site): boolean => users.size > 0 || proxy !== undefined;

const ADD_USERS = 'add users to web.config_file (basic_auth_users), or set web.trusted_proxy';

/** What to do about a list that is empty by default. */
const remedyOf = (site: Site): string => (hasUsers(site) ? 'add the user there' : `${ADD_USERS}, and list them there`);

/** Why names of license users are not served; `undefined` if they are. @param viewer the user of the request */
export function refusalOfNames(site: Site, viewer: Viewer | undefined): string | undefined {
  const { names } = site.access;
  if (names !== 'auto') {
    return isListed(names, viewer)
      ? undefined
      : 'names of users are not served here: access.names does not list the user of this request; add the user there';
  }
  if (viewer !== undefined || isDemoOnLoopback(site)) return undefined;
  return `names of users are personal data and only served to authenticated users: ${ADD_USERS}; access.names can list those of them who may see names`;
}

/** Why prices are not shown; `undefined` if they are. @param viewer the user of the request */
export function refusalOfPrices(site: Site, viewer: Viewer | undefined): string | undefined {
  const { prices } = site.access;
  if (prices === 'auto' ? isDemoOnLoopback(site) : isListed(prices, viewer)) return undefined;
  return `prices are not shown: access.prices does not list the user of this request; ${remedyOf(site)}`;
}

/**
 * Why it is not shown who holds licenses that could come back, and how they do; `undefined` if it is. A user who sees it needs no right to
 * names besides.
 *
 * @param viewer the user of the request
 */
export function refusalOfReclaim(site: Site, viewer: Viewer | undefined): string | undefined {
  const { reclaim } = site.access;
  if (reclaim === 'auto' ? isDemoOnLoopback(site) : isListed(reclaim, viewer)) return undefined;
  return `who holds them, and how they come back, is not shown: access.reclaim does not list the user of this request; ${remedyOf(site)}`;
}

/** What the data for the user of a request depends on. */
interface Viewing {
  readonly site: () => Site;
  readonly datasource: () => SharedBackend;
  readonly log: Log;
}

/**
 * The data for the user of a request. Each answer with names or prices is one line of the log, which has none of them. In the demo, whose
 * names and prices are made up, it is only for who debugs.
 */
export function createBackendOf({ site, datasource, log }: Viewing): (request: FastifyRequest) => Backend {
  return (request) => {
    const viewer = viewerOf(request);
    const { users, ...shared } = datasource();
    const who = { ...(viewer !== undefined && { user: viewer.user }), page: request.routeOptions.url };
    const logged =
      (what: 'names' | 'prices', message: string) =>
      (count: number): void => {
        if (count > 0) log[site().demo ? 'debug' : 'info']({ ...who, [what]: count }, message);
      };
    return {
      ...shared,
      users: {
        ...users,
        refusal: () => refusalOfNames(site(), viewer),
        onServed: logged('names', 'names of license users served'),
      },
      reclaim: { refusal: () => refusalOfReclaim(site(), viewer) },
      prices: { refusal: () => refusalOfPrices(site(), viewer), onServed: logged('prices', 'prices served') },
    };
  };
}
