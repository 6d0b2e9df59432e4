import { expirationRowsOf, featureRowsOf } from '../inventory/answer-rows.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { runSliced, untilAborted } from '../scheduling/slices.ts';
import { type Backend, requireInventory } from './backend.ts';
import { askAll, type Combination, everyOwner } from './combinations.ts';
import { DatasourceError } from './errors.ts';
import { expirationAnswer } from './expiration-answers.ts';
import { withLiteralNames } from './literal-names.ts';
import { featureAnswer, isLetThrough } from './live-answers.ts';
import { hasRows, type TargetAnswer } from './panel-data.ts';
import type { Query } from './query.ts';
import { requireUsers } from './user-names.ts';

/** Tables of the last poll with parts that only the analyzer knows: the features of a user, and expiries by search level. */

interface Known {
  /** The query, in which the names of the inventory are no patterns. */
  readonly asked: Query;
  readonly inventory: Inventory;
}

const known = (query: Query, { useInventory }: Backend, signal: AbortSignal): Promise<Known> =>
  useInventory(async (current) => {
    const inventory = requireInventory(current);
    return { asked: await runSliced(untilAborted(withLiteralNames(query, inventory), signal)), inventory };
  });

/** An answer with the notices of its requests. */
const withNotices = (asked: Omit<TargetAnswer, 'items'>, answer: TargetAnswer): TargetAnswer => ({
  ...answer,
  ...asked,
  notices: [...asked.notices, ...answer.notices],
});

/** The features of which a user holds licenses. */
export const answerFeaturesOfUser = async (
  user: string,
  raw: Query,
  backend: Backend,
  signal: AbortSignal,
): Promise<TargetAnswer> => {
  requireUsers(backend.users);
  if (backend.users.pseudonymKey !== undefined) {
    throw new DatasourceError('users_not_served', 'features cannot be requested by user if names are hidden');
  }
  const { asked: query, inventory } = await known(raw, backend, signal);
  const asked = everyOwner(query, inventory, [query.values.filters ?? '%']);
  const parametersOf = ({ product, feature }: Combination) => ({
    product,
    user,
    filters: feature,
    ...(query.values.package !== undefined && { package: query.values.package }),
  });
  const { answers, ...rest } = await askAll(asked, 'GetFeatures', parametersOf, backend.upstream, signal);
  const entries = featureRowsOf(
    inventory,
    answers.flatMap(({ answer }) => answer.records),
  ).filter((entry) => isLetThrough(query, entry));
  const answer = featureAnswer(query, entries, inventory.at, backend);
  const found = await runSliced(untilAborted(answer, signal));
  // the one of the request: what the user holds
  if (found.items.some(hasRows)) backend.users.onServed(1);
  return withNotices(rest, found);
};

/** Expirations including packages and components, which are not polled. */
export const answerSearchedExpirations = async (
  search: string,
  raw: Query,
  backend: Backend,
  signal: AbortSignal,
): Promise<TargetAnswer> => {
  const { asked: query, inventory } = await known(raw, backend, signal);
  const { features } = query.values;
  // the records do not contain the vendor license, so each is requested separately
  const asked = everyOwner(query, inventory, features.length > 0 ? features : ['%']);
  const parametersOf = ({ product, feature }: Combination) => ({
    product,
    filters: feature,
    search,
    ...(query.values.package !== undefined && { package: query.values.package }),
  });
  const { answers, ...rest } = await askAll(asked, 'GetExpirationFeatures', parametersOf, backend.upstream, signal);
  const entries = answers
    .flatMap(({ combination, answer }) => expirationRowsOf(combination.product, answer.records))
    .filter((entry) => isLetThrough(query, entry));
  const context = { now: inventory.at, localTime: backend.localTime, owners: backend.owners() };
  return withNotices(rest, await runSliced(untilAborted(expirationAnswer(query, entries, context), signal)));
};
