import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { explainConnection, explainUnknown, theAnalyzer } from '../../base/model/connection-failure.ts';
import type { AnalyzerSite } from './site.ts';
import { bad, explained, good, stepToAnalyzer } from './step.ts';

/** How long DNS, or a connection, may take at most, milliseconds. */
const LIMIT_MS = 10_000;

/** The host of a URL without the brackets of IPv6. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

const variables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy'];

/** A line if the environment names a proxy, which a user may expect to be used. */
export function proxyNote(env: AnalyzerSite['env']): readonly string[] {
  const name = variables.find((variable) => (env[variable] ?? '') !== '');
  return name === undefined ? [] : [`${name} in the environment is not used: the analyzer must be reachable directly`];
}

/** Rejects with `code` after some time: neither DNS nor a connection tells in time what it waits for. */
export function withinLimit<T>(work: Promise<T>, ms: number, code: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(Object.assign(new Error(code), { code })), ms);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

/** Whether the host name of the analyzer resolves. */
export const nameStep = stepToAnalyzer({
  name: 'name',
  exit: 'network',
  needs: [],
  applies: ({ kind, analyzer }) => kind === 'remote' && isIP(hostOf(analyzer.url)) === 0,
  check: async ({ analyzer, env }) => {
    const host = hostOf(analyzer.url);
    try {
      const found = await withinLimit(lookup(host, { all: true }), LIMIT_MS, 'EAI_AGAIN');
      return good(`${host} is ${found.map(({ address }) => address).join(', ')}`);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const why = explainConnection(code, { hostname: host }, theAnalyzer);
      if (why === undefined) return bad(`the host name ${host} cannot be resolved (${code})`, 'check DNS of this host');
      const { remedy = [], ...outcome } = explained(why);
      return { ...outcome, remedy: [...remedy, ...proxyNote(env)] };
    }
  },
});

/** The port of a URL, also if it is the default one of its scheme. */
export const portOf = (url: string): number => {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
};

/** The time limit for one attempt at the analyzer, milliseconds. */
export const attemptMs = ({ timeout }: { readonly timeout: number }): number => Math.min(timeout * 1000, LIMIT_MS);

/** Opens a connection. @throws Error with a code, `ETIMEDOUT` if nothing answers in time */
async function open(url: string, ms: number): Promise<Socket> {
  const [host, port] = [hostOf(url), portOf(url)];
  const socket = connect({ host, port });
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.on('error', reject);
  });
  try {
    await withinLimit(connected, ms, 'ETIMEDOUT');
    return socket;
  } catch (error) {
    socket.destroy();
    throw Object.assign(error as Error, { address: (error as { address?: string }).address ?? host, port });
  }
}

/** Whether the host of the analyzer accepts connections on its port. */
export const tcpStep = stepToAnalyzer({
  name: 'TCP',
  exit: 'network',
  needs: ['name'],
  applies: ({ kind }) => kind === 'remote',
  check: async ({ analyzer, env }) => {
    const started = performance.now();
    try {
      const socket = await open(analyzer.url, attemptMs(analyzer));
      const { remoteAddress = '', remotePort } = socket;
      socket.destroy();
      const host = remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress;
      return good(`${host}:${remotePort} accepts connections (${(performance.now() - started).toFixed(0)} ms)`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = explainConnection(code, error, theAnalyzer) ?? explainUnknown(code, theAnalyzer);
      const { remedy = [], ...outcome } = explained(why);
      return { ...outcome, remedy: [...remedy, ...proxyNote(env)] };
    }
  },
});
