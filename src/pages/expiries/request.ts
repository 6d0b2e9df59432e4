import type { OwnerMapping } from '../../model/owners.ts';

/** The parameters of a request for expiries. */

export interface ExpiryRequest {
  /** Owners that are asked for, empty for all of them. The empty text stands for features without an owner. */
  readonly owner: readonly string[];
  /** Days from now until the last expiry; `undefined` without a limit. */
  readonly days: number | undefined;
}

/** A parameter that cannot be used. The message names it and its valid values. */
export class BadParameter extends Error {
  override readonly name = 'BadParameter';
}

const names = ['owner', 'days'];

const show = (value: unknown): string => JSON.stringify(value).slice(0, 80);

function daysOf(raw: unknown): number | undefined {
  if (raw === undefined) return undefined;
  if (typeof raw !== 'string' || !/^\d{1,5}$/.test(raw)) {
    throw new BadParameter(`days is ${show(raw)}, not an integer from 0 to 99999`);
  }
  return Number(raw);
}

function ownersOf(raw: unknown, { entries }: OwnerMapping): readonly string[] {
  const asked = raw === undefined ? [] : ([raw].flat() as string[]);
  const known = new Set(['', ...entries.map(({ labels }) => labels.owner ?? '')]);
  const unknown = asked.find((owner) => !known.has(owner));
  // an empty answer would say that nothing of this owner expires
  if (unknown !== undefined) {
    throw new BadParameter(`owner is ${show(unknown)}, which no entry of owners or owners_file names`);
  }
  return asked;
}

/** @throws BadParameter */
export function readExpiryRequest(parameters: object, owners: OwnerMapping): ExpiryRequest {
  const unknown = Object.keys(parameters).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new BadParameter(`there is no parameter ${show(unknown)}; valid are ${names.join(' and ')}`);
  }
  const { owner, days } = parameters as Readonly<Record<string, unknown>>;
  return { owner: ownersOf(owner, owners), days: daysOf(days) };
}
