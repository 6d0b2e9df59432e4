import type { Explanation } from '../../base/model/operator-error.ts';
import { explained, good, stepToAnalyzer, warning } from './step.ts';

/** A larger difference fails NTLMv2, seconds. */
const MAX_SKEW = 300;
/** A larger difference should not occur with synchronized clocks, seconds. */
const SYNCHRONIZED = 30;

/** @param ahead how far the clock of the analyzer is ahead of ours, seconds */
function skewText(ahead: number): string {
  const seconds = Math.round(Math.abs(ahead));
  const size = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `the clock of the analyzer is ${size} ${ahead > 0 ? 'ahead of' : 'behind'} the clock of this host`;
}

const REMEDY = 'synchronize both clocks (NTP)';

/** Why the clocks can make the server reject a logon. @param ahead as above */
export const skewProblem = (ahead: number): Explanation | undefined =>
  Math.abs(ahead) > MAX_SKEW
    ? {
        finding: skewText(ahead),
        remedy: `${REMEDY}: with a difference over 5 minutes, servers can reject NTLMv2 logons`,
      }
    : undefined;

/** Whether the clocks of both hosts agree, by the challenge, else by the Date header. */
export const clockStep = stepToAnalyzer({
  name: 'clock',
  exit: 'local',
  needs: ['HTTP'],
  applies: ({ kind }) => kind === 'remote',
  check: async (_, { clockAhead: ahead }) => {
    if (ahead === undefined) {
      return { result: 'not checked', finding: 'not checked, because the analyzer sends no time' };
    }
    const problem = skewProblem(ahead);
    if (problem !== undefined) return explained(problem);
    if (Math.abs(ahead) > SYNCHRONIZED) return warning(skewText(ahead), REMEDY);
    return good('the clocks of both hosts agree');
  },
});
