import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slow test files, the slowest first. The others follow, sorted by their last duration or, before the first run, by size. */
export const longest = [
  'alerts/end-to-end',
  'alerts/crash',
  'alerts/one-message',
  'messages/daemon',
  'alerts/relay',
  'alerts/histories',
  'alerts/unusable-records',
  'alerts/outage',
  'alerts/clock',
  'commands/process',
  'analyzer/history-charts',
  'deploy/alerting',
  'analyzer/simulated-site',
  'alerts/engine',
  'app/sources',
  'commands/doctor',
  'diagnosis/first-mistakes',
  'commands/sources',
  'commands/analyzer',
  'sources/transport/command-runs',
  'sources/transport/killed',
  'sources/transport/killed-daemon',
  'grafana/promql',
  'peers/prometheus',
  'app/faults',
  'web/access',
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
