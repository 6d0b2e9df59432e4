import type { ProductRecord } from '../model/records.ts';
import { type FeaturesAnswer, KEEP_NOT_LISTED, type PolledAnswers, WHOLE } from '../model/snapshot.ts';
import { canonical } from '../model/vendor-license.ts';

/** Lists with unusable records: they add and update, and never remove. */

type Products = PolledAnswers['GetProducts'];

const keyOf = ({ product }: Pick<ProductRecord, 'product'>): string => product.toLowerCase();

/**
 * Keeps what an answer with unusable records lacks: any of these can be about it, so nothing is known to be gone. A name
 * is kept while another endpoint has it, else for a day.
 *
 * @param before the last good answer
 * @param isNamed whether another endpoint names a product
 * @param now epoch seconds
 */
export function keepNotListed(
  answer: Products,
  before: Products | undefined,
  isNamed: (product: string) => boolean,
  now: number,
): Products {
  if (answer.discarded.bad_record === 0) return answer;
  const listed = new Set(answer.records.map(keyOf));
  const names = [
    ...(before?.notListed ?? []),
    ...(before?.records ?? []).map(({ product }) => ({ product, since: now })),
  ];
  const notListed = names.filter(
    ({ product, since }) => !listed.has(keyOf({ product })) && (now - since < KEEP_NOT_LISTED || isNamed(product)),
  );
  const kept = [...new Map(notListed.map((name) => [keyOf(name), name])).values()];
  return { ...answer, incompleteSince: before?.incompleteSince ?? now, notListed: kept };
}

/**
 * Says since when the features of which vendor licenses are incomplete.
 *
 * @param part the part that was asked for; its records belong to it, also those that name another one
 * @param before the last good answer
 * @param now epoch seconds
 */
export function markIncomplete(
  answer: FeaturesAnswer,
  part: string,
  before: FeaturesAnswer | undefined,
  now: number,
): FeaturesAnswer {
  if (answer.incomplete.length === 0) return answer;
  const names = part === WHOLE ? answer.incomplete : [canonical(part)];
  return {
    ...answer,
    incompleteSince: new Map(names.map((name) => [name, before?.incompleteSince?.get(name) ?? now])),
  };
}
