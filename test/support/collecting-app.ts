import { createCollecting } from '../../src/analyzer/analyzer.ts';
import type { SourceHealth } from '../../src/base/model/observation/source.ts';
import { type Clock, createClock } from '../../src/base/scheduling/clock.ts';
import { createApp } from '../../src/program/app/app.ts';
import { createSourceAnalyzers } from '../../src/program/app/source-analyzers.ts';
import { loadConfig } from '../../src/program/config/load.ts';
import type { SettingKey } from '../../src/program/config/settings.ts';
import { quickPolls } from './end-to-end.ts';
import { type Cleanup, createTestLog, sampleOf } from './harness.ts';

interface CollectingApp {
  readonly url: string;
  readonly log: ReturnType<typeof createTestLog>;
  /** Collects from every source now. */
  collect(): Promise<void>;
  health(): readonly SourceHealth[];
  metrics(): Promise<string>;
  sample(name: string): Promise<number | undefined>;
}

/**
 * License managers, analyzer, exporter and its page in this process, as `serve` wires them. It polls every second, and
 * collects at the start and when the test asks for it.
 */
export async function startCollectingApp(
  cleanup: Cleanup,
  sources: readonly object[],
  settings: Partial<Record<SettingKey, unknown>> = {},
  clock: Clock = createClock(),
): Promise<CollectingApp> {
  const flags = new Map(
    Object.entries({
      ...quickPolls,
      'web.listen_address': '127.0.0.1:0',
      'embedded_analyzer.time_zone': 'UTC',
      'embedded_analyzer.sources': sources,
      ...settings,
    }),
  ) as Map<SettingKey, unknown>;
  const config = loadConfig({ flags, env: {}, requireAnalyzer: true });
  const timeZone = config.datasource.timeZone ?? config.embeddedAnalyzer.timeZone;
  const log = createTestLog();
  const { analyzer, health, stop } = createCollecting(config, {
    clock,
    log,
    version: '0.0.0',
    clients: undefined,
    askAnalyzers: createSourceAnalyzers,
  });
  cleanup.add(stop);
  await analyzer.start();
  const app = createApp(
    { ...config, datasource: { ...config.datasource, timeZone } },
    {
      log,
      version: '0.0.0',
      revision: 'test',
      demo: false,
      clock,
      own: analyzer,
      sources: health,
      recorded: analyzer.demand,
      recording: analyzer.recording,
    },
  );
  cleanup.add(() => app.stop());
  await app.start();
  const [url = ''] = app.addresses();
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  return {
    url,
    log,
    collect: () => analyzer.collector.collect(),
    health,
    metrics,
    sample: async (name) => sampleOf(await metrics(), name),
  };
}
