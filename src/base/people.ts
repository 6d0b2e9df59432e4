import type { BlockedCause, Elsewhere, EndedWaits, Ending, WaitingPeople } from './model/observation/observation.ts';
import { countText, numberText } from './texts.ts';

/** The people who waited for a feature on a day, as pages, alerts and Grafana tell of them. */
export interface WaitedPeople {
  /** Each counts once, also those who still wait. A process that has begun within the day knows fewer. */
  readonly people: number;
  /** Of all of them together, so far. */
  readonly seconds: number;
  /** The one with most seconds first. Its people are those who waited for it first. */
  readonly causes: readonly { readonly cause: BlockedCause; readonly people: number; readonly seconds: number }[];
  /** Those who wait now. */
  readonly now: readonly WaitingPeople[];
  /** How many these are. */
  readonly waiting: number;
  /** Where licenses were free when one of them was refused last. */
  readonly elsewhere: Elsewhere | undefined;
}

/** @param ended of the day @param now of the last collection */
export function waitedPeople(
  ended: readonly EndedWaits[],
  now: readonly WaitingPeople[],
  elsewhere?: Elsewhere,
): WaitedPeople {
  const parts = [...ended, ...now.map(({ cause, fresh, seconds }) => ({ cause, people: fresh, seconds }))];
  const causes = [...Map.groupBy(parts, ({ cause }) => cause)].map(([cause, own]) => ({ cause, ...sumOf(own) }));
  const waiting = now.reduce((sum, { people }) => sum + people, 0);
  return { ...sumOf(parts), causes: causes.sort((a, b) => b.seconds - a.seconds), now, waiting, elsewhere };
}

function sumOf(parts: readonly { readonly people: number; readonly seconds: number }[]) {
  const sum = (key: 'people' | 'seconds'): number => parts.reduce((total, part) => total + part[key], 0);
  return { people: sum('people'), seconds: sum('seconds') };
}

/** What causes are called. */
export const causeTexts: Readonly<Record<BlockedCause, string>> = {
  free_elsewhere: 'free on another vendor license',
  reserved_for_others: 'reserved for others',
  held_idle: 'held idle',
  all_busy: 'all busy',
  all_in_use: 'all in use',
  expired: 'expired',
  not_licensed: 'not licensed',
  not_permitted: 'not permitted',
  other: 'another cause',
  unknown: 'cause not known',
};

/** What endings are called. */
export const endingTexts: Readonly<Record<Ending, string>> = {
  got: 'got a license',
  gave_up: 'gave up',
  lost: 'end not seen',
};

/** What ends waits of a cause. */
export const causeRemedies: Readonly<Record<BlockedCause, string>> = {
  free_elsewhere: 'Add that server to the list of servers of these clients.',
  reserved_for_others: 'Shorten the reservation, or include these users.',
  held_idle: 'Take idle licenses back.',
  all_busy: 'All licenses were in use, and none is known to be idle: more licenses end it.',
  all_in_use: 'Compare the highest use with the number of licenses.',
  expired: 'Renew the license.',
  not_licensed: 'Correct the license of the server, or the feature or version that the client asks for.',
  not_permitted: 'Correct the rules for users and hosts of the server.',
  other: 'Read the log of the license manager.',
  unknown: 'Read the log of the license manager.',
};

/** `93 min`. */
export const minutesText = (seconds: number): string =>
  seconds < 60 ? 'less than 1 min' : `${numberText(Math.round(seconds / 60))} min`;

/** `4 people waited 93 min`. */
export const waitedText = ({ people, seconds }: Pick<WaitedPeople, 'people' | 'seconds'>): string =>
  `${countText(people, 'person', 'people')} waited ${minutesText(seconds)}`;

/** `3 licenses were free on lic2`. */
export const elsewhereText = ({ licenses, vendorLicense }: Elsewhere): string =>
  `${countText(licenses, 'license')} ${licenses === 1 ? 'was' : 'were'} free on ${vendorLicense}`;
