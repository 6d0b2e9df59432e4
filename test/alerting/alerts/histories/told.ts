import type { FailureKind } from '../../../../src/base/model/failure.ts';
import type { Endpoint } from './history.ts';
import type { World } from './world.ts';

/** What the analyzer has told a process: the sites that its good answers showed, and which requests failed. */

/** A good answer. */
export interface Received {
  /** By the clock of the host, epoch seconds. */
  readonly at: number;
  /** The site that it showed. */
  readonly site: World;
  /** Records that could not be used: any of them can be about what the answer lacks. */
  readonly unusable: number;
  /** When the first of the successive answers with unusable records came, epoch seconds. */
  readonly unusableSince: number | undefined;
  /** Vendor licenses that earlier answers listed and that this one lacks, while records are unusable, and since when. */
  readonly kept: ReadonlyMap<string, number>;
}

/** The newest outcome of a request. */
export interface Told {
  readonly isGood: boolean;
  /** Why it failed; `refused` is an empty list that is not accepted yet. */
  readonly failure: FailureKind | 'refused' | undefined;
  /** The last good answer. */
  readonly last: Received | undefined;
}

/** An endpoint that is polled. */
export interface ToldBy {
  /** An answer counts for this long, seconds. */
  readonly maxAge: number;
  /** Empty before the first request. By vendor license, by the question of a history, or one with an empty name. */
  readonly parts: ReadonlyMap<string, Told>;
}

/** Only the endpoints that are polled. */
export type AllTold = ReadonlyMap<Endpoint, ToldBy>;

/** The part that is an endpoint as a whole. */
export const ALL = '';

/** A site of which nothing is listed. */
export const nothing: World = { vendorLicenses: [], features: [], isEmpty: true };

const namesOf = ({ site, kept }: Received): readonly string[] => [
  ...site.vendorLicenses.map(({ name }) => name),
  ...kept.keys(),
];

/** A good answer after those before it. */
export function received(site: World, unusable: number, at: number, before: Received | undefined): Received {
  const listed = new Set(site.vendorLicenses.map(({ name }) => name));
  const missing = unusable === 0 || before === undefined ? [] : namesOf(before).filter((name) => !listed.has(name));
  return {
    at,
    site,
    unusable,
    unusableSince: unusable === 0 ? undefined : (before?.unusableSince ?? at),
    kept: new Map(missing.map((name) => [name, before?.kept.get(name) ?? at])),
  };
}
