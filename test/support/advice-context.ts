import type { AdviceContext } from '../../src/insight/advice/method/advice.ts';

/** What advice depends on beside the demand, as it is by default. */

export const workingTime = { weekdays: new Set([1, 2, 3, 4, 5]), from: 8, to: 18 };

export const contextOf = (given: Partial<AdviceContext> & Pick<AdviceContext, 'today'>): AdviceContext => ({
  tolerance: 4,
  workingTime,
  bought: undefined,
  exclusion: undefined,
  interval: 60,
  ...given,
});
