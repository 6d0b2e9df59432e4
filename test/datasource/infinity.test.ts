import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, get, startDaemon } from '../support/datasource-daemon.ts';
import { createCleanup, eventually, WORKDAY } from '../support/harness.ts';
import { readPage } from '../support/markdown.ts';

/** The queries of docs/grafana.md for Infinity, sent as its Go client does (pkg/infinity/request.go and headers.go). */

interface InfinityQuery {
  readonly url: string;
  readonly parser: string;
  readonly url_options: { readonly params: readonly { readonly key: string; readonly value: string }[] };
  readonly columns: readonly { readonly selector: string; readonly type: string }[];
}

const queries = [...readPage('docs/grafana.md').matchAll(/^```json\n([\s\S]*?)^```$/gm)]
  .map(([, text = '']) => JSON.parse(text) as Partial<InfinityQuery>)
  .filter((query): query is InfinityQuery => query.url_options !== undefined);

const cleanup = createCleanup();
const PASSWORD = 'pass:wörd';
/** The headers of Infinity with basic auth. */
const headers = {
  accept: 'application/json;q=0.9,text/plain',
  'accept-encoding': 'gzip',
  'user-agent': 'Go-http-client/1.1',
  authorization: `Basic ${Buffer.from(`grafana:${PASSWORD}`).toString('base64')}`,
};

let daemon: Daemon;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-infinity-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'web.yml');
  writeFileSync(path, `basic_auth_users: {grafana: '${hashSync(PASSWORD, 4)}'}\n`);
  daemon = await startDaemon(cleanup, { 'web.config_file': path }, undefined, headers);
  await eventually('alerts', async () => (await get(`${daemon.url}/rows/attention`, headers)).body.length > 0);
}, 60_000);
afterAll(() => cleanup.run());

/** The macros of a time range of a week, as Infinity's backend replaces them. */
const withTimes = (value: string): string =>
  value
    .replace(/\$\{__timeFrom\}/, String((WORKDAY - 7 * 86_400) * 1000))
    .replace(/\$\{__timeTo\}/, String(WORKDAY * 1000));

/** The URL as Go writes it: parameters sorted by key, spaces as `+`. */
function urlOf({ url, url_options: { params } }: InfinityQuery): string {
  const sorted = params.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const parameters = new URLSearchParams(sorted.map(({ key, value }): [string, string] => [key, withTimes(value)]));
  return `${daemon.url.replace(/\/grafana$/, '')}${url}?${parameters}`;
}

const isOfType = (value: unknown, type: string): boolean =>
  value === null || typeof value === (type === 'string' ? 'string' : 'number');

describe('the queries for Infinity in the documentation', () => {
  it('are three, for a parser of the backend', () => {
    expect(queries.map(({ url, parser }) => [url, parser])).toEqual([
      ['/grafana/rows/attention', 'backend'],
      ['/grafana/rows/history', 'backend'],
      ['/grafana/rows/features', 'backend'],
    ]);
  });

  it.each(queries.map((query) => [query.url, query] as const))(
    'get rows from %s with every column',
    async (_, query) => {
      const reply = await get(urlOf(query), headers);
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(reply.body.length).toBeGreaterThan(0);
      for (const row of reply.body) {
        for (const { selector, type } of query.columns) {
          expect(row, selector).toHaveProperty(selector);
          expect([selector, isOfType(row[selector], type)]).toEqual([selector, true]);
        }
      }
      // the columns that it asks for by name, and no others
      const columns = query.url_options.params.find(({ key }) => key === 'columns')?.value;
      if (columns !== undefined) expect(`{${Object.keys(reply.body[0])}}`).toBe(columns);
    },
  );

  it('need the user of the web config', async () => {
    for (const query of queries) {
      const { authorization: _, ...without } = headers;
      expect((await get(urlOf(query), without)).status).toBe(401);
    }
  });
});
