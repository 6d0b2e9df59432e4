import type { ProductRecord } from '../model/records.ts';
import { KEEP_NOT_LISTED, type PolledAnswers } from '../model/snapshot.ts';

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
