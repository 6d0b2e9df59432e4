import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slow test files, the slowest first. The others follow, sorted by their last duration or, before the first run, by size. */
export const longest = [
  'sources/slurm-controller',
  'archive/two-analyzers',
  'alerts/histories',
  'alerts/unknown-values',
  'analyzer/history-charts',
  'alerts/end-to-end',
  'alerts/crash',
  'pages/pages',
  'app/names-only',
  'alerts/one-message',
  'app/sources',
  'app/faults',
  'messages/daemon',
  'sources/text-managers/any-text',
  'alerts/outage',
  'app/failure-log',
  'commands/process',
  'exchange/demo-year',
  'grafana/stopped',
  'alerts/relay',
  'alerts/clock',
  'rightsizing/simulated-site',
  'analyzer/simulated-site',
  'commands/import-analyzer',
  'commands/sources',
  'app/slow-scrape',
  'datasource/upstream',
  'archive/archive',
  'alerts/simulated-site',
  'client/logon-file',
  'deploy/alertmanager',
  'sources/transport/command-runs',
  'sources/transport/killed-daemon',
  'peers/proxies',
  'app/clock',
  'app/vanished',
  'grafana/promql',
  'messages/webhook',
] as const;

const rank = ({ moduleId }: TestSpecification): number => {
  const at = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at === -1 ? longest.length : at;
};

/** Starts slow files first, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
