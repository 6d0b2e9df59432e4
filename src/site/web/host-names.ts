import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { isLoopback, peerAddress } from '../../base/model/peer-address.ts';

/** Whether a request may be one that the page of another site sent, whose name was given the address of this host. */

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
export function isForAnotherSite(request: IncomingMessage, names: readonly string[]): boolean {
  const { host } = request.headers;
  if (host === undefined || !isFromThisHost(request)) return false;
  const name = nameIn(host);
  if (name === undefined) return true;
  return !isAddress(name) && name !== 'localhost' && !names.some((own) => own.toLowerCase() === name);
}
