import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SourceHealth } from '../../../src/base/model/observation/source.ts';
import { sourcesRoutes } from '../../../src/site/pages/sources/route.ts';
import { drawnViews, flawless, startBrowser, type TestBrowser } from '../../support/browser.ts';
import { createCleanup } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { recorded } from '../../support/recording.ts';
import { servePage, testSite, textOf } from '../../support/served-page.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const NOW = 1_800_000_000;

const healthOf = (more: Partial<SourceHealth> = {}): SourceHealth => ({
  name: 'cad',
  manager: 'flexnet',
  up: true,
  isServerDown: false,
  failedReadings: 0,
  problems: [],
  lastReadAt: NOW - 10,
  lastSuccessAt: NOW - 10,
  duration: 0.25,
  lastDiagnostics: { unparsed: 0, masks: [], contradictions: 0 },
  contradictions: 0,
  runs: new Map([['ok', 3]]),
  members: [{ server: '27000@lic1', up: true, isMaster: true }],
  vendorLicenses: ['27000@lic1;flexd'],
  ...more,
});

async function answerOf(sources: readonly SourceHealth[], path = '/sources'): Promise<string> {
  return (await fetch(`${await serve(sources)}${path}`)).text();
}

async function serve(sources: readonly SourceHealth[], recording = recorded(NOW)): Promise<string> {
  const collecting = { sources: () => sources, recording: () => recording };
  const routes = sourcesRoutes({ site: testSite, collecting, now: () => NOW }, { path: 'sources', title: 'Sources' });
  return servePage(cleanup, '/sources', routes);
}

const LONG = `The license server 27000@${'a-very-long-host-name.'.repeat(6)}example.com gave an answer that lmstat cannot read. ${'If it has just started, wait. '.repeat(8)}`;

const many = Array.from({ length: 15 }, (_, i) =>
  healthOf({
    name: `source_${'x'.repeat(i * 2)}${i}`,
    up: i % 3 === 0 ? false : i % 3 === 1 ? undefined : true,
    problems: i % 3 === 0 ? [{ kind: 'protocol', message: LONG }] : [],
    vendorLicenses: Array.from({ length: i % 12 }, (_v, daemon) => `27000@lic${i}.example.com;daemon${daemon}`),
  }),
);

describe('/sources', () => {
  it('says when the next reading is', async () => {
    const page = await answerOf([healthOf({ nextReadAt: NOW + 50 }), healthOf({ name: 'late', nextReadAt: NOW - 1 })]);
    expect(textOf(page)).toContain('last data 10 s ago next reading in 50 s');
    expect(textOf(page)).toContain('next reading in 0 s');
    expect(page).toContain(`<time datetime="${new Date((NOW + 50) * 1000).toISOString()}">`);
    expect(JSON.parse(await answerOf([healthOf({ nextReadAt: NOW + 50 })], '/sources/status.json'))).toMatchObject([
      { nextReadAt: NOW + 50 },
    ]);
  });

  it('shows what is not known as such, and never as 0', async () => {
    const unread = healthOf({
      up: undefined,
      lastReadAt: undefined,
      lastSuccessAt: undefined,
      duration: undefined,
      lastDiagnostics: undefined,
      members: [{ server: '27000@lic1', up: undefined, isMaster: false }],
      vendorLicenses: [],
    });
    expect(textOf(await answerOf([unread]))).toBe(
      'Sources 1 source: 1 not read yet cad flexnet not read yet servers: 27000@lic1 not known read never last data never',
    );
  });

  it('begins with the sources that are down, and counts them', async () => {
    const page = textOf(
      await answerOf([
        healthOf({ name: 'good' }),
        healthOf({ name: 'detail', problems: [{ kind: 'clock', message: 'set the clock', isMinor: true }] }),
        healthOf({ name: 'unread', up: false, isServerDown: undefined, problems: [{ kind: 'exit', message: 'why' }] }),
        healthOf({
          name: 'bad',
          up: false,
          isServerDown: true,
          problems: [{ kind: 'unreachable', message: 'start `lmgrd`' }],
        }),
        healthOf({ name: 'new', up: undefined }),
      ]),
    );
    expect(page).toContain('5 sources: 1 down; 1 cannot be read; 1 not read yet; 1 up, with a problem; 1 up');
    const order = ['bad', 'unread', 'new', 'detail', 'good'].map((name) => page.indexOf(` ${name} flexnet`));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
  });

  it('escapes what comes from configuration and tools', async () => {
    const html = await answerOf([
      healthOf({ up: false, problems: [{ kind: 'exit', message: '<script>alert("`&`")</script>' }] }),
    ]);
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;alert(&quot;<code>&amp;</code>&quot;)');
  });

  it('says which imports contradict themselves', async () => {
    const [first, last] = [20_000, 20_010];
    const made = { form: 'FlexNet debug log', at: NOW - 60, first, last, series: 2 };
    const imports = [
      { ...made, name: 'good.log', contradictions: 0 },
      { ...made, name: 'bad.log', contradictions: 3 },
    ];
    const page = textOf(await (await fetch(`${await serve([], recorded(NOW, { imports }))}/sources`)).text());
    expect(page).toMatch(/bad\.log .*2 features 3 lines contradict those before, so figures may be wrong .*good\.log/);
    expect(page.match(/contradict/g)).toHaveLength(1);
  });

  it('is JSON at /sources/status.json, in which what is not known is missing', async () => {
    const [first] = JSON.parse(
      await answerOf([healthOf({ up: undefined, isServerDown: undefined })], '/sources/status.json'),
    ) as object[];
    expect(first).toMatchObject({ name: 'cad', runs: { ok: 3 }, members: [{ server: '27000@lic1', up: true }] });
    expect(first).not.toHaveProperty('up');
    expect(first).not.toHaveProperty('isServerDown');
  });

  describe.runIf(peer('chromium'))('in a browser', () => {
    let browser: TestBrowser;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser.close());

    it.each(Object.entries(drawnViews))('is flawless: %s', async (_, view) => {
      expect(await browser.look(`${await serve(many)}/sources`, view)).toMatchObject(flawless);
    });
  });
});
