import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { SourceHealth } from '../../src/observation/source.ts';
import { createSourcePage } from '../../src/sources/page.ts';
import { createCleanup } from '../support/harness.ts';
import { findProgram, peer } from '../support/peers.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const NOW = 1_800_000_000;

const healthOf = (more: Partial<SourceHealth> = {}): SourceHealth => ({
  name: 'cad',
  manager: 'flexnet',
  up: true,
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
  const app = Fastify();
  cleanup.add(() => app.close());
  const { plugin } = createSourcePage({ health: () => sources, now: () => NOW });
  await app.register(plugin, { prefix: '/sources' });
  return (await app.inject({ url: path })).body;
}

const textOf = (html: string): string =>
  html
    .slice(html.indexOf('<body>'))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

const LONG = `The license server 27000@${'a-very-long-host-name.'.repeat(6)}example.com gave an answer that lmstat cannot read. ${'If it has just started, wait. '.repeat(8)}`;

const many = Array.from({ length: 60 }, (_, i) =>
  healthOf({
    name: `source_${'x'.repeat(i % 33)}${i}`,
    up: i % 3 === 0 ? false : i % 3 === 1 ? undefined : true,
    problems: i % 3 === 0 ? [{ kind: 'protocol', message: LONG }] : [],
    vendorLicenses: Array.from({ length: i % 12 }, (_v, daemon) => `27000@lic${i}.example.com;daemon${daemon}`),
  }),
);

describe('/sources', () => {
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
      ' Sources 1 source: 1 not read yet cad flexnet not read yet servers: 27000@lic1 not known read never last data never license-exporter ',
    );
  });

  it('begins with the sources that are down, and counts them', async () => {
    const page = textOf(
      await answerOf([
        healthOf({ name: 'good' }),
        healthOf({ name: 'detail', problems: [{ kind: 'clock', message: 'set the clock', isMinor: true }] }),
        healthOf({ name: 'bad', up: false, problems: [{ kind: 'unreachable', message: 'start `lmgrd`' }] }),
        healthOf({ name: 'new', up: undefined }),
      ]),
    );
    expect(page).toContain('4 sources: 1 down; 1 not read yet; 1 up, with a problem; 1 up');
    const order = ['bad', 'new', 'detail', 'good'].map((name) => page.indexOf(` ${name} flexnet`));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
  });

  it('escapes what comes from configuration and tools', async () => {
    const html = await answerOf([
      healthOf({ up: false, problems: [{ kind: 'exit', message: '<script>alert("`&`")</script>' }] }),
    ]);
    expect(html).not.toContain('<script>');
    expect(html).toContain('&#60;script&#62;alert(&#34;<code>&#38;</code>&#34;)');
  });

  it('is JSON at /sources/status.json, in which what is not known is missing', async () => {
    const [first] = JSON.parse(await answerOf([healthOf({ up: undefined })], '/sources/status.json')) as object[];
    expect(first).toMatchObject({ name: 'cad', runs: { ok: 3 }, members: [{ server: '27000@lic1', up: true }] });
    expect(first).not.toHaveProperty('up');
  });

  it.runIf(peer('chromium'))('needs no horizontal scrolling, also on a phone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-page-'));
    cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
    const quoted = (await answerOf(many)).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const frames = [390, 1280].map((width) => `<iframe style="width:${width}px;border:0" srcdoc="${quoted}"></iframe>`);
    // the page itself runs no script
    const script = `onload = () => {
      const excess = ({ clientWidth, contentDocument: { documentElement: page } }) =>
        clientWidth + ':' + (page.scrollWidth - page.clientWidth);
      document.title = [...document.querySelectorAll('iframe')].map(excess);
    }`;
    writeFileSync(join(folder, 'page.html'), `<title></title>${frames.join('')}<script>${script}</script>`);
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}/profile`];
    const dom = execFileSync(findProgram('chromium') ?? '', [...flags, '--dump-dom', `file://${folder}/page.html`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(/<title>(.*?)<\/title>/.exec(dom)?.[1]).toBe('390:0,1280:0');
  });
});
