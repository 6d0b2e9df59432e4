import type { SourceHealth } from '../model/observation/source.ts';

/** The health of a source as JSON, in `/sources/status.json` and in the output of `doctor --json`. */
export const healthJson = ({ runs, ...health }: SourceHealth): object => ({
  ...health,
  runs: Object.fromEntries(runs),
});
