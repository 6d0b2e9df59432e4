import type { Answers } from '../client/decode.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { createPattern } from '../model/wildcard.ts';
import type { EndpointName, ParametersOf } from '../query-api/endpoints.ts';
import { DatasourceError } from './errors.ts';
import type { Notice, TargetAnswer } from './panel-data.ts';
import { featuresByVendorLicense, type PolledSite } from './polled-site.ts';
import { matcherOf, type Query } from './query.ts';
import { requestText, type UpstreamCache } from './upstream-cache.ts';

/** One vendor license and feature of a query; the analyzer gets a request for each. */
export interface Combination {
  /** As the analyzer spells it. */
  readonly product: string;
  readonly feature: string;
}

/** What a query asks about: at most `MAX_COMBINATIONS`, and how many there are in all. */
export interface CombinationList {
  readonly asked: readonly Combination[];
  readonly total: number;
}

export interface Combinations extends CombinationList {
  /** Whether the query may be about several, so that answers must name theirs. */
  readonly areSeveralProducts: boolean;
  readonly areSeveralFeatures: boolean;
}

/** Combinations that one target asks about at most. */
const MAX_COMBINATIONS = 20;

const isPattern = (text: string): boolean => text.includes('%');

/** The analyzer's spellings of a product of a query: of a pattern all that match, of a name with several parts all parts. */
function productsOf(product: string, site: PolledSite | undefined, expand: boolean): readonly string[] {
  if (isPattern(product) && !expand) return [product];
  const spellings = site === undefined ? [] : [...site.inventory.spellings.values()];
  if (isPattern(product)) {
    const matches = createPattern(product, { ignoreCase: false });
    return spellings.flat().filter((name) => matches(name) || matches(parseVendorLicense(name).vendorLicense));
  }
  if (spellings.some((names) => names.includes(product))) return [product];
  const wanted = product.toLowerCase();
  const found = spellings.find((names) =>
    names.some((name) => parseVendorLicense(name).vendorLicense.toLowerCase() === wanted),
  );
  // a name the last poll does not know may have history all the same
  return found ?? [product];
}

/** The vendor licenses of a query, as the analyzer spells them, that the ad-hoc filters let through. */
function ownersOf(query: Query, site: PolledSite | undefined, expand: boolean): readonly string[] {
  const spelled = new Set(query.values.products.flatMap((product) => productsOf(product, site, expand)));
  return [...spelled].filter((product) => query.allows('product', parseVendorLicense(product).vendorLicense));
}

/** The first combinations of vendor licenses with their features, and how many there are. */
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

/** Every vendor license of a query with each of some feature patterns, which the analyzer expands. */
export const everyOwner = (query: Query, site: PolledSite, features: readonly string[]): CombinationList =>
  combine(ownersOf(query, site, true), () => features);

/**
 * The analyzer adds up what matches a pattern, and all packages where none is named: a filter cannot exclude a part of a sum.
 *
 * @throws DatasourceError that names the filter
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

/** @throws DatasourceError when a pattern cannot be expanded, because nothing has been polled yet */
export function combinationsOf(query: Query, site: PolledSite | undefined): Combinations {
  const { products, features, ftype, type, wildcard } = query.values;
  const expand = wildcard !== 'upstream';
  const [expandsProducts, expandsFeatures] = [products, features].map((texts) => expand && texts.some(isPattern));
  if ((expandsProducts || expandsFeatures) && (site === undefined || site.inventory.vendorLicenses.count === 0)) {
    throw new DatasourceError('upstream_down', `${query.target}: % stands for known names, and none is known yet`);
  }
  requireApplicable(query, expand);
  const isPackageAsked = query.values.package === undefined || query.allows('package', query.values.package);
  const owners = isPackageAsked ? ownersOf(query, site, expand) : [];
  // one name of each needs no look-up
  const isPlain = !expandsFeatures && owners.length <= 1;
  const byLicense = site === undefined || isPlain ? undefined : featuresByVendorLicense(site, ftype ?? type);
  const knownOf = (product: string) => byLicense?.get(parseVendorLicense(product).vendorLicense);
  const names = features.filter((feature) => !(isPattern(feature) && expand));
  const patterns = features.filter((feature) => isPattern(feature) && expand);
  const matches = patterns.length === 0 ? () => false : matcherOf(patterns);
  // a feature is asked for where it is known; one that is known nowhere may have history all the same
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

/** The part of a name that distinguishes a combination from the others; empty where there is only one. */
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
 * Asks about every combination.
 *
 * @throws DatasourceError the first failure, when there is no answer at all
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
