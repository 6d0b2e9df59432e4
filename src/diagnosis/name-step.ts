import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { explainConnection, theAnalyzer } from '../model/connection-failure.ts';
import { bad, explained, good, type Site, type Step } from './step.ts';

/** How long DNS may take, milliseconds. */
const LIMIT_MS = 10_000;

/** The host of a URL without the brackets of IPv6. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

const variables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy'];

/** A line if the environment names a proxy, which a user may expect to be used. */
export function proxyNote(env: Site['env']): readonly string[] {
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
export const nameStep: Step = {
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
};
