import { hostname } from 'node:os';
import type { ListenerConfig } from './config.ts';

/** Addresses that mean every address of the host. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The URL of the daemon for users: as configured, else from the first listen address, else from the host name. */
export function externalUrl(web: Pick<ListenerConfig, 'listen' | 'access' | 'externalUrl'>): string {
  const [{ host, port } = { host: undefined, port: 0 }] = web.listen;
  const name = host === undefined || EVERYWHERE.has(host) ? hostname() : host;
  const scheme = web.access?.tls === undefined ? 'http' : 'https';
  return web.externalUrl ?? `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
