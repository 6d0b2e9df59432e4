import { createPattern } from '../../base/model/wildcard.ts';

/** The parameters of a request that are given, by name. */
export type Parameters = Readonly<Record<string, string>>;

/** Matches every value when the parameter is not given. */
export function filter(pattern: string | undefined, ignoreCase = false): (value: string) => boolean {
  return pattern === undefined ? () => true : createPattern(pattern, { ignoreCase });
}
