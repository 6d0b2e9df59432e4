import { expect, it } from 'vitest';
import type { EndedWaits } from '../../../src/base/model/observation/observation.ts';
import { waitedPeople } from '../../../src/base/people.ts';
import { deniedOfFeature } from '../../../src/site/pages/denied.ts';

const name = { vendorLicense: 'lic1;vend', feature: 'solver' };
const clock = { now: 1_800_000_000, timeZone: 'UTC' };
const wait: EndedWaits = { cause: 'all_busy', ended: 'got', episodes: 1, seconds: 300, people: 1 };

const textOf = (denials: number, waits: readonly EndedWaits[] | undefined): string => {
  const waited = waits && waitedPeople(waits, []);
  return String(deniedOfFeature({ value: { features: [{ ...name, denials, waited }] } }, name, clock));
};

it('says who waited until today, also where no request was refused today', () => {
  expect(textOf(0, [wait])).toContain('1 person waited 5 min');
  expect(textOf(0, [])).toContain('Denied today: no request.');
  expect(textOf(0, undefined)).toContain('Denied today: no request.');
  expect(textOf(2, [])).toContain('Nobody has waited so far');
  expect(textOf(2, undefined)).toContain('people are not known');
});
