import { afterEach, describe, expect, it } from 'vitest';
import {
  createCleanup,
  createClient,
  createConfig,
  eventually,
  startAnalyzer,
  startApp,
} from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

describe('the history collector', () => {
  it('exports the newest day that the analyzer has recorded', async () => {
    const product = 'sim-lic01;sim_cadd';
    const feature = 'sim-mesh-2';
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const { client } = createClient(analyzer.url);
    cleanup.add(() => client.close());
    const config = createConfig(analyzer.url, {
      'metrics.collectors.history': true,
      'history.features': [{ vendor_license: product, feature }],
    });
    const app = await startApp(config);
    cleanup.add(() => app.stop());
    const name = (what: string): string =>
      `license_feature_history_${what}{vendor_license="${product}",feature="${feature}",package="",feature_type=""}`;
    await eventually('the metric', async () => (await app.sample(name('timestamp_seconds'))) !== undefined);
    const [, elapsed, denials] = await client.getHistory({ product, feature }, new AbortController().signal);
    const at = elapsed?.at.at(-1) ?? 0;
    expect(await app.sample(name('timestamp_seconds'))).toBe(at / 1000);
    expect(await app.sample(name('elapsed_time'))).toBe(elapsed?.values.at(-1));
    expect(await app.sample(name('denials'))).toBe(denials?.values.at(-1));
  });
});
