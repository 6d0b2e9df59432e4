import type { BlockedPeople } from '../blocked/blocked-people.ts';
import type { PersonLog } from '../blocked/person-log.ts';
import type { DayPlan } from './simulated-day.ts';

/** The log of requests that a license server of the simulated site would write, for those who wait. */

/** Those who are refused ask again, seconds. */
const RETRY = 30;

/** Begins a log of all servers together. */
export function createRequestLog(people: BlockedPeople): PersonLog {
  const log = people.log({ userOf: (client) => client, vendorLicenseOf: (name) => name });
  log.date(0, 0);
  return log;
}

/** Writes the requests after one time until another to the log. Epoch seconds. @param about the feature that is asked for */
export function logRequests(
  log: PersonLog,
  { sessions, refused }: Pick<DayPlan, 'sessions' | 'refused'>,
  about: { readonly vendorLicense: string; readonly feature: string },
  [after, until]: readonly [number, number],
): void {
  const { vendorLicense, feature } = about;
  const asked = (user: string) =>
    [`${vendorLicense} ${feature} ${user}`, { daemon: vendorLicense, feature, client: user }] as const;
  for (const { user, from, to } of refused) {
    const first = from > after ? from : from + (Math.floor((after - from) / RETRY) + 1) * RETRY;
    for (let at = first; at <= Math.min(until, to); at += RETRY) log.refused(...asked(user), at, 'all_in_use');
  }
  for (const { user, from } of sessions) if (from > after && from <= until) log.got(...asked(user), from);
}
