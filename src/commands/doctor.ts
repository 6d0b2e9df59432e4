import { logonFileOf } from '../app/account.ts';
import { type CollectingAnalyzer, createCollecting } from '../app/collecting-analyzer.ts';
import { createSimulatedAnalyzer } from '../app/embedded-analyzer.ts';
import { createOwnAnalyzer, demoDefaults } from '../app/own-analyzer.ts';
import type { AnalyzerConfig, Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { createSelection } from '../inventory/selection.ts';
import type { Log } from '../model/log.ts';
import type { SourceHealth } from '../observation/source.ts';
import { cronProblem } from '../poll/schedule.ts';
import { healthJson } from '../sources/health-json.ts';
import type { CommandContext } from './command.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import { diagnosisText, sourcesText } from './doctor-report.ts';
import type { Plan } from './examination.ts';

const planOf = ({ poll, featuresRequest, expirationSearch, shard, select }: Config): Plan => ({
  poll,
  featuresRequest,
  expirationSearch,
  ...createSelection({ shard, ...select }),
});

/** Reads every source once, and examines the analyzer that collects from them. */
async function examineSources(
  config: Config,
  log: Log,
  version: string,
  examineAnalyzer: (analyzer: AnalyzerConfig) => Promise<Diagnosis>,
): Promise<{ readonly sources: readonly SourceHealth[]; readonly diagnosis: Diagnosis }> {
  let collecting: CollectingAnalyzer | undefined;
  const own = createOwnAnalyzer(config, { log, version, others: () => [] }, (options) => {
    collecting = createCollecting(config, options);
    return collecting.analyzer;
  });
  try {
    await own.analyzer.start();
    await own.analyzer.collector.firstCollection();
    return { sources: collecting?.health() ?? [], diagnosis: await examineAnalyzer(own.config()) };
  } finally {
    await collecting?.stop();
  }
}

/**
 * Calls every endpoint once, as the exporter does, and compares the answers with the specification. With sources, it reads
 * each of them once before. Returns 0 if the exporter accepts all answers and no source has failed, else 1.
 */
export async function doctor({ line, env, version, createLog, print }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, defaults: demoDefaults, requireAnalyzer: !line.demo, cronProblem });
  // standard output is for the result
  const log = createLog({ ...config.log, level: config.log.level === 'info' ? 'warn' : config.log.level });
  const examine = (analyzer: AnalyzerConfig, storagePath: string | undefined): Promise<Diagnosis> =>
    diagnose({ plan: planOf(config), analyzer, storagePath, log, version });
  const report = (diagnosis: Diagnosis): number => {
    print(line.json ? `${JSON.stringify(diagnosis, undefined, 2)}\n` : diagnosisText(diagnosis));
    return diagnosis.healthy ? 0 : 1;
  };
  if (config.analyzer !== undefined && !line.demo) {
    if (logonFileOf(config.analyzer, config.storagePath) === undefined) {
      log.warn({}, 'without storage.path or analyzer.logon_file, logons of other processes are not counted');
    }
    return report(await examine(config.analyzer, config.storagePath));
  }
  // another port and no storage, because a daemon may be running
  const listen = { host: '127.0.0.1', port: 0 };
  const own = { ...config, storagePath: undefined, embeddedAnalyzer: { ...config.embeddedAnalyzer, listen } };
  if (config.embeddedAnalyzer.sources.length > 0 && !line.demo) {
    // each failure is part of the result
    const { sources, diagnosis } = await examineSources(
      own,
      createLog({ ...config.log, level: 'error' }),
      version,
      (analyzer) => examine(analyzer, undefined),
    );
    const healthy = diagnosis.healthy && sources.every(({ up }) => up === true);
    if (line.json) {
      print(`${JSON.stringify({ ...diagnosis, healthy, sources: sources.map(healthJson) }, undefined, 2)}\n`);
    } else print(`${sourcesText(sources)}\n${diagnosisText(diagnosis)}`);
    return healthy ? 0 : 1;
  }
  const demo = createOwnAnalyzer(own, { log, version, others: () => [] }, (options) =>
    createSimulatedAnalyzer(own, options),
  );
  await demo.analyzer.start();
  try {
    return report(await examine(demo.config(), undefined));
  } finally {
    await demo.analyzer.stop();
  }
}
