import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Cleanup, startAnalyzer } from './harness.ts';

/** An analyzer into whose answers tests inject faults. */

export type Fault = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

export interface Faulty {
  readonly url: string;
  /** Sets the fault for requests whose URL contains a text; `undefined` removes the fault. */
  break(part: string | undefined, fault?: Fault): void;
  down(): Promise<void>;
  up(): Promise<void>;
  readonly seen: string[];
}

/** The answer of the analyzer; `undefined` if it is gone, as at the end of a test. */
async function forward(url: string, method: string) {
  try {
    const answer = await fetch(url, { method });
    return { answer, body: Buffer.from(await answer.arrayBuffer()) };
  } catch {
    return undefined;
  }
}

/** A server between exporter and analyzer that injects faults into some answers. */
export async function startFaulty(
  cleanup: Cleanup,
  options: Parameters<typeof startAnalyzer>[0] = {},
): Promise<Faulty> {
  const analyzer = await startAnalyzer(options, { gate: 'none' });
  cleanup.add(() => analyzer.stop());
  const origin = new URL(analyzer.url).origin;
  let broken: { part: string; fault: Fault } | undefined;
  const seen: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? '';
    seen.push(decodeURIComponent(url));
    const forwarded = await forward(`${origin}${url}`, request.method ?? 'GET');
    if (forwarded === undefined) {
      response.destroy();
      return;
    }
    const { answer, body } = forwarded;
    if (broken !== undefined && decodeURIComponent(url).includes(broken.part)) broken.fault(request, response, body);
    else response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
  };
  const create = () => createServer((request, response) => void handle(request, response));
  let server = create();
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const down = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  cleanup.add(down);
  return {
    url: `http://127.0.0.1:${port}/analyzer`,
    break: (part, fault) => {
      broken = part === undefined || fault === undefined ? undefined : { part, fault };
    },
    down,
    up: async () => {
      server = create();
      await listen(port);
    },
    seen,
  };
}

export const json =
  (text: string): Fault =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
export const status =
  (code: number): Fault =>
  (_, response) =>
    response.writeHead(code).end('no');
