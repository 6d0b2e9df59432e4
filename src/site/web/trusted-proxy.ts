import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';
import { isLoopback, peerAddress } from '../../base/model/peer-address.ts';
import { CLIENT_CERTIFICATE, type TrustedProxy } from '../../base/settings/addresses.ts';
import type { Access } from './access.ts';
import { addressOf } from './connections.ts';

/**
 * Who asks, by the headers of a proxy that authenticates users itself; and which requests are refused, because the page of another site
 * may have sent them, whose name was given the address of this host.
 */

/** The name or address of a Host header, without its port; `undefined` if it has neither. */
function nameIn(host: string): string | undefined {
  // what else a URL can hold is no name
  return /[/?#@\\\s]/.test(host) || !URL.canParse(`http://${host}`) ? undefined : new URL(`http://${host}`).hostname;
}

const isAddress = (name: string): boolean => isIPv4(name) || name.startsWith('[');

/** Whether a program of this host sent it, over loopback or any other address of the host. */
function isFromThisHost({ socket }: IncomingMessage): boolean {
  const peer = peerAddress(socket.remoteAddress);
  return isLoopback(peer) || peer.startsWith('127.') || peer === peerAddress(socket.localAddress);
}

/**
 * Whether a request of this host is for a name that is not one of this daemon. A browser on this host sends such a request for a
 * page of the site whose name it is, and with the headers that the page wants. An address, and a request without a Host header,
 * are of no such page.
 *
 * @param names of this daemon, beside `localhost`
 */
function isForAnotherSite(request: IncomingMessage, names: readonly string[]): boolean {
  const { host } = request.headers;
  if (host === undefined || !isFromThisHost(request)) return false;
  const name = nameIn(host);
  if (name === undefined) return true;
  return !isAddress(name) && name !== 'localhost' && !names.some((own) => own.toLowerCase() === name);
}

/** The authenticated user of a request. */
export interface Viewer {
  readonly user: string;
  /** Only a proxy names groups. */
  readonly groups: readonly string[];
  readonly isProxied: boolean;
}

/** Characters of the name of a user, or of a group. */
const MAX_NAME = 256;
/** Controls, formats and line ends; also what is no UTF-8. */
const INVALID = /[\p{C}\p{Zl}\p{Zp}\uFFFD]/u;

/** A header that is sent once, as UTF-8; `undefined` otherwise. */
function textOf({ headersDistinct }: IncomingMessage, header: string): string | undefined {
  // two can be one of the client, which the proxy passed on, and its own
  const values = headersDistinct[header.toLowerCase()] ?? [];
  const [value = ''] = values;
  const text = Buffer.from(value, 'latin1').toString('utf8').trim();
  return values.length === 1 && text !== '' && !INVALID.test(text) ? text : undefined;
}

/** A comma would be two headers that were joined on the way. */
const isUser = (text: string): boolean => text.length <= MAX_NAME && !text.includes(',');

function groupsOf(text: string | undefined): readonly string[] {
  const groups = (text ?? '').split(',').map((group) => group.trim());
  return groups.filter((group) => group !== '' && group.length <= MAX_NAME);
}

/** The addresses of each family apart: no range of IPv6 contains an address of IPv4. */
function addressesOf({ from }: TrustedProxy): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of from) {
    if (range !== CLIENT_CERTIFICATE) lists[range.family].addSubnet(range.address, range.prefix, range.family);
  }
  return (address) => {
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    return address !== '' && lists[family].check(address, family);
  };
}

function createTrust(proxy: TrustedProxy) {
  const isListed = addressesOf(proxy);
  const trustsCertificates = proxy.from.includes(CLIENT_CERTIFICATE);
  return ({ socket }: IncomingMessage, tls: Access['tls']): boolean =>
    // without the scope of a link-local address
    isListed(addressOf(socket).replace(/%.*$/, '')) ||
    // the web config may have lost its CA since the connection began; without one, Node.js takes the public ones
    (trustsCertificates && tls?.clientCa !== undefined && socket instanceof TLSSocket && socket.authorized);
}

/**
 * Reads the user whom a trusted proxy names. Headers of anybody else count as absent. `wrong host`: a browser on this host may
 * have sent them for a page of another site.
 */
export function createProxyReader() {
  let known: { readonly proxy: TrustedProxy; readonly isTrusted: ReturnType<typeof createTrust> } | undefined;
  return (
    request: IncomingMessage,
    { proxy, tls, names }: Pick<Access, 'proxy' | 'tls' | 'names'>,
  ): Viewer | 'wrong host' | undefined => {
    if (proxy === undefined) return undefined;
    if (known?.proxy !== proxy) known = { proxy, isTrusted: createTrust(proxy) };
    if (!known.isTrusted(request, tls)) return undefined;
    const { userHeader, groupsHeader } = proxy;
    const user = textOf(request, userHeader);
    if (user === undefined || !isUser(user)) return undefined;
    if (isForAnotherSite(request, names)) return 'wrong host';
    const groups = groupsOf(groupsHeader === undefined ? undefined : textOf(request, groupsHeader));
    return { user, groups, isProxied: true };
  };
}
