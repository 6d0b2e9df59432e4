import { hostname } from 'node:os';
import type { Explanation } from '../../base/model/operator-error.ts';
import type { Config, ListenerConfig } from './config.ts';

/** Listeners that are open to everyone on the network. */

/** Addresses that mean every address of the host. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The URL of the daemon for users: as configured, else from the first listen address, else from the host name. */
export function externalUrl(web: Pick<ListenerConfig, 'listen' | 'access' | 'externalUrl'>): string {
  const [{ host, port } = { host: undefined, port: 0 }] = web.listen;
  const name = host === undefined || EVERYWHERE.has(host) ? hostname() : host;
  const scheme = web.access?.tls === undefined ? 'http' : 'https';
  return web.externalUrl ?? `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const ALL: readonly (string | undefined)[] = [undefined, '0.0.0.0', '::'];

/** Whether only clients with a password or a certificate of the client CA are served. A trusted proxy closes nothing for others. */
const isProtected = ({ access }: Config['web']): boolean =>
  access !== undefined && (access.users.size > 0 || access.tls?.clientAuth === 'RequireAndVerifyClientCert');

/** Who can read what the daemon serves, if that is everyone on the network; `undefined` otherwise. */
export function exposureOf(web: Config['web']): Explanation | undefined {
  const open = web.listen.find(({ host }) => ALL.includes(host));
  if (open === undefined || isProtected(web)) return undefined;
  return {
    finding: `every client that reaches port ${open.port} can read licenses, owners and alerts: web.listen_address is on all addresses, and no password is required`,
    remedy: `add users to web.config_file, or set web.listen_address to one address, such as 127.0.0.1:${open.port}`,
  };
}
