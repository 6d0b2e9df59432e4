import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PagePath, pages } from '../../../src/site/pages/table.ts';
import { drawnViews, flawless, startBrowser, type TestBrowser, views } from '../../support/browser.ts';
import { startFaulty } from '../../support/faulty-analyzer.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp, WORKDAY } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';

/** The pages at `/`, `/vendor-license` and `/feature`, as a person gets them. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

type Settings = Parameters<typeof createConfig>[1];

/** A daemon that has polled once. */
async function start(url: string, settings: Settings = {}, deps: Parameters<typeof startApp>[1] = {}) {
  const app = await startApp(createConfig(url, settings), deps);
  cleanup.add(() => app.stop());
  await eventually('the first poll has ended', async () => (await fetch(`${app.url}/-/ready`)).ok);
  return app;
}

async function startSite(settings: Settings = {}, deps: Parameters<typeof startApp>[1] = {}) {
  const analyzer = await startAnalyzer();
  cleanup.add(() => analyzer.stop());
  return start(analyzer.url, settings, deps);
}

/** The first vendor license of the simulated site. */
const FIRST = 'sim-lic01;sim_cadd';

interface Loaded {
  readonly status: number;
  /** Without markup, spaces as one. */
  readonly text: string;
  readonly html: string;
}

async function load(url: string, headers: Record<string, string> = {}): Promise<Loaded> {
  const response = await fetch(url, { headers });
  const html = await response.text();
  const text = html.replace(/<head>[\s\S]*<\/head>/, '').replace(/<[^>]*>/g, ' ');
  return { status: response.status, html, text: text.replace(/\s+/g, ' ') };
}

const parameters = (values: Record<string, string>): string => new URLSearchParams(values).toString();

/** A user of the web config, and how a client authenticates as it. */
function createUsers(...names: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-users-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'web.yml');
  const lines = names.map((name) => `  ${name}: '${hashSync('secret', 4)}'\n`);
  writeFileSync(file, `basic_auth_users:\n${lines.join('')}`);
  return {
    file,
    as: (name: string) => ({ authorization: `Basic ${Buffer.from(`${name}:secret`).toString('base64')}` }),
  };
}

it('every page of the table can be opened', async () => {
  const { url } = await startSite();
  const paths = Object.values<PagePath>(pages).flatMap(({ path, routes }) =>
    'load' in routes ? routes.paths.map((below) => (below === '/' ? path : `${path === '/' ? '' : path}${below}`)) : [],
  );
  expect(paths.length).toBeGreaterThan(9);
  for (const path of paths) {
    // 400 without its parameter, 503 without its data, 404 without an analyzer in the process
    const allowed = [200, 400, 503, ...(path.startsWith('/sources') ? [404] : [])];
    expect(allowed, path).toContain((await fetch(`${url}${path}`)).status);
  }
});

describe('the path of the data source', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  it('says to a browser what it is and how Grafana gets it, and gives Grafana its health', async () => {
    const { url } = await startSite({ 'datasource.path': '/rows/of' });
    for (const [path, root] of [
      ['/rows/of', '../'],
      ['/rows/of/', '../../'],
    ]) {
      const { status, text, html } = await load(`${url}${path}`, browser);
      expect([status, html.includes(`<a href="${root}./">pages</a>`)]).toEqual([200, true]);
      expect(text).toContain('The health check succeeds: ok , with 4 vendor licenses.');
      expect(text).toContain('Health check a custom one, of the path /rows/of Auth');
      expect(html).toMatch(/<a href="https:[^"]*\/docs\/grafana\.md#set-up">/);
      expect(html).toMatch(/URL, and allowed host<\/dt><dd><code>http:\/\/127\.0\.0\.1:/);
      for (const accept of [undefined, '*/*', 'application/json, text/plain, */*']) {
        const response = await fetch(`${url}${path}`, accept === undefined ? {} : { headers: { accept } });
        expect([response.headers.get('vary'), await response.json()]).toMatchObject([
          'Accept',
          { status: 'ok', vendor_licenses: 4 },
        ]);
      }
    }
  });

  it('says to a browser why the health check fails', async () => {
    const { url } = await start('http://127.0.0.1:9/analyzer');
    const { status, text } = await load(`${url}/grafana`, browser);
    expect(status).toBe(200);
    expect(text).toContain('The health check fails. GetProducts: ');
    expect((await fetch(`${url}/grafana`)).status).toBe(503);
  });
});

describe('the status page', () => {
  it('shows servers, what is short, what expires next, and how old the data is', async () => {
    const { url } = await startSite();
    const { status, text, html } = await load(`${url}/`);
    expect(status).toBe(200);
    const { rows: products } = (await (await fetch(`${url}/grafana/rows/products`)).json()) as {
      rows: { product: string }[];
    };
    expect(products).toHaveLength(4);
    for (const { product } of products) expect(text).toContain(product);
    expect(text).toMatch(/Servers \d+ (up|down) of 4 vendor licenses/);
    expect(text).toMatch(/Expires next .* expires \d{4}-\d\d-\d\d , in \d+ days/);
    expect(text).toMatch(/Features and their usage GetFeatures good every 5m, \d+ records last complete \d+s ago/);
    expect(text).toContain('Denials are not polled here');
    expect(html).toContain('href="vendor-license?name=');
  });

  it('says what is not known, in place of zeros', async () => {
    const { url } = await start('http://127.0.0.1:9/analyzer');
    const { status, text } = await load(`${url}/`);
    expect(status).toBe(200);
    expect(text).toContain('The analyzer cannot be polled. Nothing listens on 127.0.0.1:9 (ECONNREFUSED); ');
    expect(text).toContain(': no complete poll of servers yet, no complete poll of usage yet');
    for (const title of ['Servers', 'Saturated', 'Requests wait', 'Expired', 'Expire in 30 days', 'Users now']) {
      expect(text).toContain(`${title} not known`);
    }
    expect(text).toContain('Alerts not known without data, alerts cannot start');
    expect(text).toContain('There is no data that is new enough to be shown.');
    expect((await load(`${url}/`)).html).not.toContain('is-good');
  });

  it('names the vendor licenses whose features cannot be polled', async () => {
    const faulty = await startFaulty(cleanup);
    const fail = (part: string): void => faulty.break(part, (_, response) => response.writeHead(500).end());
    fail('GetFeatures?product=sim-lic01');
    const { url } = await start(faulty.url, { 'features.request': 'per_vendor_license' });
    const { text } = await load(`${url}/`);
    expect(text).toMatch(
      /Features and their usage GetFeatures partly failing .* sim-lic01;sim_cadd : The analyzer answered 500\. /,
    );
    expect(text).toContain('Saturated 0 of 48 features, 12 not known');
    expect(text).toMatch(/sim-lic01;sim_cadd up collected [^,]* ago usage not known/);
  });

  it('finds vendor licenses and features by words', async () => {
    const { url } = await startSite();
    const { text, html } = await load(`${url}/?${parameters({ q: FIRST })}`);
    expect(text).toContain(`12 features with “${FIRST}”`);
    expect(html).toContain('<a href="./">Show everything</a>');
    expect(html).toContain('<a href="./" aria-current="page">Status</a>');
    expect((await load(`${url}/?q=no+such+name`)).text).toContain('No vendor license matches.');
  });

  it('is there before the first poll has ended, and says so', async () => {
    const faulty = await startFaulty(cleanup);
    const held: (() => void)[] = [];
    faulty.break('Get', (_, response) => held.push(() => response.end('[]')));
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('the poll waits', () => held.length > 0);
    const { status, text } = await load(`${app.url}/`);
    expect([status, text]).toEqual([200, expect.stringContaining('no complete poll of usage yet')]);
    expect(text).toContain('the vendor licenses are not known');
    for (const release of held) release();
  });
});

describe('the page of a vendor license', () => {
  it('lists its features, and finds them by words', async () => {
    const { url } = await startSite();
    const name = FIRST;
    const all = await load(`${url}/vendor-license?${parameters({ name })}`);
    expect(all.text).toContain('12 features');
    const [, feature = ''] = /<a href="feature\?[^"]*"><bdi>([^<]*)</.exec(all.html) ?? [];
    const found = await load(`${url}/vendor-license?${parameters({ name, q: feature })}`);
    expect(found.text).toMatch(/\d+ features? with “/);
    expect(found.html).toContain(`<bdi>${feature}</bdi>`);
  });

  it('says which parameter is missing', async () => {
    const { url } = await startSite();
    for (const [path, name] of [
      ['/vendor-license', 'name'],
      ['/feature?feature=x', 'vendor_license'],
      ['/feature?vendor_license=x', 'feature'],
    ] as const) {
      expect(await load(`${url}${path}`), path).toMatchObject({
        status: 400,
        html: expect.stringContaining(`The parameter <code>${name}</code> is missing. <a href="./">`),
      });
    }
  });

  it('is not found if the analyzer does not report it, and not known without data', async () => {
    const { url } = await startSite();
    const unknown = parameters({ name: '<b>no</b>' });
    expect(await load(`${url}/vendor-license?${unknown}`)).toMatchObject({
      status: 404,
      html: expect.stringContaining('<bdi>&lt;b&gt;no&lt;/b&gt;</bdi> now. <a href="./">'),
    });
    const dead = await start('http://127.0.0.1:9/analyzer');
    expect(await load(`${dead.url}/vendor-license?${unknown}`)).toMatchObject({
      status: 503,
      text: expect.stringContaining('There is no data about'),
    });
  });
});

describe('the page of licenses that could come back', () => {
  it('shows from whom only to those in access.reclaim, and logs that', async () => {
    const users = createUsers('ada', 'bob');
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const app = await startApp(
      createConfig(analyzer.url, { 'web.config_file': users.file, 'access.names': '*', 'access.reclaim': 'ada' }),
    );
    cleanup.add(() => app.stop());
    await eventually('it is ready', async () => (await fetch(`${app.url}/-/ready`, { headers: users.as('ada') })).ok);
    const counts = await load(`${app.url}/reclaim`, users.as('bob'));
    expect(counts.text).toMatch(/Free \d+ of sim-\S+ now .* Could come back: /);
    expect(counts.text).toContain('access.reclaim does not list the user of this request');
    expect(counts.html).not.toMatch(/sim-user|sim-ws|sim-batch|sim-node/);
    const all = await load(`${app.url}/reclaim`, users.as('ada'));
    expect(all.text).toMatch(/sim-(?:user|batch)\d+ sim-(?:ws|node)\d+/);
    const lines = app.log.entries.filter(({ message }) => message === 'names of license users served');
    expect(lines).toEqual([
      expect.objectContaining({ fields: { user: 'ada', page: '/reclaim', names: expect.any(Number) } }),
    ]);
  });

  it('is linked where requests wait or all is in use, unless people is off', async () => {
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const { url } = await start(analyzer.url);
    const { html } = await load(`${url}/`);
    const [, link = ''] = /<a href="(reclaim\?[^"]*)">what could come back<\/a>/.exec(html) ?? [];
    expect((await load(`${url}/${link.replaceAll('&amp;', '&')}`)).status).toBe(200);
    expect(html).toContain('<a href="reclaim">Reclaim</a>');
    const off = await start(analyzer.url, { people: false });
    const feature = link.replace('reclaim', 'feature').replaceAll('&amp;', '&');
    for (const path of ['/', `/${feature}`])
      expect((await load(`${off.url}${path}`)).html, path).not.toContain('reclaim');
    expect(await load(`${off.url}/reclaim`)).toMatchObject({
      status: 404,
      html: expect.stringContaining('the setting <code>people</code> is off'),
    });
  });
});

describe('the page of a feature', () => {
  /** The path of the page of the feature with most licenses in use. */
  async function featurePath(url: string): Promise<string> {
    const { rows } = (await (await fetch(`${url}/grafana/rows/features?product=%25&sort=-In+use&top=1`)).json()) as {
      rows: { product: string; feature: string }[];
    };
    const [{ product, feature } = { product: '', feature: '' }] = rows;
    return `/feature?${parameters({ vendor_license: product, feature })}`;
  }

  it('shows its last 30 days, and who holds it if names are served', async () => {
    const { url } = await startSite({}, { demo: true });
    const { text, html, status } = await load(`${url}${await featurePath(url)}`);
    expect(status).toBe(200);
    expect(text).toMatch(/User Host Holds Since sim-(?:user|batch)\d+ sim-(?:ws|node)\d+ \d license/);
    expect(html.match(/<rect class="used"/g)?.length ?? 0).toBeLessThanOrEqual(30);
    expect(text).toMatch(/\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\. /);
    expect(text).toContain('There is no advice on the number of licenses: rightsizing.enabled is false.');
  });

  it('shows names only to those who may see them', async () => {
    const users = createUsers('ada', 'bob');
    const settings = { 'web.config_file': users.file, 'access.names': 'ada' };
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const app = await startApp(createConfig(analyzer.url, settings));
    cleanup.add(() => app.stop());
    await eventually('it is ready', async () => (await fetch(`${app.url}/-/ready`, { headers: users.as('ada') })).ok);
    const answer = await fetch(`${app.url}/grafana/rows/features?product=%25&sort=-In+use&top=1`, {
      headers: users.as('bob'),
    });
    const { rows } = (await answer.json()) as { rows: { product: string; feature: string }[] };
    const [{ product, feature } = { product: '', feature: '' }] = rows;
    const path = `/feature?${parameters({ vendor_license: product, feature })}`;
    expect((await load(`${app.url}${path}`, users.as('ada'))).text).toContain('sim-user');
    const refused = await load(`${app.url}${path}`, users.as('bob'));
    expect(refused.text).not.toContain('sim-user');
    expect(refused.text).toContain('access.names does not list the user of this request');
  });

  it('says that nobody holds a license only if none is in use', async () => {
    const faulty = await startFaulty(cleanup, { now: () => WORKDAY });
    const { url } = await start(faulty.url, { 'access.names': '*' });
    // the answer of an analyzer that does not know the users, too
    faulty.break('GetUsers', (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}'),
    );
    expect((await load(`${url}${await featurePath(url)}`)).text).toContain(
      'Who holds it Who holds a license of it is not known.',
    );
    const { rows } = (await (await fetch(`${url}/grafana/rows/features?product=%25`)).json()) as {
      rows: { product: string; feature: string; in_use: number | null; max_queued: number | null }[];
    };
    const idle = rows.find((row) => row.in_use === 0 && row.max_queued === 0);
    const path = `/feature?${parameters({ vendor_license: idle?.product ?? '', feature: idle?.feature ?? '' })}`;
    expect((await load(`${url}${path}`)).text).toContain('Nobody holds a license of it, and nobody waits.');
  });

  it('has pictures with axes: of each day, and of each hour of the last week', async () => {
    const { url } = await startSite();
    const { html, text } = await load(`${url}${await featurePath(url)}`);
    expect(html.match(/<svg class="picture[ "]/g)).toHaveLength(2);
    expect(text).toMatch(/Last 30 days .*\b[1-9]\d* 0 .*\d\d-\d\d \d\d-\d\d \d\d-\d\d \d{4}-\d\d-\d\d to \d{4}-/);
    expect(text).toMatch(
      /by the hour Mon Tue Wed Thu Fri Sat Sun .* 00:00 06:00 12:00 18:00 24:00 At most [1-9]\d* in use,/,
    );
  });

  it('says what the analyzer does not answer', async () => {
    const faulty = await startFaulty(cleanup, { now: () => WORKDAY });
    const { url } = await start(faulty.url);
    const path = await featurePath(url);
    faulty.break('GetHistory', (_, response) => response.writeHead(500).end());
    const { status, text } = await load(`${url}${path}`);
    expect(status).toBe(200);
    expect(text).toMatch(/Last 30 days The analyzer answered 500\./);
  });
});

describe.runIf(peer('chromium'))('in Chromium', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  const HOSTILE = `<img src=x onerror="document.title='hacked'">'"&\u202e`;

  it('the pages are flawless in every view, with hostile names too', async () => {
    const faulty = await startFaulty(cleanup);
    const written = JSON.stringify(HOSTILE).slice(1, -1);
    faulty.break('', (_, response, body) =>
      response.end(body.toString().replaceAll('sim-lic01', written).replaceAll('sim-cad', written)),
    );
    const { url } = await start(faulty.url, {}, { demo: true });
    const name = `${HOSTILE};sim_cadd`;
    const paths = [
      '/',
      `/?${parameters({ q: HOSTILE })}`,
      `/vendor-license?${parameters({ name })}`,
      `/feature?${parameters({ vendor_license: name, feature: `${HOSTILE}-1` })}`,
      '/grafana',
    ];
    for (const path of paths) {
      for (const view of Object.values(drawnViews)) {
        const tab = await browser.open(`${url}${path}`, view);
        const look = await tab.look();
        // a long name in a sentence may break anywhere, as it may on its own
        const broken = look.broken.filter((one) => !one.includes('<img src=x'));
        expect({ ...look, broken }, `${path} ${JSON.stringify(view)}`).toMatchObject(flawless);
        expect(await tab.page.title()).not.toBe('hacked');
        expect(await tab.page.evaluate('document.querySelectorAll("main img, main script").length')).toBe(0);
        await tab.page.close();
      }
    }
    const { text } = await load(`${url}${paths[2]}`);
    expect(text).toContain('\ufffd');
  });

  it('the content is refreshed in place, and a page that cannot be refreshed says so', async () => {
    const { url, stop } = await startSite();
    const { page } = await browser.open('about:blank', views.desktop);
    await page.clock.install();
    await page.goto(`${url}/`);
    await page.evaluate('document.querySelector("main").dataset.first = ""');
    await page.clock.fastForward(60_000);
    await page.waitForSelector('main:not([data-first])');
    expect(await page.textContent('#refreshed')).toBe('');
    await stop();
    await page.clock.fastForward(60_000);
    await page.waitForSelector('body.outdated');
    expect(await page.textContent('#refreshed')).toContain('license-exporter cannot be reached');
    await page.close();
  });

  it('the filter works with the keyboard and without scripts', async () => {
    const { url } = await startSite();
    const context = await browser.open(`${url}/`, views.desktop);
    const { page } = context;
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.focus('#filter');
    await page.keyboard.type('cadd');
    await Promise.all([page.waitForURL(/\?q=cadd$/), page.keyboard.press('Enter')]);
    expect(await page.textContent('#found')).toMatch(/^12 features with “cadd”$/);
    await page.close();
  });
});
