import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AdviceTable } from '../../../src/insight/advice/pass/rightsizing.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { adviceOf, adviceTable, manyAdvices, rightsizingOf } from '../../support/advice-table.ts';
import { createCleanup, createConfig, eventually, startApp } from '../../support/harness.ts';

/** What the daemon serves of the advice, on every route, with and without prices. */

const pass = vi.hoisted((): { table: unknown } => ({ table: undefined }));
vi.mock('../../../src/insight/advice/pass/nightly-pass.ts', () => ({
  NightlyPass: class {
    latest = () => rightsizingOf(pass.table as AdviceTable | undefined).latest();
    status = () => rightsizingOf(pass.table as AdviceTable | undefined).status();
    use() {}
    begin() {}
    async stop() {}
  },
}));

const cleanup = createCleanup();
afterEach(() => cleanup.run());
afterEach(() => {
  pass.table = undefined;
});

const hostile = adviceOf({ feature: '=HYPERLINK("http://x")', vendorLicense: '+lic;d', reason: '-1, "quoted"; a\nb' });
const table = adviceTable([adviceOf(), adviceOf({ feature: 'mesh', count: 2 }), hostile]);

const basic = (name: string) => ({ authorization: `Basic ${Buffer.from(`${name}:secret`).toString('base64')}` });

async function start(settings: Partial<Record<SettingKey, unknown>> = {}, rows: AdviceTable | undefined = table) {
  pass.table = rows;
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-rightsizing-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const prices = join(folder, 'prices.csv');
  writeFileSync(prices, 'vendor_license,feature,price,currency\n%,solver,1234,EUR\n');
  const users = join(folder, 'web.yml');
  const hash = hashSync('secret', 4);
  writeFileSync(users, `basic_auth_users: {purchasing: '${hash}', engineer: '${hash}'}\n`);
  const all = { 'web.config_file': users, 'rightsizing.price_file': prices, 'access.prices': 'purchasing' };
  const app = await startApp(
    createConfig('http://127.0.0.1:1/analyzer', { ...all, 'rightsizing.enabled': true, ...settings }),
  );
  cleanup.add(() => app.stop());
  const text = async (path: string, name = 'purchasing') => {
    const response = await fetch(`${app.url}${path}`, { headers: basic(name) });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  const json = async (path: string, name?: string) => JSON.parse((await text(path, name)).body);
  return { ...app, prices, text, json };
}

const API = '/api/v1/rightsizing';
const routes = [
  API,
  `${API}?format=csv`,
  `${API}?shape=totals`,
  `${API}?shape=steps&feature=solver`,
  '/rightsizing',
  '/grafana/rows/rightsizing',
];

describe('prices', () => {
  it('are served to the users that are listed, and to no others, on every route', async () => {
    const { text, log } = await start();
    for (const path of routes) {
      const [shown, hidden] = [await text(path), await text(path, 'engineer')];
      expect([path, shown.status, hidden.status]).toEqual([path, 200, 200]);
      expect([path, /4,?936|2,?468/.test(shown.body)]).toEqual([path, true]);
      expect([path, /1,?234|4,?936|EUR/.test(hidden.body)]).toEqual([path, false]);
    }
    const remedy = 'access.prices does not list the user of this request; add the user there';
    expect((await text('/rightsizing', 'engineer')).body).toContain(remedy);
    expect((await text(API, 'engineer')).body).toContain(remedy);
    // a duration may have any digits
    const logged = JSON.stringify(log.entries, (_, value) => (value % 1 > 0 ? undefined : value));
    expect(logged).not.toMatch(/engineer|1234|4936|2468/);
    // one feature has a price; with the sum, and each step of the feature
    const views = log.entries.filter(({ message }) => message === 'prices served');
    expect(views.map(({ level, fields }) => [level, fields.user, fields.page, fields.prices])).toEqual([
      ['info', 'purchasing', API, 2],
      ['info', 'purchasing', API, 2],
      ['info', 'purchasing', API, 1],
      ['info', 'purchasing', API, expect.any(Number)],
      ['info', 'purchasing', '/rightsizing', 2],
      ['info', 'purchasing', '/grafana/rows/:target', 2],
    ]);
  });

  it('have no line in the log where none is served', async () => {
    const { text, log } = await start();
    for (const path of [
      `${API}?feature=mesh`,
      `${API}?shape=steps&feature=mesh`,
      `${API}?columns=feature&feature=mesh`,
    ])
      expect([path, (await text(path)).status]).toEqual([path, 200]);
    expect(log.entries.filter(({ message }) => message === 'prices served')).toEqual([]);
  });

  it('are served to nobody with auto, outside the demo', async () => {
    const { text } = await start({ 'access.prices': 'auto' });
    for (const path of routes) expect([path, /1,?234|4,?936|EUR/.test((await text(path)).body)]).toEqual([path, false]);
  });

  it('follow their file, and stay when it is broken', async () => {
    const { json, prices, log } = await start();
    const saving = async () => (await json(API)).data[0].saving;
    const replace = (content: string): void => {
      writeFileSync(`${prices}.new`, content);
      renameSync(`${prices}.new`, prices);
    };
    expect(await saving()).toBe(4936);
    replace('vendor_license;feature;price;currency\n%;solver;10;EUR\n');
    await eventually('the new price', async () => (await saving()) === 40);
    replace('vendor_license;feature;price;currency\n%;solver;-918273645;EUR\n');
    const errors = () => log.entries.filter(({ message }) => message.startsWith('prices not read again'));
    await eventually('the mistake', () => errors().length > 0);
    expect(await saving()).toBe(40);
    expect(errors()[0]?.fields.reason).toContain('prices.csv:2: price: is negative');
    expect(JSON.stringify(log.entries)).not.toContain('918273645');
  });
});

describe('the API', () => {
  it('answers in pages, with a link to the next one', async () => {
    const { json, text } = await start({}, adviceTable(manyAdvices(250)));
    const seen: string[] = [];
    let query: string | null = '?sort=feature&top=100&state=could+go&state=fine&state=tight&product=lic%25';
    while (query !== null) {
      const { headers } = await text(`${API}${query}`);
      const { status, total, next, data } = await json(`${API}${query}`);
      expect([status, headers.get('link')]).toEqual(['success', next === null ? null : `<${next}>; rel="next"`]);
      seen.push(...data.map(({ feature }: { feature: string }) => feature));
      query = next;
      expect(total).toBe(manyAdvices(250).filter(({ state }) => ['could go', 'fine', 'tight'].includes(state)).length);
    }
    expect(seen).toHaveLength(new Set(seen).size);
    expect(seen).toHaveLength((await json(`${API}?state=could+go&state=fine&state=tight`)).total);
  });

  it('has dates of ISO 8601 and the columns of the target', async () => {
    const { json } = await start();
    const { data } = await json(
      `${API}?feature=solver&columns=feature&columns=Peak+date&columns=computed&columns=runs_out`,
    );
    expect(data).toEqual([
      { feature: 'solver', peak_date: '2026-10-09', computed: '2026-11-17T23:20:00.000Z', runs_out: null },
    ]);
  });

  it('writes CSV that a spreadsheet does not execute', async () => {
    const { text } = await start();
    const { headers, body } = await text(
      `${API}?format=csv&columns=product&columns=feature&columns=reason&columns=count&columns=peak_date`,
    );
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const bytes = await (
      await fetch(`${(await start()).url}${API}?format=csv`, { headers: basic('purchasing') })
    ).bytes();
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(body.replace(/^\uFEFF/, '').split('\r\n')).toEqual([
      'product,feature,reason,count,peak_date',
      expect.stringMatching(/^"lic01;cadd",solver,"20 bought, .*",4,2026-10-09$/),
      `"'+lic;d","'=HYPERLINK(""http://x"")","'-1, ""quoted""; a\nb",4,2026-10-09`,
      expect.stringMatching(/^"lic01;cadd",mesh,.*,2,2026-10-09$/),
      '',
    ]);
  });

  it('writes every row as CSV, more than a table of Grafana has', async () => {
    const { text } = await start({}, adviceTable(manyAdvices(12_345)));
    expect((await text(`${API}?format=csv`)).body.split('\r\n')).toHaveLength(12_347);
  });

  it.each([
    ['?format=xml', 400, 'bad_data', 'rightsizing: format is "xml", not one of json, csv'],
    ['?offset=-1', 400, 'bad_data', 'rightsizing: offset is "-1", not an integer from 0 to 10000000'],
    ['?top=0', 400, 'bad_data', 'rightsizing: top is "0", not an integer from 1 to 10000'],
    ['?colums=x', 400, 'bad_data', expect.stringContaining('colums is unknown; rightsizing accepts product, feature')],
    ['?sort=savings', 400, 'bad_data', expect.stringContaining('sort "savings" is not a column; valid are Product,')],
  ])('refuses %s', async (query, status, errorType, error) => {
    const { text } = await start();
    const answer = await text(`${API}${query}`);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { status: 'error', errorType, error }]);
  });

  it('asks for a user in the format of the API', async () => {
    const { url } = await start();
    const response = await fetch(`${url}${API}`);
    expect([response.status, await response.json()]).toEqual([
      401,
      {
        status: 'error',
        errorType: 'unauthorized',
        error: 'Name and password of a user in the web config are required.',
      },
    ]);
  });
});

describe('before the first pass', () => {
  it('every route says when the advice is expected', async () => {
    const { text } = await start({}, undefined);
    pass.table = undefined;
    for (const path of routes) {
      const { status, body } = await text(path);
      expect([path, status]).toEqual([path, 503]);
      expect(body).toMatch(/not been computed yet; it is expected after \d{4}-\d{2}-\d{2}T/);
    }
  });
});

describe('the report', () => {
  it('is on the landing page, and can load nothing', async () => {
    const { text } = await start();
    expect((await text('/')).body).toContain('<a href="rightsizing">');
    const { headers, body } = await text('/rightsizing');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toContain('EUR 4,936');
    expect(body).not.toMatch(/<script|<style| style=|<img|url\(|(href|src)="[a-z]+:|Simulated/);
  });
});
