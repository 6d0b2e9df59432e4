import { X509Certificate } from 'node:crypto';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, createServer } from 'node:net';
import { listenError } from '../../base/model/listen-error.ts';
import { listenAddress } from '../../base/settings/addresses.ts';
import { findLockHolder } from '../../base/storage/directory-lock.ts';
import { ANALYZER_ADDRESS } from '../app/demo-analyzer.ts';
import type { Config } from '../config/config.ts';
import { exposureOf } from '../config/listeners.ts';
import { bad, good, type Outcome, type Step, warning } from './step.ts';
import { dateOf, soonText } from './tls-step.ts';

type Address = Config['web']['listen'][number];

const LIMIT_MS = 2000;
/** Where the command `analyzer` listens without a setting. */
const usualAddress = listenAddress.parse(ANALYZER_ADDRESS);

const shown = ({ host = '', port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Where a listener on an address can be reached from this host. */
const reachable = ({ host }: Address): string =>
  host === undefined || host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;

/** Whether something listens on an address. */
function isInUse(address: Address): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: reachable(address), port: address.port, timeout: LIMIT_MS });
  const end = (answer: boolean) => (): void => {
    socket.destroy();
    resolve(answer);
  };
  socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  return promise;
}

/**
 * Whether a daemon with this configuration may be running, `serve` or the command `analyzer`: it listens on the port that the
 * system has chosen, or on these.
 */
export async function mayBeRunning({ web, embeddedAnalyzer }: Config): Promise<boolean> {
  const { listen = usualAddress, webListenAddress, sources } = embeddedAnalyzer;
  const addresses = [...web.listen, ...(sources.length === 0 ? [] : [listen, webListenAddress ?? []].flat())];
  const used = await Promise.all(addresses.map((address) => address.port === 0 || isInUse(address)));
  return used.includes(true);
}

/** Whether what listens there is license-exporter. */
function isDaemon(address: Address, isTls: boolean): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const options = {
    host: reachable(address),
    port: address.port,
    path: '/-/healthy',
    signal: AbortSignal.timeout(LIMIT_MS),
    headers: { connection: 'close' },
  };
  const sent = isTls ? requestTls({ ...options, rejectUnauthorized: false }) : request(options);
  sent.once('error', () => resolve(false));
  sent.once('response', (response) => {
    const isRealm = response.headers['www-authenticate'] === 'Basic realm="license-exporter"';
    let text = '';
    response.on('data', (chunk) => {
      text += chunk;
    });
    response.on('error', () => resolve(isRealm));
    response.once('end', () => resolve(isRealm || text === 'Healthy.\n'));
  });
  sent.end();
  return promise;
}

/** Why the daemon could not listen on a free address. */
async function bindProblem(address: Address, setting: string): Promise<string | undefined> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  server.once('error', resolve);
  server.listen({ ...(address.host !== undefined && { host: address.host }), port: address.port }, () =>
    server.close(() => resolve(undefined)),
  );
  const error = await promise;
  return error === undefined ? undefined : (listenError('', address, setting, error) as Error).message;
}

async function addressProblem(address: Address, isTls: boolean): Promise<{ problem?: string; isRunning: boolean }> {
  if (await isInUse(address)) {
    if (await isDaemon(address, isTls)) return { isRunning: true };
    return { problem: `web.listen_address ${shown(address)} is in use by another program`, isRunning: false };
  }
  const problem = await bindProblem(address, 'web.listen_address');
  return problem === undefined ? { isRunning: false } : { problem, isRunning: false };
}

/** Why the analyzer in the same process could not listen. A running daemon uses its address. */
async function analyzerProblem({
  analyzer,
  embeddedAnalyzer: { listen, sources },
}: Config): Promise<string | undefined> {
  if (analyzer !== undefined || sources.length === 0 || listen === undefined) return undefined;
  const setting = 'embedded_analyzer.listen_address';
  return (await isInUse(listen))
    ? `${setting} ${shown(listen)} is in use by another program`
    : bindProblem(listen, setting);
}

function certificateProblem(pem: string | undefined): Outcome | undefined {
  if (pem === undefined) return undefined;
  const end = new X509Certificate(pem).validToDate.getTime();
  if (end < Date.now()) return bad(`the certificate of the web config expired on ${dateOf(end)}`, 'renew it');
  const soon = soonText(end);
  return soon === undefined ? undefined : warning(`the certificate of the web config ${soon}`, 'renew it');
}

/** Whether the daemon can listen, or does. Users, keys and certificates are checked with the configuration. */
export const webStep: Step = {
  name: 'web',
  exit: 'local',
  needs: [],
  applies: ({ kind }) => kind !== 'demo',
  check: async ({ config }) => {
    const { web, storage } = config;
    const states: string[] = [];
    let isAnyRunning = false;
    for (const address of web.listen) {
      const { problem, isRunning } = await addressProblem(address, web.access?.tls !== undefined);
      if (problem !== undefined) return bad(problem, 'stop that program, or set web.listen_address to another port');
      isAnyRunning ||= isRunning;
      states.push(`${shown(address)} ${isRunning ? 'is in use by a running license-exporter' : 'is free'}`);
    }
    const ofAnalyzer = isAnyRunning ? undefined : await analyzerProblem(config);
    if (ofAnalyzer !== undefined) return bad(ofAnalyzer, 'stop that program, or set another port');
    const problem = certificateProblem(web.access?.tls?.cert);
    if (problem !== undefined) return problem;
    const listed = states.join(', ');
    const exposure = exposureOf(web);
    const isOther = isAnyRunning && storage.path !== undefined && findLockHolder(storage.path) === undefined;
    return isOther
      ? warning(
          `${listed}, which does not use storage.path`,
          'if it is another daemon, set web.listen_address to another port; if it runs in a container, this is as it should be',
        )
      : exposure === undefined
        ? good(listed)
        : warning(`${listed}; ${exposure.finding}`, exposure.remedy);
  },
};
