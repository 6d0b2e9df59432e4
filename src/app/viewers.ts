import type { Config } from '../config/config.ts';
import { EVERYONE } from '../config/sections/access.ts';
import type { Access } from '../web/access.ts';

/** Who may see names of license users, and prices. */

interface Site {
  readonly access: Config['access'];
  /** The addresses of the listeners. */
  readonly listen: Config['web']['listen'];
  readonly demo: boolean;
  /** The users of the web config. */
  readonly users: Access['users'];
}

const isLoopback = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);

/** Loopback counts only in the demo: a reverse proxy on the same host makes every client local. */
const isDemoOnLoopback = ({ demo, listen }: Site): boolean => demo && listen.every(({ host }) => isLoopback(host));

const isListed = (list: readonly string[], user: string | undefined): boolean =>
  list.includes(EVERYONE) || (user !== undefined && list.includes(user));

/**
 * Why names of license users are not served; `undefined` if they are.
 *
 * @param user the authenticated user of the request
 */
export function refusalOfNames(site: Site, user: string | undefined): string | undefined {
  const { names } = site.access;
  if (names !== 'auto') {
    return isListed(names, user)
      ? undefined
      : 'names of users are not served here: access.names does not list the user of this request; add the user there';
  }
  if (site.users.size > 0 || isDemoOnLoopback(site)) return undefined;
  return (
    'names of users are personal data and only served to authenticated users: add users to web.config_file ' +
    '(basic_auth_users); access.names can list those of them who may see names'
  );
}

/**
 * Why prices are not shown; `undefined` if they are.
 *
 * @param user the authenticated user of the request
 */
export function refusalOfPrices(site: Site, user: string | undefined): string | undefined {
  const { prices } = site.access;
  if (prices === 'auto' ? isDemoOnLoopback(site) : isListed(prices, user)) return undefined;
  const remedy =
    site.users.size === 0
      ? 'add users to web.config_file (basic_auth_users), and list them there'
      : 'add the user there';
  return `prices are not shown: access.prices does not list the user of this request; ${remedy}`;
}
