import { connect, type Socket } from 'node:net';
import { explainConnection, explainUnknown, theAnalyzer } from '../model/connection-failure.ts';
import { hostOf, proxyNote, withinLimit } from './name-step.ts';
import { explained, good, type Step } from './step.ts';

/** How long a connection may take at most, milliseconds. */
const LIMIT_MS = 10_000;

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
export const tcpStep: Step = {
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
      const why = explainConnection(code ?? '', error, theAnalyzer) ?? explainUnknown(code, theAnalyzer);
      const { remedy = [], ...outcome } = explained(why);
      return { ...outcome, remedy: [...remedy, ...proxyNote(env)] };
    }
  },
};
