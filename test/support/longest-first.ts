import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, the longest first. The others follow by their size or, once they were run, by what they took. */
export const longest = [
  'alerts/end-to-end',
  'alerts/crash',
  'alerts/outage',
  'commands/process',
  'analyzer/history-charts',
  'deploy/alerting',
  'bench/bench',
  'analyzer/simulated-site',
  'commands/doctor',
  'commands/analyzer',
  'grafana/promql',
  'peers/prometheus',
  'app/faults',
  'web/access',
] as const;

const rank = ({ moduleId }: TestSpecification): number => {
  const at = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at === -1 ? longest.length : at;
};

/** Starts long files first, so that none is left alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
