import type { Advice } from '../method/advice.ts';
import { type Advised, type Change, changeAfter } from '../method/change.ts';
import { noStreak, type Streak, streakAfter } from '../method/run-out-streak.ts';

/** What is remembered of a series from one pass to the next one. */
export interface Memory {
  readonly streak: Streak;
  /** What the pass advised; `undefined` before the first one. */
  readonly advised: Advised | undefined;
  readonly change: Change | undefined;
}

/** Before the first pass. */
export const noMemory: Memory = { streak: noStreak, advised: undefined, change: undefined };

/** What is remembered after the advice of another pass. */
export function memoryAfter(memory: Memory, advice: Advice, today: number): Memory {
  const { state, count, bought, confidence, lastYear, enough, refusalDays, mayRise } = advice;
  return {
    streak: streakAfter(memory.streak, advice, today),
    advised: { state, count, bought, confidence, lastYear, enough, refusalDays, mayRise },
    change: changeAfter(memory.change, memory.advised, advice),
  };
}
