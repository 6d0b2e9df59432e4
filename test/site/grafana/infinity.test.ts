import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Daemon, FEATURE, get, PRODUCT, startDaemon } from '../../support/datasource-daemon.ts';
import { createCleanup, WORKDAY } from '../../support/harness.ts';
import { cellsOf, type InfinityQuery, pathOf } from '../../support/infinity.ts';
import { readPage, root } from '../../support/markdown.ts';

/** The queries for Infinity outside of the dashboards, sent as its Go client does. */

const ofPage = [...readPage('docs/grafana.md').matchAll(/^```json\n([\s\S]*?)^```$/gm)]
  .map(([, text = '']) => JSON.parse(text) as Partial<InfinityQuery>)
  .filter((query): query is InfinityQuery => query.url_options !== undefined);

const EXAMPLE = 'grafana/provisioning/alerting/license-denials.yml';
interface AlertRule {
  readonly data: readonly { readonly datasourceUid: string; readonly model: InfinityQuery }[];
}
const [ofAlert] = (parse(readFileSync(join(root, EXAMPLE), 'utf8')).groups as { rules: AlertRule[] }[])
  .flatMap(({ rules }) => rules)
  .flatMap(({ data }) => data);

const queries: readonly (readonly [where: string, query: InfinityQuery])[] = [
  ...ofPage.map((query) => ['docs/grafana.md', query] as const),
  ...(ofAlert === undefined ? [] : [[EXAMPLE, ofAlert.model] as const]),
];

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
});
afterAll(() => cleanup.run());

const range = { from: (WORKDAY - 7 * 86_400) * 1000, to: WORKDAY * 1000 };
/** The queries name the demo, whose features are called otherwise here. */
const urlOf = (query: InfinityQuery): string =>
  `${daemon.url.replace(/\/grafana$/, '')}${pathOf(query, {}, range)}`
    .replace(encodeURIComponent('demo-lic01;caddsd'), encodeURIComponent(PRODUCT))
    .replace('cad_assembly', FEATURE);

describe('the queries for Infinity outside of the dashboards', () => {
  it('are those of the page and of the example of an alert, for a parser of the backend', () => {
    expect(queries.map(([, { url, parser, root_selector }]) => [url, parser, root_selector])).toEqual([
      ['/grafana/rows/history', 'backend', 'rows'],
      ['/grafana/rows/history', 'backend', 'rows'],
    ]);
    // alerts know no variables
    expect(ofAlert?.datasourceUid).toBe('license-rows');
  });

  it.each(queries)('of %s get rows with every column', async (_, query) => {
    const reply = await get(urlOf(query), headers);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(cellsOf(query, reply.body.rows).length).toBeGreaterThan(0);
  });

  it.each(queries)('of %s need the user of the web config', async (_, query) => {
    const { authorization: _user, ...without } = headers;
    expect((await get(urlOf(query), without)).status).toBe(401);
  });
});
