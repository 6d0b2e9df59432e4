import { describe, expect, it } from 'vitest';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import { changeText } from '../../../src/insight/advice/method/change.ts';
import { type Memory, memoryAfter, noMemory } from '../../../src/insight/advice/pass/memory.ts';
import { adviceWith } from '../../support/advice.ts';

/** Since when advice is what it is, over passes on days in a row. */

const FIRST = Date.UTC(2026, 10, 20) / 86_400_000;

/** What the page says on the last of some days. @param days the advice of each of them */
function saidAfter(...days: readonly Partial<Advice>[]): string | undefined {
  let memory: Memory = noMemory;
  for (const [i, day] of days.entries()) {
    memory = memoryAfter(memory, adviceWith({ ...day, computed: FIRST + i }), FIRST + i);
    // as a file keeps it
    memory = { ...noMemory, ...(JSON.parse(JSON.stringify(memory)) as Partial<Memory>) };
  }
  return changeText(memory.change, FIRST + days.length - 1);
}

const six = { bought: 20, count: 6, lastYear: 12, enough: 14 };

describe('a change of advice', () => {
  it('is not known on the first day, nor while nothing changes', () => {
    expect(saidAfter(six)).toBeUndefined();
    expect(saidAfter(six, { ...six, lastYear: 11 }, six)).toBeUndefined();
    const none = { ...six, count: undefined };
    expect(
      saidAfter({ ...none, state: 'tight' }, { ...none, state: 'fine', confidence: 'provisional' }),
    ).toBeUndefined();
  });

  it.each<[string, Partial<Advice>, Partial<Advice>]>([
    [
      'Until 2026-11-20, 6 could go: the coming year is expected to need 13 instead of 14.',
      six,
      { ...six, count: 7, enough: 13 },
    ],
    [
      'Until 2026-11-20, 6 could go: the last year needed 16 instead of 12 and the coming year is expected to need 15 instead of 14.',
      six,
      { ...six, count: 4, lastYear: 16, enough: 15 },
    ],
    ['Until 2026-11-20, 6 could go: bought are 30 instead of 20.', six, { ...six, bought: 30, count: 16 }],
    [
      'Until 2026-11-20, 6 could go: days with refused requests are 5 instead of 0.',
      { ...six, refusalDays: 0 },
      { ...six, state: 'fine', count: undefined, refusalDays: 5 },
    ],
    [
      'Until 2026-11-20, 6 could go: the recorded year is another one.',
      six,
      { ...six, state: 'fine', count: undefined },
    ],
    [
      'Until 2026-11-20, none could go: the last year needed 12 instead of 20.',
      { ...six, state: 'tight', count: undefined, lastYear: 20 },
      six,
    ],
    [
      'Until 2026-11-20, 1 license is missing: bought are 21 instead of 20.',
      { ...six, state: 'missing', count: 1 },
      { ...six, bought: 21, state: 'fine', count: undefined },
    ],
    [
      'Until 2026-11-20, there was no advice: too little was recorded.',
      { state: 'not enough data', count: undefined },
      six,
    ],
    [
      'Until 2026-11-20, there was no advice: it was excluded from advice.',
      { state: 'no advice', count: undefined },
      six,
    ],
    [
      'Until 2026-11-20, 6 could go: it is excluded from advice now.',
      six,
      { ...six, state: 'no advice', count: undefined },
    ],
    [
      'Until 2026-11-20, 6 could go: too little is recorded now.',
      six,
      { ...six, state: 'not enough data', count: undefined },
    ],
    [
      'Until 2026-11-20, 6 could go: no use was seen for a half year.',
      six,
      { ...six, state: 'unused', count: undefined },
    ],
    [
      'Until 2026-11-20, this was not provisional: use may rise.',
      six,
      { ...six, confidence: 'provisional', uncertainties: ['use may rise'] },
    ],
    [
      'Until 2026-11-20, this was provisional: nothing makes it provisional any more.',
      { ...six, confidence: 'provisional', uncertainties: ['use may rise'] },
      six,
    ],
  ])('says until when, what and why: %s', (said, before, now) => {
    expect(saidAfter(before, now)).toBe(said);
    // and still says it on the next days
    expect(saidAfter(before, now, now, now)).toBe(said);
  });

  it('is that of the newest change', () => {
    expect(saidAfter(six, { ...six, count: 7, enough: 13 }, { ...six, count: 8, enough: 12 })).toBe(
      'Until 2026-11-21, 7 could go: the coming year is expected to need 12 instead of 13.',
    );
  });

  it('is not said after four weeks', () => {
    const changed = [six, ...Array.from({ length: 29 }, () => ({ ...six, count: 7, enough: 13 }))];
    expect(saidAfter(...changed)).toContain('Until 2026-11-20');
    expect(saidAfter(...changed, changed.at(-1) ?? six)).toBeUndefined();
  });
});
