import { z } from 'zod';
import { isNot, isNotAddress } from './values.ts';

/** An address to listen on. Without a host, all addresses. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

const LISTEN = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/;

function listenOf(written: string): ListenAddress {
  const [, bracketed, plain, port] = LISTEN.exec(written) ?? [];
  const host = bracketed ?? plain;
  return { host: host === '' ? undefined : host, port: Number(port) };
}

const listenForm = { error: isNot('an address such as :10319, 127.0.0.1:10319 or [::1]:10319'), abort: true };

/** `:10319`, `127.0.0.1:0`, `[::1]:10319`, `localhost:10319`. */
export const listenAddress = z
  .string(listenForm)
  .trim()
  .regex(LISTEN, listenForm)
  .refine((written) => listenOf(written).port <= 65_535, listenForm)
  .transform(listenOf);

const urlOf = (written: string): URL | undefined => (URL.canParse(written) ? new URL(written) : undefined);

/** Whether a text is a whole URL for HTTP. */
export const isHttpUrl = (written: string): boolean => ['http:', 'https:'].includes(urlOf(written)?.protocol ?? '');

/** An http or https address without credentials and query; a trailing slash is dropped. */
export function baseUrl(example: string, credentials = 'leave them out') {
  // an invalid URL may contain a password, so it is not repeated
  const form = { error: isNotAddress(`an address such as ${example}`), abort: true };
  return z
    .string(form)
    .trim()
    .refine(isHttpUrl, form)
    .refine((written) => `${urlOf(written)?.username}${urlOf(written)?.password}` === '', {
      error: `must not contain credentials; ${credentials}`,
      abort: true,
    })
    .refine((written) => `${urlOf(written)?.search}${urlOf(written)?.hash}` === '', {
      error: 'must not have a query or fragment',
    })
    .transform((written) => new URL(written).href.replace(/\/+$/, ''));
}

/** A path of the HTTP server that no other page uses. */
export function urlPath(reserved: readonly string[]) {
  const form = { error: isNot('a path such as /metrics'), abort: true };
  return z
    .string(form)
    .trim()
    .regex(/^\/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-]$/, form)
    .refine((path) => !reserved.includes(path), {
      error: isNot(`free: ${reserved.join(', ')} are used by other pages`),
    });
}
