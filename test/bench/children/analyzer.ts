import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNtlmAcceptor } from '../../../src/analyzer/server/ntlm-acceptor.ts';
import { ntHash } from '../../../src/base/ntlm/primitives.ts';
import { account } from '../../support/harness.ts';
import { answerParent } from '../child.ts';
import { createSite, type SiteSize } from '../site.ts';

/**
 * An analyzer that costs as little as possible: it answers from memory. It can hold back an answer until it is released, so
 * that the benchmark decides when a poll begins.
 */

export interface AnalyzerSetup extends SiteSize {
  /** Without it, every request is answered. */
  readonly ntlm?: boolean;
  /** Milliseconds before each answer. */
  readonly latency?: number;
  /** Names of endpoints whose answers are held back. */
  readonly held?: readonly string[];
}

const acceptor = createNtlmAcceptor({
  lookup: (user) => (user === account.username ? ntHash(account.password) : undefined),
  target: { domain: 'CORP', computer: 'SRV', dnsDomain: 'corp.invalid', dnsComputer: 'srv.corp.invalid' },
});
let site = createSite({ vendorLicenses: 0, features: 0 });
let setup: AnalyzerSetup = { vendorLicenses: 0, features: 0 };
let held = new Set<string>();
/** The next answer of GetFeatures for all vendor licenses. */
let whole: Buffer = Buffer.alloc(0);
const expirations = new Map<string, Buffer>();
const features = new Map<string, Buffer>();

interface Waiting {
  readonly endpoint: string;
  readonly answer: () => Promise<void>;
}
const waiting: Waiting[] = [];
const watchers: (() => void)[] = [];
const counts = { answers: 0, first: 0, last: 0 };

function cached(kept: Map<string, Buffer>, product: string, create: (product: string) => Buffer): Buffer {
  const body = kept.get(product) ?? create(product);
  kept.set(product, body);
  return body;
}

const bodies: Readonly<Record<string, (product: string) => Buffer>> = {
  GetProducts: () => site.products(),
  GetServerDown: () => Buffer.from('[]'),
  GetConcurrentUsers: () => Buffer.from('1234'),
  GetHttpUserName: () => Buffer.from('CORP\\svc-lic'),
  GetFeatures: (product) => (product === '%' ? whole : cached(features, product, site.features)),
  GetExpirationFeatures: (product) => cached(expirations, product, site.expirations),
};

function send(response: ServerResponse, body: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', () => {
      counts.answers += 1;
      counts.last = performance.now();
      for (const watcher of watchers) watcher();
      resolve();
    });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://analyzer');
  const endpoint = pathname.slice(pathname.lastIndexOf('/') + 1);
  const body = bodies[endpoint]?.(searchParams.get('product') ?? '');
  if (counts.first === 0) counts.first = performance.now();
  request.resume();
  if (setup.latency !== undefined) await sleep(setup.latency);
  if (setup.ntlm === true) {
    const { authorization } = request.headers;
    const result = acceptor.authenticate({ socket: request.socket, authorization });
    if (!result.ok) {
      response.writeHead(401, { 'www-authenticate': result.challenge, 'content-length': 0 }).end();
      return;
    }
  }
  if (body === undefined) {
    response.writeHead(404, { 'content-length': 0 }).end();
    return;
  }
  // a request of the benchmark itself is never held back
  if (held.has(endpoint) && !searchParams.has('now')) {
    // the body is taken when it is released
    waiting.push({
      endpoint,
      answer: () => send(response, bodies[endpoint]?.(searchParams.get('product') ?? '') ?? body),
    });
    for (const watcher of watchers) watcher();
    return;
  }
  await send(response, body);
}

/** Waits for a condition that can change with a request or an answer. */
function until(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!condition()) return;
      watchers.splice(watchers.indexOf(look), 1);
      resolve();
    };
    watchers.push(look);
    look();
  });
}

const methods = {
  /** Returns the URL. */
  start: async (given: AnalyzerSetup): Promise<string> => {
    setup = given;
    site = createSite(given);
    held = new Set(given.held);
    whole = site.features('%');
    const server = createServer((request, response) => void answer(request, response));
    server.keepAliveTimeout = 600_000;
    server.requestTimeout = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/analyzer`;
  },
  /** Changes every 20th record. */
  change: () => {
    site.change();
    whole = site.features('%');
  },
  /** Resolves when a request for the endpoint is held back. */
  untilHeld: (endpoint: string) => until(() => waiting.some((request) => request.endpoint === endpoint)),
  /** Sends the answers that are held back. Resolves when they are sent. */
  release: async (endpoint: string, onlyOnce = true): Promise<void> => {
    if (!onlyOnce) held.delete(endpoint);
    const released = waiting.filter((request) => request.endpoint === endpoint);
    for (const request of released) waiting.splice(waiting.indexOf(request), 1);
    await Promise.all(released.map((request) => request.answer()));
  },
  /** Counts answers from now. */
  count: () => {
    Object.assign(counts, { answers: 0, first: 0, last: 0 });
  },
  /** Resolves when that number of answers is sent, with the milliseconds from the first request to the last answer. */
  untilAnswered: async (answers: number): Promise<number> => {
    await until(() => counts.answers >= answers);
    return counts.last - counts.first;
  },
  bytes: () => whole.length,
  totals: () => site.totals(),
};

export type AnalyzerMethods = typeof methods;

answerParent(methods);
