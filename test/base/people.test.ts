import { describe, expect, it } from 'vitest';
import { blockedCauses, type EndedWaits, type WaitingPeople } from '../../src/base/model/observation/observation.ts';
import {
  causeRemedies,
  causeTexts,
  elsewhereText,
  minutesText,
  waitedPeople,
  waitedText,
} from '../../src/base/people.ts';

const ended = (more: Partial<EndedWaits>): EndedWaits => ({
  cause: 'all_busy',
  ended: 'got',
  episodes: 1,
  seconds: 60,
  people: 1,
  ...more,
});
const waiting = (more: Partial<WaitingPeople>): WaitingPeople => ({
  cause: 'all_busy',
  people: 1,
  fresh: 1,
  since: 0,
  seconds: 60,
  ...more,
});

describe('the people who waited on a day', () => {
  it('count once, also those who wait again now, with the seconds of all waits', () => {
    const of = [ended({ people: 2, seconds: 100 }), ended({ ended: 'gave_up', people: 1, seconds: 20 })];
    const now = [waiting({ people: 3, fresh: 1, seconds: 600 })];
    expect(waitedPeople(of, now)).toEqual({
      people: 4,
      seconds: 720,
      causes: [{ cause: 'all_busy', people: 4, seconds: 720 }],
      now,
      waiting: 3,
      elsewhere: undefined,
    });
  });

  it('have the cause with the longest waits first', () => {
    const of = [ended({ seconds: 10 }), ended({ cause: 'expired', seconds: 30 })];
    const { causes } = waitedPeople(of, [waiting({ cause: 'free_elsewhere', seconds: 20 })]);
    expect(causes.map(({ cause }) => cause)).toEqual(['expired', 'free_elsewhere', 'all_busy']);
  });

  it('do not exist where nobody waited', () => {
    expect(waitedPeople([], [])).toMatchObject({ people: 0, seconds: 0, causes: [] });
  });
});

describe('words about them', () => {
  it('are those of one and of several', () => {
    expect(waitedText({ people: 4, seconds: 93 * 60 })).toBe('4 people waited 93 min');
    expect(waitedText({ people: 1, seconds: 60 })).toBe('1 person waited 1 min');
    expect(elsewhereText({ licenses: 3, vendorLicense: 'lic2;vend' })).toBe('3 licenses were free on lic2;vend');
    expect(elsewhereText({ licenses: 1, vendorLicense: 'lic2;vend' })).toBe('1 license was free on lic2;vend');
  });

  it('have whole minutes', () => {
    expect([0, 59, 60, 89, 90, 60_000].map(minutesText)).toEqual([
      'less than 1 min',
      'less than 1 min',
      '1 min',
      '1 min',
      '2 min',
      '1,000 min',
    ]);
  });

  it('name each cause by a text of its own, and its remedy as a sentence', () => {
    expect(new Set(blockedCauses.map((cause) => causeTexts[cause])).size).toBe(blockedCauses.length);
    for (const cause of blockedCauses) expect(causeRemedies[cause]).toMatch(/^[A-Z].*\.$/);
  });
});
