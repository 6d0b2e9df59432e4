import { afterEach, describe, expect, it } from 'vitest';
import { quickPolls } from '../../support/end-to-end.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const PASS = 'license_rightsizing_last_success_timestamp_seconds';

describe('the results of right-sizing', () => {
  it('are in the metrics after the first pass, and not without right-sizing', async () => {
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const start = async (settings: Parameters<typeof createConfig>[1]) => {
      const app = await startApp(
        createConfig(analyzer.url, { ...quickPolls, 'rightsizing.enabled': true, ...settings }),
      );
      cleanup.add(() => app.stop());
      return app;
    };
    const before = Date.now() / 1000;
    const app = await start({});
    await eventually('the pass', async () => (await app.sample(PASS)) !== undefined);
    expect(await app.sample(PASS)).toBeGreaterThan(before);
    expect(await app.sample('license_rightsizing_duration_seconds')).toBeGreaterThan(0);

    for (const settings of [{ 'rightsizing.enabled': false }, { 'metrics.collectors.rightsizing': false }]) {
      const other = await start(settings);
      const logged = (text: string) => other.log.entries.some(({ message }) => message.includes(text));
      if ('metrics.collectors.rightsizing' in settings)
        await eventually('its pass', async () => logged('advice on the number of licenses computed'));
      const series = async () => (await other.metrics()).match(/^license_poll_last_success.*GetProducts.*$/m)?.[0];
      const polled = await series();
      await eventually('two more polls', async () => (await series()) !== polled);
      expect(await other.sample(PASS)).toBeUndefined();
    }
  });
});
