import { isIPv6 } from 'node:net';
import { isPlainName } from './vendor-license.ts';

/** The license server of a checkout, as the tool of its vendor needs it to take the checkout back. */
export type LicenseServer =
  | { readonly manager: 'flexnet'; readonly host: string; readonly port: number }
  | { readonly manager: 'rlm'; readonly host: string; readonly port: number; readonly isv: string };

const FORM = /^(?:flexnet:(?<flexnet>\d{1,5})@(?<server>[^/]+)|rlm:(?<rlm>\d{1,5})@(?<host>[^/]+)\/(?<isv>[^/]+))$/;

/** `flexnet:27000@lica` or `rlm:5053@licb/foundry`. */
export function serverText(server: LicenseServer): string {
  const address = `${server.manager}:${server.port}@${server.host}`;
  return server.manager === 'rlm' ? `${address}/${server.isv}` : address;
}

const isPort = (digits: string): boolean => /^[1-9]/.test(digits) && Number(digits) <= 65_535;
/** A zone, as in `fe80::1%eth0`, has a meaning on one host only. */
const isHost = (host: string): boolean => isPlainName(host) || (isIPv6(host) && !host.includes('%'));

/** Undefined for any other text: it can come from another analyzer. */
export function parseServer(text: string): LicenseServer | undefined {
  const { flexnet, server, rlm, host, isv } = FORM.exec(text)?.groups ?? {};
  if (flexnet !== undefined && server !== undefined) {
    return isPort(flexnet) && isHost(server) ? { manager: 'flexnet', host: server, port: Number(flexnet) } : undefined;
  }
  if (rlm === undefined || host === undefined || isv === undefined) return undefined;
  return isPort(rlm) && isHost(host) && isPlainName(isv) ? { manager: 'rlm', host, port: Number(rlm), isv } : undefined;
}
