import { hostname } from 'node:os';
import type { Explanation } from '../../base/model/operator-error.ts';
import type { Config, ListenerConfig } from './config.ts';

/** Under which address people reach the daemon, and which of its listeners are open to everyone on the network. */

/** Whether an address means every address of the host. */
const isEverywhere = (host: string | undefined): host is undefined | '0.0.0.0' | '::' =>
  host === undefined || host === '0.0.0.0' || host === '::';

/** The URL of the daemon for users: as configured, else from the first listen address, else from the host name. */
export function externalUrl(web: Pick<ListenerConfig, 'listen' | 'access' | 'externalUrl'>): string {
  const [{ host, port } = { host: undefined, port: 0 }] = web.listen;
  const name = isEverywhere(host) ? hostname() : host;
  const scheme = web.access?.tls === undefined ? 'http' : 'https';
  return web.externalUrl ?? `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * Where people open the daemon: as configured, else the addresses that it listens on. One that means every address of the host is the
 * name of the host, and `localhost` on it, which no certificate has.
 *
 * @param addresses such as `http://[::]:10319`
 */
export function openAddresses(
  configured: string | undefined,
  addresses: readonly string[],
): readonly [string, ...string[]] {
  if (configured !== undefined) return [configured];
  const opened = addresses.flatMap((address) => {
    const [, scheme, port] = /^(https?):\/\/(?:\[::\]|0\.0\.0\.0):(\d+)$/.exec(address) ?? [];
    if (scheme === undefined) return [address];
    const names = scheme === 'http' ? ['localhost', hostname()] : [hostname(), 'localhost'];
    return names.map((name) => `${scheme}://${name}:${port}`);
  });
  const [first = '', ...others] = new Set(opened);
  return [first, ...others];
}

/** Whether only clients with a password or a certificate of the client CA are served. A trusted proxy closes nothing for others. */
const isProtected = ({ access }: Config['web']): boolean =>
  access !== undefined && (access.users.size > 0 || access.tls?.clientAuth === 'RequireAndVerifyClientCert');

/** Who can read what the daemon serves, if that is everyone on the network; `undefined` otherwise. */
export function exposureOf(web: Config['web']): Explanation | undefined {
  const open = web.listen.find(({ host }) => isEverywhere(host));
  if (open === undefined || isProtected(web)) return undefined;
  return {
    finding: `every client that reaches port ${open.port} can read licenses, owners and alerts: web.listen_address is on all addresses, and no password is required`,
    remedy: `add users to web.config_file, or set web.listen_address to one address, such as 127.0.0.1:${open.port}`,
  };
}
