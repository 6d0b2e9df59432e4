import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slow test files, the slowest first. The others follow, sorted by their last duration or, before the first run, by size. */
export const longest = [
  'analyzer/sources/slurm-controller',
  'analyzer/archive/two-analyzers',
  'alerting/alerts/histories',
  'alerting/alerts/unknown-values',
  'analyzer/history/history-charts',
  'alerting/alerts/end-to-end',
  'alerting/alerts/crash',
  'site/pages/pages',
  'program/app/names-only',
  'alerting/alerts/one-message',
  'program/app/sources',
  'program/app/faults',
  'alerting/messages/daemon',
  'analyzer/sources/text-managers/any-text',
  'alerting/alerts/outage',
  'program/app/failure-log',
  'program/commands/process',
  'analyzer/exchange/demo-year',
  'grafana/stopped',
  'alerting/alerts/relay',
  'alerting/alerts/clock',
  'insight/advice/simulated-site',
  'analyzer/simulated/simulated-site',
  'program/commands/import-analyzer',
  'program/commands/sources',
  'program/app/slow-scrape',
  'site/grafana/upstream',
  'analyzer/archive/archive',
  'alerting/alerts/simulated-site',
  'exporter/client/logon-file',
  'deploy/alertmanager',
  'analyzer/sources/transport/command-runs',
  'analyzer/sources/transport/killed-daemon',
  'peers/proxies',
  'program/app/clock',
  'program/app/vanished',
  'grafana/promql',
  'alerting/messages/webhook',
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
