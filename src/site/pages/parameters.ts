import type { OwnerMapping } from '../../base/model/owners.ts';

/** The parameters of pages and files about the licenses of an owner. */

/** A parameter that cannot be used. The message names it and its valid values. */
export class BadParameter extends Error {
  override readonly name = 'BadParameter';
}

export const shown = (value: unknown): string => JSON.stringify(value).slice(0, 80);

/**
 * The parameters of a request by their names.
 *
 * @throws BadParameter if there is one that nothing reads
 */
export function namedParameters<Name extends string>(
  query: unknown,
  names: readonly Name[],
): Readonly<Partial<Record<Name, unknown>>> {
  const parameters = query as Readonly<Record<string, unknown>>;
  const unnamed = Object.keys(parameters).find((name) => !names.some((known) => known === name));
  if (unnamed === undefined) return parameters as Readonly<Partial<Record<Name, unknown>>>;
  const valid = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  throw new BadParameter(`there is no parameter ${shown(unnamed)}; valid are ${valid}`);
}

/** @throws BadParameter @returns `undefined` if it is not given */
export function integerOf(name: string, raw: unknown, most: number): number | undefined {
  if (raw === undefined) return undefined;
  if (typeof raw !== 'string' || !/^\d{1,6}$/.test(raw) || Number(raw) > most) {
    throw new BadParameter(`${name} is ${shown(raw)}, not an integer from 0 to ${most}`);
  }
  return Number(raw);
}

/**
 * The owners that are asked for, empty for all of them. The empty text stands for features without an owner.
 *
 * @throws BadParameter for one that nothing names: an empty answer would say that nothing of this owner expires
 */
export function ownersOf(raw: unknown, { entries }: OwnerMapping): readonly string[] {
  const asked = raw === undefined ? [] : ([raw].flat() as string[]);
  const known = new Set(['', ...entries.map(({ labels }) => labels.owner ?? '')]);
  const other = asked.find((owner) => !known.has(owner));
  if (other === undefined) return asked;
  throw new BadParameter(`owner is ${shown(other)}, which no entry of owners or owners_file names`);
}
