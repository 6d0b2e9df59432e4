import { isKnown, shareOf } from '../../../base/model/unknown.ts';
import { canonical, parseVendorLicense } from '../../../base/model/vendor-license.ts';
import { createPattern } from '../../../base/model/wildcard.ts';
import type { EndpointName, ParametersOf } from '../../../base/query-api/endpoints.ts';
import { createPlaces } from '../../../base/scheduling/places.ts';
import { namesText, numberText } from '../../../base/texts.ts';
import type { Answers } from '../../../exporter/inventory/decoding/decode.ts';
import type { FeatureRow } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import { DatasourceError } from './errors.ts';
import { withLiteralNames } from './known-data.ts';
import { keyOf, type Notice, type TargetAnswer } from './panel-data.ts';
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
  /** Which of them are asked, if not all. */
  readonly choice?: string;
}

/** The vendor licenses and features that a query is about, after wildcards and filters. */
export interface Combinations extends CombinationList {
  /** What the list leaves out for other reasons than its length. */
  readonly notices: readonly Notice[];
  /** Whether the query can have several combinations. Answers then contain their names. */
  readonly areSeveralProducts: boolean;
  readonly areSeveralFeatures: boolean;
}

/** Maximum number of charts, and of combinations of which a panel of the old protocol asks who holds licenses now. */
export const MAX_COMBINATIONS = 20;
/**
 * Maximum number of combinations of which a target asks what was. All that match are asked: what is busy now says nothing about
 * the past. An analyzer in this process answers them in some seconds.
 */
const MAX_OF_PAST = 1000;
/** Maximum number of combinations of which rows have who holds licenses now, of an analyzer in this process, and elsewhere. */
const MAX_OF_USERS = { here: 1000, elsewhere: 100 } as const;
/** Requests of one target that are sent, or wait for a connection, at once. */
const MAX_OPEN = 20;

/** What the last poll says about a feature that a query may be about. */
interface KnownFeature {
  /** Higher for a feature of which more users can be expected, or, in the old protocol, whose users matter more. */
  readonly rank: number;
  /** Whether it is known that no checkout is listed of it. */
  readonly isUnlisted: boolean;
}

/** Features by vendor license and name. */
type KnownFeatures = ReadonlyMap<string, ReadonlyMap<string, KnownFeature>>;

/** The column of `users` that idle checkouts alone have. */
export const IDLE_FOR = 'Idle for';

/** Whether a query is about idle checkouts alone. */
const isAboutIdle = ({ values }: Query): boolean =>
  values.lists.with?.some((name) => keyOf(name) === keyOf(IDLE_FOR)) === true;

function describe(row: FeatureRow, query: Query): KnownFeature {
  const { isForRows } = query;
  const { inUse, maxInUse, maxQueued, maxAvailable, inactiveUse } = row;
  if (isAboutIdle(query) && isKnown(inactiveUse)) return { rank: inactiveUse, isUnlisted: inactiveUse === 0 };
  const share = shareOf(isKnown(maxInUse) ? maxInUse : inUse, maxAvailable);
  const waiting = isKnown(maxQueued) ? maxQueued : 0;
  const held = isForRows ? inUse : share;
  const weight = !isKnown(held) ? 0 : isForRows ? held : Math.min(held, 1) / 2;
  return { rank: waiting + weight, isUnlisted: inUse === 0 && maxQueued === 0 };
}

/** Of several rows of one feature, such as its versions, the highest counts. */
const joined = (one: KnownFeature | undefined, other: KnownFeature): KnownFeature =>
  one === undefined ? other : { rank: Math.max(one.rank, other.rank), isUnlisted: one.isUnlisted && other.isUnlisted };

/** The features of some vendor licenses. It visits each feature only once, because a large site has 100,000. */
function knownFeatures(inventory: Inventory, owners: ReadonlySet<string>, query: Query): KnownFeatures {
  const { ftype, type } = query.values;
  const featureType = ftype ?? type;
  const found = new Map<string, Map<string, KnownFeature>>();
  for (const row of inventory.features) {
    const { vendorLicense, feature } = row;
    if (!owners.has(vendorLicense) || (featureType !== undefined && row.featureType !== featureType)) continue;
    const features = found.get(vendorLicense) ?? new Map<string, KnownFeature>();
    found.set(vendorLicense, features);
    features.set(feature, joined(features.get(feature), describe(row, query)));
  }
  return found;
}

/** The products of a query in the spelling of the analyzer: all that match a pattern, and all parts of a vendor license. */
function productsOf(
  product: string,
  { isPattern }: Query,
  inventory: Inventory | undefined,
  expand: boolean,
): readonly string[] {
  if (isPattern(product) && !expand) return [product];
  const spellings = inventory === undefined ? [] : [...inventory.spellings.values()];
  if (isPattern(product)) {
    const matches = createPattern(product, { ignoreCase: false });
    return spellings.flat().filter((name) => matches(name) || matches(parseVendorLicense(name).vendorLicense));
  }
  if (spellings.some((names) => names.includes(product))) return [product];
  const wanted = product.toLowerCase();
  const found = spellings.find((names) => names.some((name) => canonical(name) === wanted));
  // a name that is not in the last poll can still have history
  return found ?? [product];
}

/** The vendor licenses of a query that pass the ad-hoc filters, in the spelling of the analyzer. */
function ownersOf(query: Query, inventory: Inventory | undefined, expand: boolean): readonly string[] {
  const spelled = new Set(query.values.products.flatMap((product) => productsOf(product, query, inventory, expand)));
  return [...spelled].filter((product) => query.allows('product', parseVendorLicense(product).vendorLicense));
}

/** Every vendor license of a query with each feature pattern. The analyzer expands the patterns. */
export function everyOwner(query: Query, inventory: Inventory, features: readonly string[]): CombinationList {
  const all = ownersOf(query, inventory, true).flatMap((product) => features.map((feature) => ({ product, feature })));
  return { asked: all.slice(0, MAX_COMBINATIONS), total: all.length };
}

/**
 * The analyzer returns one sum for all matches of a pattern, and for all packages if none is set. A filter cannot exclude a
 * part of a sum.
 *
 * @throws DatasourceError with the filter that cannot be applied
 */
function requireApplicable({ target, values, isFiltered, isPattern }: Query, expand: boolean): void {
  const isSum = {
    product: !expand && values.products.some(isPattern),
    feature: !expand && values.features.some(isPattern),
    package: values.package === undefined,
  };
  const key = (['product', 'feature', 'package'] as const).find((name) => isSum[name] && isFiltered(name));
  if (key === undefined) return;
  const message = `${target}: an ad-hoc filter on ${key} cannot be applied, because the analyzer adds up every ${key}`;
  throw new DatasourceError('bad_parameter', message);
}

/**
 * The analyzer takes a `%` in a name for any text too, and adds up what matches.
 *
 * @returns the other names that it adds to those asked
 */
function addedUp(asked: readonly Combination[], known: KnownFeatures): readonly Notice[] {
  return asked
    .filter(({ feature }) => feature.includes('%'))
    .flatMap(({ product, feature }): Notice[] => {
      const matches = createPattern(feature, { ignoreCase: true });
      const names = [...(known.get(parseVendorLicense(product).vendorLicense)?.keys() ?? [])];
      const others = names.filter((name) => name !== feature && matches(name));
      if (others.length === 0) return [];
      const text = `${JSON.stringify(feature)}: the analyzer adds up every name that matches, also ${namesText(others)}`;
      return [{ severity: 'warning', text }];
    });
}

interface Ranked extends Combination {
  readonly rank: number;
}

/** Of how many combinations is asked who holds licenses now, and which. */
function choiceOf(isForRows: boolean, isAnalyzerHere: boolean): { readonly most: number; readonly choice: string } {
  if (isForRows) {
    const most = isAnalyzerHere ? MAX_OF_USERS.here : MAX_OF_USERS.elsewhere;
    return { most, choice: 'those with the most licenses in use and requests waiting at the last poll' };
  }
  const choice = 'those with the most requests waiting and the highest share in use at the last poll';
  return { most: MAX_COMBINATIONS, choice };
}

/**
 * The combinations that are asked: all of them, and of users, who hold licenses now, those of which most can be expected.
 *
 * @throws DatasourceError if they are too many
 */
function chosen(all: readonly Ranked[], { target, isForRows }: Query, isAnalyzerHere: boolean): CombinationList {
  if (target !== 'users') {
    if (all.length <= MAX_OF_PAST) return { asked: all, total: all.length };
    const matching = `${numberText(all.length)} combinations of product and feature match`;
    const remedy = 'narrow the selection, or ask for their sum with wildcard "upstream"';
    throw new DatasourceError('too_many', `${target}: ${matching}, of at most ${numberText(MAX_OF_PAST)}; ${remedy}`);
  }
  const { most, choice } = choiceOf(isForRows, isAnalyzerHere);
  if (all.length <= most) return { asked: all, total: all.length };
  return { asked: all.toSorted((a, b) => b.rank - a.rank).slice(0, most), total: all.length, choice };
}

/** @throws DatasourceError if too many match, or if a pattern cannot be expanded, because no poll has finished yet */
export function combinationsOf(raw: Query, inventory: Inventory | undefined, isAnalyzerHere: boolean): Combinations {
  const query = withLiteralNames(raw, inventory);
  const { isPattern, values, target } = query;
  const { products, features, wildcard } = values;
  const expand = wildcard !== 'upstream';
  const [expandsProducts, expandsFeatures] = [products, features].map((texts) => expand && texts.some(isPattern));
  if ((expandsProducts || expandsFeatures) && (inventory === undefined || inventory.vendorLicenses.length === 0)) {
    throw new DatasourceError('upstream_down', `${target}: % cannot be expanded, because no names are known yet`);
  }
  requireApplicable(query, expand);
  const isPackageAsked = values.package === undefined || query.allows('package', values.package);
  const owners = isPackageAsked ? ownersOf(query, inventory, expand) : [];
  const names = features.filter((feature) => !(isPattern(feature) && expand));
  // one name of each needs no lookup
  const isPlain = !expandsFeatures && owners.length <= 1 && names.length <= MAX_COMBINATIONS;
  const isLookedUp = !isPlain || names.some((name) => name.includes('%') && !isPattern(name));
  const vendorLicenses = new Set(owners.map((product) => parseVendorLicense(product).vendorLicense));
  const known: KnownFeatures =
    inventory === undefined || !isLookedUp ? new Map() : knownFeatures(inventory, vendorLicenses, query);
  const knownOf = (product: string) => known.get(parseVendorLicense(product).vendorLicense);
  const patterns = features.filter((feature) => isPattern(feature) && expand);
  const matches = patterns.length === 0 ? () => false : matcherOf(patterns, isPattern);
  // requests a feature where it is known; an unknown feature can still have history
  const knownNames = new Set(names.filter((name) => owners.some((product) => knownOf(product)?.has(name))));
  let unlisted = 0;
  const isNamed = new Set(names);
  const all: Ranked[] = [];
  for (const product of owners) {
    const found = knownOf(product) ?? new Map<string, KnownFeature>();
    const named = names.filter((name) => found.has(name) || !knownNames.has(name));
    for (const feature of named) {
      if (query.allows('feature', feature)) all.push({ product, feature, rank: found.get(feature)?.rank ?? 0 });
    }
    // in the order of the inventory, which is by name
    for (const [feature, { rank, isUnlisted }] of patterns.length === 0 ? [] : found) {
      if (isNamed.has(feature) || !matches(feature) || !query.allows('feature', feature)) continue;
      if (target === 'users' && isUnlisted) unlisted += 1;
      else all.push({ product, feature, rank });
    }
  }
  const list = chosen(all, query, isAnalyzerHere);
  const held = isAboutIdle(query) ? 'an idle checkout' : 'a user';
  const unlistedText = `left out: ${numberText(unlisted)} without ${held} at the last poll`;
  const unlistedNotice: readonly Notice[] = unlisted === 0 ? [] : [{ severity: 'info', text: unlistedText }];
  return {
    ...list,
    areSeveralProducts: owners.length > 1 || expandsProducts === true,
    areSeveralFeatures: features.length > 1 || expandsFeatures === true,
    notices: [...addedUp(expand ? list.asked : [], known), ...unlistedNotice],
  };
}

/** The vendor license of a row: for rows as everywhere else, which links need, and for others as the analyzer writes it. */
export const productCell = ({ product }: Combination, isForRows: boolean): string =>
  isForRows ? parseVendorLicense(product).vendorLicense : product;

/** The suffix that distinguishes a combination from the others; empty if there is only one. */
export function suffixOf(
  { product, feature }: Combination,
  { areSeveralProducts, areSeveralFeatures }: Combinations,
): string {
  const parts = [...(areSeveralProducts ? [product] : []), ...(areSeveralFeatures ? [feature] : [])];
  return parts.length === 0 ? '' : ` - ${parts.join(' ')}`;
}

/** What the analyzer answered, by combination. One that failed is a problem of the target. */
export interface CombinationAnswers<T> extends Omit<TargetAnswer, 'items'> {
  readonly answers: readonly { readonly combination: Combination; readonly answer: T }[];
}

/** Failures with one message as one notice: an analyzer that does not answer fails all of them. */
function failureNotices(failures: readonly (readonly [feature: string, error: DatasourceError])[]): readonly Notice[] {
  const byMessage = Map.groupBy(failures, ([, { message }]) => message);
  return [...byMessage].map(([message, all]) => {
    const names = namesText(all.map(([feature]) => JSON.stringify(feature)));
    return { severity: 'error', text: `feature${all.length === 1 ? '' : 's'} ${names}: ${message}` };
  });
}

/**
 * Sends the request of every combination.
 *
 * @throws DatasourceError the first failure, if all requests failed
 */
export async function askAll<E extends EndpointName>(
  { asked, total, choice }: CombinationList,
  endpoint: E,
  parametersOf: (combination: Combination) => ParametersOf<E>,
  upstream: UpstreamCache,
  signal: AbortSignal,
): Promise<CombinationAnswers<Answers[E]>> {
  const places = createPlaces(MAX_OPEN);
  const ask = async (one: Combination): Promise<Answers[E]> => {
    const release = await places.take(signal);
    try {
      return await upstream.ask(endpoint, parametersOf(one), signal);
    } finally {
      release();
    }
  };
  const outcomes = await Promise.allSettled(asked.map(ask));
  const answers: { combination: Combination; answer: Answers[E] }[] = [];
  const failures: [feature: string, error: DatasourceError][] = [];
  outcomes.forEach((outcome, i) => {
    const combination = asked[i] as Combination;
    if (outcome.status === 'fulfilled') {
      answers.push({ combination, answer: outcome.value });
      return;
    }
    if (!(outcome.reason instanceof DatasourceError)) throw outcome.reason;
    failures.push([combination.feature, outcome.reason]);
  });
  let [, first] = failures[0] ?? [];
  const notices = [...failureNotices(failures)];
  if (first !== undefined && answers.length === 0) throw first;
  if (total > asked.length) {
    const which = choice === undefined ? '' : `, ${choice}`;
    const text = `${numberText(asked.length)} of ${numberText(total)} combinations of product and feature are shown${which}; narrow the selection`;
    notices.push({ severity: 'warning', text });
    first ??= new DatasourceError('too_many', text);
  }
  const [shown] = asked;
  return {
    answers,
    notices,
    ...(shown !== undefined && { executed: requestText(endpoint, parametersOf(shown)) }),
    ...(first !== undefined && { incomplete: first }),
  };
}

/** An answer with the notices of its requests. */
export const withNotices = (asked: Omit<TargetAnswer, 'items'>, answer: TargetAnswer): TargetAnswer => ({
  ...answer,
  ...asked,
  notices: [...asked.notices, ...answer.notices],
});
