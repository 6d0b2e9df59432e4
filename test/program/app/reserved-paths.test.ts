import { afterEach, describe, expect, it } from 'vitest';
import { assets } from '../../../src/base/html/assets.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import { ConfigError } from '../../../src/program/config/problems.ts';
import { reservedPaths } from '../../../src/site/pages/table.ts';
import { createMounts } from '../../../src/site/site.ts';
import { pathList } from '../../../src/site/web/landing-page.ts';
import {
  createCleanup,
  createConfig,
  createTestLog,
  eventually,
  startAnalyzer,
  startApp,
} from '../../support/harness.ts';
import { testSite } from '../../support/served-page.ts';

/** The paths that a setting cannot take, beside those that are really there. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const load = (flag: string, path: string): unknown =>
  loadConfig({ flags: new Map([[flag, path]]) as never, env: {}, requireAnalyzer: false });

const notAsked = (): never => {
  throw new Error('no request is sent');
};
const PAGES = createMounts(
  createConfig('http://127.0.0.1:9', {}),
  testSite,
  {
    demo: false,
    version: '1',
    served: notAsked,
    sources: () => [],
    recording: notAsked,
    deniedToday: undefined,
    imported: notAsked,
    metricsPage: notAsked,
    access: notAsked,
    isReady: notAsked,
    url: notAsked,
    reload: undefined,
    now: () => 0,
    log: createTestLog(),
  },
  createTestLog(),
).map(({ path }) => path);

describe('the reserved paths', () => {
  it('are those of all pages and assets, and nothing else', () => {
    const own = PAGES.filter((path) => path !== '/' && path !== '/grafana');
    const roots = own.map((path) => (path.startsWith('/api/v1') ? '/api/v1' : path));
    const files = Object.keys(assets).map((name) => `/${name}`);
    expect([...new Set([...roots, ...files, '/-'])].sort()).toEqual([...reservedPaths].sort());
    expect(JSON.stringify(pathList({ telemetryPath: '/m', mounts: [] }))).toContain('/-/healthy');
  });

  it.each(['web.telemetry_path', 'datasource.path'])('are refused for %s, and what is below them', (setting) => {
    for (const path of [...PAGES, ...reservedPaths]) {
      if (path === '/grafana') continue;
      expect(() => load(setting, path), path).toThrow(ConfigError);
      expect(() => load(setting, `${path === '/' ? '' : path}/x/`), path).toThrow(ConfigError);
      if (path !== '/') expect(() => load(setting, `${path}/x`), path).toThrow(/free: other pages use/);
    }
    expect(() => load(setting, '/alertsx')).not.toThrow();
  });

  it('leave paths that a daemon can serve', async () => {
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const settings = { 'web.telemetry_path': '/api/metrics', 'datasource.path': '/feature-history' };
    const app = await startApp(createConfig(analyzer.url, settings));
    cleanup.add(() => app.stop());
    await eventually('metrics', async () => (await fetch(`${app.url}/api/metrics`)).ok);
    await eventually('rows', async () => (await fetch(`${app.url}/feature-history/rows/products`)).ok);
  });
});
