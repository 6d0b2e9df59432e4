import type { ExpirationRecord, FeatureRecord, ProductRecord } from '../../base/model/records.ts';
import { type FeaturesAnswer, KEEP_NOT_LISTED, type PolledAnswers, WHOLE } from '../../base/model/snapshot.ts';
import { canonical } from '../../base/model/vendor-license.ts';

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

/** The vendor license that a record names, lower case; empty if it names none. */
const ownerOf = (record: FeatureRecord | ExpirationRecord): string =>
  'serverName' in record ? canonical(`${record.serverName};${record.daemon}`) : '';

/** A text that only records about the same feature have. */
const featureKey = (record: FeatureRecord | ExpirationRecord): string =>
  JSON.stringify([ownerOf(record), record.feature, record.version, record.package, record.featureType]);

/** A record with the names and attributes of another one, and no figures. */
const blankOf = <R extends object>(record: R): R =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  ) as R;

/**
 * Completes the features of an answer with unusable records: says since when those of which vendor licenses are incomplete, and
 * keeps for a day the names that they lack.
 *
 * @param part the part that was asked for; its records belong to it, also those that name another one
 * @param before the last good answer
 * @param now epoch seconds
 */
export function keepFeatures<R extends FeatureRecord | ExpirationRecord>(
  answer: FeaturesAnswer<R>,
  part: string,
  before: FeaturesAnswer<R> | undefined,
  now: number,
): FeaturesAnswer<R> {
  const { incomplete = [] } = answer;
  if (incomplete.length === 0) return answer;
  const names = part === WHOLE ? incomplete : [canonical(part)];
  const isAnyLacking = part !== WHOLE || incomplete.includes(WHOLE);
  const mayLack = (record: R): boolean => isAnyLacking || incomplete.includes(ownerOf(record));
  // a record that has not changed is the same object
  const [present, earlier] = [new Set(answer.records), new Set(before?.records)];
  const listed = new Map<string, number>();
  for (const record of answer.records) {
    if (earlier.has(record) || !mayLack(record)) continue;
    const key = featureKey(record);
    listed.set(key, (listed.get(key) ?? 0) + 1);
  }
  const known = [...(before?.records ?? []).map((record) => ({ record, since: now })), ...(before?.notListed ?? [])];
  const notListed = known.flatMap(({ record, since }) => {
    if (present.has(record) || !mayLack(record)) return [];
    const key = featureKey(record);
    const count = listed.get(key) ?? 0;
    listed.set(key, count - 1);
    if (count > 0 || now - since >= KEEP_NOT_LISTED) return [];
    return [{ record: since === now ? blankOf(record) : record, since }];
  });
  return {
    ...answer,
    incompleteSince: new Map(names.map((name) => [name, before?.incompleteSince?.get(name) ?? now])),
    notListed,
  };
}
