import { createCollecting } from '../../analyzer/analyzer.ts';
import { createClock } from '../../base/scheduling/clock.ts';
import { embeddedName } from '../../exporter/client/identity.ts';
import { createDemoAnalyzer, demoDefaults } from '../app/demo-analyzer.ts';
import { createSourceAnalyzers } from '../app/source-analyzers.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { notAsked } from '../diagnosis/endpoint-diagnosis.ts';
import { exitCodeOf, type Report, reportJson, reportText } from '../diagnosis/report.ts';
import type { Site } from '../diagnosis/site.ts';
import { checkSteps, type Evidence, type StepResult } from '../diagnosis/step.ts';
import { checkConfiguration, steps, withoutConfiguration } from '../diagnosis/steps.ts';
import type { CommandContext } from './command.ts';

/** What every site has, wherever its analyzer runs. */
type Common = Pick<Site, 'config' | 'env' | 'log' | 'version'>;

/** No storage and no archive for an analyzer in this process, and another port if it listens, because a daemon may be running. */
const beside = (config: Config, listen?: { readonly host: string; readonly port: number }): Config => ({
  ...config,
  storage: { path: undefined, archive: undefined },
  embeddedAnalyzer: { ...config.embeddedAnalyzer, listen },
});

async function examine(site: Site, before: StepResult): Promise<Report> {
  const evidence: Evidence = {};
  const checked = [before, ...(await checkSteps(steps, site, evidence))];
  const failed = checked.find(({ result }) => result === 'failed')?.step;
  const isOwn = site.kind === 'own';
  const analyzer = isOwn ? embeddedName() : site.analyzer.url;
  const diagnosis = evidence.diagnosis ?? notAsked(analyzer, !isOwn, `not called, because ${failed} failed`);
  return { steps: checked, diagnosis, sources: site.kind === 'own' ? site.sources : undefined };
}

/** Reads every source once, and examines the analyzer that collects from them. */
async function examineSources(common: Common, before: StepResult): Promise<Report> {
  const { config, log, version } = common;
  const { analyzer, health, stop } = createCollecting(beside(config), {
    clock: createClock(),
    log,
    version,
    clients: undefined,
    // their logons count with those of the daemon: an account has one budget
    askAnalyzers: (_, options) => createSourceAnalyzers(config.storage.path, options),
  });
  try {
    await analyzer.start();
    await analyzer.collector.firstCollection();
    // nothing is read again
    const sources = health().map(({ nextReadAt: _, ...read }) => read);
    return await examine({ ...common, kind: 'own', answer: analyzer.answer, sources }, before);
  } finally {
    await stop();
  }
}

async function examineDemo(common: Common, before: StepResult): Promise<Report> {
  const { config, log, version } = common;
  const own = beside(config, { host: '127.0.0.1', port: 0 });
  const demo = createDemoAnalyzer(own, { clock: createClock(), log, version });
  await demo.analyzer.start();
  try {
    const site: Site = { ...common, kind: 'demo', analyzer: demo.config(), storagePath: undefined, sources: [] };
    return await examine(site, before);
  } finally {
    await demo.analyzer.stop();
  }
}

/**
 * Checks step by step whether a daemon with this configuration would work, and calls every endpoint once, as the exporter does.
 * With sources, it reads each of them once before. Returns 0 if no step fails, else the code of the first that does.
 */
export async function doctor({ line, env, version, createLog, print }: CommandContext): Promise<number> {
  const isDemo = line.switches.has('demo');
  const { config, result } = checkConfiguration(() => {
    const defaults = isDemo ? { defaults: demoDefaults } : {};
    return loadConfig({ ...line, ...defaults, env, requireAnalyzer: !isDemo });
  }, line.configFile);
  const finish = (report: Report): number => {
    print(line.switches.has('json') ? reportJson(report) : reportText(report));
    return exitCodeOf(report);
  };
  if (config === undefined) {
    return finish({ steps: [result, ...withoutConfiguration(steps)], diagnosis: undefined, sources: undefined });
  }
  const { analyzer, embeddedAnalyzer, storage } = config;
  const isOwn = analyzer === undefined && embeddedAnalyzer.sources.length > 0;
  // standard output is for the result, of which each failure of a source is a part
  const { level } = config.log;
  const log = createLog({ ...config.log, level: isOwn ? 'error' : level === 'info' ? 'warn' : level });
  const common: Common = { config, env, log, version };
  if (isDemo) return finish(await examineDemo(common, result));
  if (analyzer === undefined) return finish(await examineSources(common, result));
  return finish(await examine({ ...common, kind: 'remote', analyzer, storagePath: storage.path, sources: [] }, result));
}
