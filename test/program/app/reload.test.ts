import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';

/** A reload while the data of before is still being rendered, and another one meanwhile. */

const renderer = vi.hoisted(() => ({ gate: Promise.resolve(), begun: 0 }));
vi.mock('../../../src/exporter/metrics/family.ts', async (importOriginal) => {
  const actual = await importOriginal<typeof import('../../../src/exporter/metrics/family.ts')>();
  const { createBlock } = actual;
  return {
    ...actual,
    createBlock: async (...args: Parameters<typeof createBlock>) => {
      renderer.begun += 1;
      await renderer.gate;
      return createBlock(...args);
    },
  };
});

/** Pollers that were started and not stopped. */
const polling = vi.hoisted(() => new Set<object>());
vi.mock('../../../src/exporter/poll/poller.ts', async (importOriginal) => {
  const actual = await importOriginal<typeof import('../../../src/exporter/poll/poller.ts')>();
  const { createPoller } = actual;
  return {
    ...actual,
    createPoller: (...args: Parameters<typeof createPoller>) => {
      const poller = createPoller(...args);
      const listen = (): Promise<void> => {
        polling.add(poller);
        return poller.start();
      };
      const stop = async (): Promise<void> => {
        await poller.stop();
        polling.delete(poller);
      };
      return { ...poller, start: listen, stop };
    },
  };
});

const cleanup = createCleanup();
afterEach(async () => {
  renderer.gate = Promise.resolve();
  await cleanup.run();
});

async function start() {
  const analyzer = await startAnalyzer({}, { gate: 'none' });
  cleanup.add(() => analyzer.stop());
  const config = createConfig(analyzer.url);
  const app = await startApp(config);
  cleanup.add(() => app.stop());
  await eventually('data', async () => /^license_feature_in_use\{.*^license_up 1$/ms.test(await app.metrics()));
  return { analyzer, config, app };
}

describe('a reload', () => {
  it('takes no series from the page', async () => {
    const { config, app } = await start();
    const { promise, resolve } = Promise.withResolvers<void>();
    renderer.gate = promise;
    const begun = renderer.begun;
    const reloaded = app.reload(config);
    await eventually('the new pipeline renders', () => renderer.begun > begun);
    expect(app.log.entries.map(({ message }) => message)).toContain('configuration reloaded');
    const page = await app.metrics();
    expect(page).toContain('license_feature_in_use{');
    expect(page).toMatch(/^license_up 1$/m);
    resolve();
    await reloaded;
    expect(await app.metrics()).toContain('license_feature_in_use{');
  });

  it('changes the name of the analyzer on the page', async () => {
    const analyzer = await startAnalyzer({}, { gate: 'none' });
    cleanup.add(() => analyzer.stop());
    const app = await startApp(createConfig(analyzer.url));
    cleanup.add(() => app.stop());
    const { host } = new URL(analyzer.url);
    const infoOf = (page: string) => /^license_exporter_analyzer_info\{(.*)\} 1$/m.exec(page)?.[1];
    // from the first page on, whether it has data or not
    expect(infoOf(await app.metrics())).toMatch(`analyzer="${host}",shard="",external_url="http://127.0.0.1:`);
    const settings = { 'analyzer.name': 'paris', 'shard.index': 1, 'shard.total': 2, 'web.external_url': 'http://mon' };
    await app.reload(createConfig(analyzer.url, settings));
    expect(infoOf(await app.metrics())).toBe('analyzer="paris",shard="1",external_url="http://mon"');
  });

  it('during another one leaves one pipeline that polls, and none after the end', async () => {
    const { config, app } = await start();
    await Promise.all([app.reload(config), app.reload(config), app.reload(config)]);
    expect(polling.size).toBe(1);
    await Promise.all([app.reload(config), app.stop(), app.reload(config)]);
    expect(polling.size).toBe(0);
  });
});
