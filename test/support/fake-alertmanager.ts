import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Labels } from '../../src/alerting/alerts/alert.ts';
import type { Cleanup } from './harness.ts';

/** Replaces an Alertmanager in tests that need failures of it, or that check every request. */

export interface SentAlert {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
}

interface Request {
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly alerts: readonly SentAlert[];
}

type Answer = (request: Request, response: ServerResponse) => void;

export interface FakeAlertmanager {
  readonly url: string;
  readonly requests: Request[];
  answer(answer: Answer): void;
  /** Its clock, as the `Date` header; by default that of this process. */
  setDate(date: () => string): void;
}

export const status =
  (code: number, body = ''): Answer =>
  (_, response) =>
    response.writeHead(code, { 'content-type': 'application/json' }).end(body);

export async function startFakeAlertmanager(cleanup: Cleanup): Promise<FakeAlertmanager> {
  let answer: Answer = status(200);
  let date: (() => string) | undefined;
  const requests: Request[] = [];
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = {
        at: Date.now(),
        method,
        url,
        headers,
        alerts: body === '' ? [] : (JSON.parse(body) as SentAlert[]),
      };
      if (date !== undefined) response.setHeader('date', date());
      // the look at its clock before the first alerts
      if (url.endsWith('/api/v2/status')) return status(200, '{}')(request, response);
      requests.push(request);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (next) => {
      answer = next;
    },
    setDate: (next) => {
      date = next;
    },
  };
}
