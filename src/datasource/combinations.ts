import type { Answers } from '../decoding/decode.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { createPattern } from '../model/wildcard.ts';
import type { EndpointName, ParametersOf } from '../query-api/endpoints.ts';
import { DatasourceError } from './errors.ts';
import { featuresByVendorLicense } from './known-data.ts';
import type { Notice, TargetAnswer } from './panel-data.ts';
import { matcherOf, type Query } from './query.ts';
import { requestText, type UpstreamCache } from './upstream-cache.ts';

/** One vendor license and feature of a query. Each is a request to the analyzer. */
export interface Combination {
  /** In the spelling of the analyzer. */
  readonly product: string;
  readonly feature: string;
}

/** The combinations of a query, at most `MAX_COMBINATIONS`, and their total number. */
export interface CombinationList {
  readonly asked: readonly Combination[];
  readonly total: number;
}

export interface Combinations extends CombinationList {
  /** Whether the query can have several combinations. Answers then contain their names. */
  readonly areSeveralProducts: boolean;
  readonly areSeveralFeatures: boolean;
}

/** Maximum number of combinations of a target. */
const MAX_COMBINATIONS = 20;

const isPattern = (text: string): boolean => text.includes('%');

/** The products of a query in the spelling of the analyzer: all that match a pattern, and all parts of a vendor license. */
function productsOf(product: string, inventory: Inventory | undefined, expand: boolean): readonly string[] {
  if (isPattern(product) && !expand) return [product];
  const spellings = inventory === undefined ? [] : [...inventory.spellings.values()];
  if (isPattern(product)) {
    const matches = createPattern(product, { ignoreCase: false });
    return spellings.flat().filter((name) => matches(name) || matches(parseVendorLicense(name).vendorLicense));
  }
  if (spellings.some((names) => names.includes(product))) return [product];
  const wanted = product.toLowerCase();
  const found = spellings.find((names) =>
    names.some((name) => parseVendorLicense(name).vendorLicense.toLowerCase() === wanted),
  );
  // a name that is not in the last poll can still have history
  return found ?? [product];
}

/** The vendor licenses of a query that pass the ad-hoc filters, in the spelling of the analyzer. */
function ownersOf(query: Query, inventory: Inventory | undefined, expand: boolean): readonly string[] {
  const spelled = new Set(query.values.products.flatMap((product) => productsOf(product, inventory, expand)));
  return [...spelled].filter((product) => query.allows('product', parseVendorLicense(product).vendorLicense));
}

/** The first combinations of vendor licenses and their features, and their total number. */
function combine(owners: readonly string[], featuresOf: (product: string) => readonly string[]): CombinationList {
  const asked: Combination[] = [];
  let total = 0;
  for (const product of owners) {
    const features = featuresOf(product);
    const shown = features.slice(0, MAX_COMBINATIONS - asked.length);
    asked.push(...shown.map((feature) => ({ product, feature })));
    total += features.length;
  }
  return { asked, total };
}

/** Every vendor license of a query with each feature pattern. The analyzer expands the patterns. */
export const everyOwner = (query: Query, inventory: Inventory, features: readonly string[]): CombinationList =>
  combine(ownersOf(query, inventory, true), () => features);

/**
 * The analyzer returns one sum for all matches of a pattern, and for all packages if none is set. A filter cannot exclude a
 * part of a sum.
 *
 * @throws DatasourceError with the filter that cannot be applied
 */
function requireApplicable({ target, values, isFiltered }: Query, expand: boolean): void {
  const addedUp = {
    product: !expand && values.products.some(isPattern),
    feature: !expand && values.features.some(isPattern),
    package: values.package === undefined,
  };
  const key = (['product', 'feature', 'package'] as const).find((name) => addedUp[name] && isFiltered(name));
  if (key === undefined) return;
  const message = `${target}: an ad-hoc filter on ${key} cannot be applied, because the analyzer adds up every ${key}`;
  throw new DatasourceError('bad_parameter', message);
}

/** @throws DatasourceError if a pattern cannot be expanded, because no poll has finished yet */
export function combinationsOf(query: Query, inventory: Inventory | undefined): Combinations {
  const { products, features, ftype, type, wildcard } = query.values;
  const expand = wildcard !== 'upstream';
  const [expandsProducts, expandsFeatures] = [products, features].map((texts) => expand && texts.some(isPattern));
  if ((expandsProducts || expandsFeatures) && (inventory === undefined || inventory.vendorLicenses.count === 0)) {
    throw new DatasourceError('upstream_down', `${query.target}: % cannot be expanded, because no names are known yet`);
  }
  requireApplicable(query, expand);
  const isPackageAsked = query.values.package === undefined || query.allows('package', query.values.package);
  const owners = isPackageAsked ? ownersOf(query, inventory, expand) : [];
  // one name of each needs no lookup
  const isPlain = !expandsFeatures && owners.length <= 1;
  const byLicense = inventory === undefined || isPlain ? undefined : featuresByVendorLicense(inventory, ftype ?? type);
  const knownOf = (product: string) => byLicense?.get(parseVendorLicense(product).vendorLicense);
  const names = features.filter((feature) => !(isPattern(feature) && expand));
  const patterns = features.filter((feature) => isPattern(feature) && expand);
  const matches = patterns.length === 0 ? () => false : matcherOf(patterns);
  // requests a feature where it is known; an unknown feature can still have history
  const isKnown = new Set(names.filter((name) => owners.some((product) => knownOf(product)?.has(name))));
  const featuresOf = (product: string): readonly string[] => {
    const known = knownOf(product) ?? new Set<string>();
    const named = names.filter((name) => known.has(name) || !isKnown.has(name));
    const expanded =
      patterns.length === 0 ? [] : [...known].filter((name) => matches(name) && !names.includes(name)).sort();
    return [...named, ...expanded].filter((feature) => query.allows('feature', feature));
  };
  return {
    ...combine(owners, featuresOf),
    areSeveralProducts: owners.length > 1 || expandsProducts === true,
    areSeveralFeatures: features.length > 1 || expandsFeatures === true,
  };
}

/** The suffix that distinguishes a combination from the others; empty if there is only one. */
export function suffixOf(
  { product, feature }: Combination,
  { areSeveralProducts, areSeveralFeatures }: Combinations,
): string {
  const parts = [...(areSeveralProducts ? [product] : []), ...(areSeveralFeatures ? [feature] : [])];
  return parts.length === 0 ? '' : ` - ${parts.join(' ')}`;
}

export interface CombinationAnswers<T> extends Omit<TargetAnswer, 'items'> {
  readonly answers: readonly { readonly combination: Combination; readonly answer: T }[];
}

/**
 * Sends the request of every combination.
 *
 * @throws DatasourceError the first failure, if all requests failed
 */
export async function askAll<E extends EndpointName>(
  { asked, total }: CombinationList,
  endpoint: E,
  parametersOf: (combination: Combination) => ParametersOf<E>,
  upstream: UpstreamCache,
  signal: AbortSignal,
): Promise<CombinationAnswers<Answers[E]>> {
  const outcomes = await Promise.allSettled(
    asked.map((combination) => upstream.ask(endpoint, parametersOf(combination), signal)),
  );
  const notices: Notice[] = [];
  const answers: { combination: Combination; answer: Answers[E] }[] = [];
  let first: DatasourceError | undefined;
  outcomes.forEach((outcome, i) => {
    const combination = asked[i] as Combination;
    if (outcome.status === 'fulfilled') {
      answers.push({ combination, answer: outcome.value });
      return;
    }
    if (!(outcome.reason instanceof DatasourceError)) throw outcome.reason;
    first ??= outcome.reason;
    notices.push({
      severity: 'error',
      text: `feature ${JSON.stringify(combination.feature)}: ${outcome.reason.message}`,
    });
  });
  if (first !== undefined && answers.length === 0) throw first;
  if (total > asked.length) {
    const text = `${asked.length} of ${total} combinations of product and feature are shown; narrow the selection`;
    notices.push({ severity: 'warning', text });
    first ??= new DatasourceError('too_many', text);
  }
  const [combination] = asked;
  return {
    answers,
    notices,
    ...(combination !== undefined && { executed: requestText(endpoint, parametersOf(combination)) }),
    ...(first !== undefined && { incomplete: first }),
  };
}
