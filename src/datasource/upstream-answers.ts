import type { Answers } from '../decoding/decode.ts';
import { expirationRowsOf, featureRowsOf } from '../inventory/answer-rows.ts';
import type { EndpointName, ParametersOf } from '../query-api/endpoints.ts';
import { runSliced, untilAborted } from '../scheduling/slices.ts';
import { type Backend, requireInventory } from './backend.ts';
import type { ChartContext } from './chart-context.ts';
import {
  askAll,
  type Combination,
  type CombinationAnswers,
  type Combinations,
  combinationsOf,
  everyOwner,
} from './combinations.ts';
import { DatasourceError } from './errors.ts';
import { shapeEfficiency, shapeHeatMap, shapeReserved } from './history-answers.ts';
import { expirationAnswer, featureTable, isLetThrough } from './live-answers.ts';
import type { Notice, PanelData, TargetAnswer } from './panel-data.ts';
import { periodOf } from './period.ts';
import type { Query } from './query.ts';
import { shapeHistory } from './trend-answers.ts';
import { requireUsers, usersFilter, usersTable } from './user-names.ts';

/** Targets that need a request to the analyzer. */

type AnswerQuery = (query: Query, backend: Backend, signal: AbortSignal) => Promise<TargetAnswer>;

/** An optional parameter; nothing if it is not set. */
const given = <N extends string>(name: N, value: string | undefined): { readonly [K in N]?: string } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: string };

type Shaped = Promise<readonly PanelData[]> | readonly PanelData[];

/** Requests every combination and converts the answers. */
async function answerCombinations<E extends EndpointName>(
  endpoint: E,
  query: Query,
  { inventory, upstream }: Backend,
  signal: AbortSignal,
  parametersOf: (combination: Combination) => ParametersOf<E>,
  shape: (answers: CombinationAnswers<Answers[E]>['answers'], combinations: Combinations) => Shaped,
): Promise<TargetAnswer> {
  const combinations = combinationsOf(query, inventory());
  const { answers, ...rest } = await askAll(combinations, endpoint, parametersOf, upstream, signal);
  return { ...rest, items: await shape(answers, combinations) };
}

/** Spec 4.6 and 4.7 take the type as `ftype`. */
const trendParameters =
  ({ values }: Query) =>
  ({ product, feature }: Combination) => ({
    product,
    feature,
    ...given('package', values.package),
    ...given('ftype', values.ftype),
  });

export const answerHistory: AnswerQuery = (query, backend, signal) =>
  answerCombinations('GetHistory', query, backend, signal, trendParameters(query), (answers, combinations) =>
    runSliced(untilAborted(shapeHistory({ query, combinations, localTime: backend.localTime }, answers), signal)),
  );

export const answerReserved: AnswerQuery = (query, backend, signal) =>
  answerCombinations('GetHistoryReserved', query, backend, signal, trendParameters(query), (answers, combinations) =>
    runSliced(untilAborted(shapeReserved({ query, combinations, localTime: backend.localTime }, answers), signal)),
  );

/** Calls one of the two endpoints with a period (spec 4.8, 4.9). */
async function askPeriod<E extends 'GetEfficiency' | 'GetHeatMap'>(
  endpoint: E,
  query: Query,
  backend: Backend,
  signal: AbortSignal,
  shape: (context: ChartContext, answers: CombinationAnswers<Answers[E]>['answers']) => Shaped,
): Promise<TargetAnswer> {
  const { values, range } = query;
  const { localTime } = backend;
  const { notice, ...period } = periodOf(values, range, backend.now() * 1000, localTime);
  const asked = { package: values.package ?? '', ...period, ...given('type', values.type) };
  // both have the same parameters
  const parametersOf = ({ product, feature }: Combination) => ({ product, feature, ...asked }) as ParametersOf<E>;
  const answer = await answerCombinations(endpoint, query, backend, signal, parametersOf, (answers, combinations) =>
    shape({ query, combinations, localTime }, answers),
  );
  const notices: Notice[] = notice === undefined ? [] : [{ severity: 'info', text: notice }];
  return { ...answer, notices: [...notices, ...answer.notices] };
}

export const answerEfficiency: AnswerQuery = (query, backend, signal) =>
  askPeriod('GetEfficiency', query, backend, signal, shapeEfficiency);

export const answerHeatMap: AnswerQuery = (query, backend, signal) =>
  askPeriod('GetHeatMap', query, backend, signal, (context, answers) =>
    runSliced(untilAborted(shapeHeatMap(context, answers), signal)),
  );

export const answerUsers: AnswerQuery = async (query, backend, signal) => {
  requireUsers(backend.users);
  const { values } = query;
  const parametersOf = ({ product, feature }: Combination) => ({
    format: values.format ?? 'sql',
    product,
    feature,
    sortdatafield: values.sortdatafield ?? 'Username',
    ...given('package', values.package),
    ...given('type', values.type),
    ...given('tokenpool', values.tokenpool),
    ...given('sortorder', values.sortorder),
    ...given('filters', usersFilter(query, backend.users)),
  });
  return answerCombinations('GetUsers', query, backend, signal, parametersOf, (answers, combinations) => [
    usersTable(query, combinations, answers, backend.users),
  ]);
};

/** An answer with the notices of its requests. */
const withNotices = (asked: Omit<TargetAnswer, 'items'>, answer: TargetAnswer): TargetAnswer => ({
  ...answer,
  ...asked,
  notices: [...asked.notices, ...answer.notices],
});

/** The features of which a user holds licenses. */
export const answerFeaturesOfUser = async (
  user: string,
  query: Query,
  backend: Backend,
  signal: AbortSignal,
): Promise<TargetAnswer> => {
  requireUsers(backend.users);
  if (backend.users.pseudonymKey !== undefined) {
    throw new DatasourceError('users_not_served', 'features cannot be requested by user if names are hidden');
  }
  const inventory = requireInventory(backend);
  const asked = everyOwner(query, inventory, [query.values.filters ?? '%']);
  const parametersOf = ({ product, feature }: Combination) => ({
    product,
    user,
    filters: feature,
    ...given('package', query.values.package),
  });
  const { answers, ...rest } = await askAll(asked, 'GetFeatures', parametersOf, backend.upstream, signal);
  const entries = featureRowsOf(
    inventory,
    answers.flatMap(({ answer }) => answer.records),
  ).filter((entry) => isLetThrough(query, entry));
  return withNotices(rest, featureTable(entries, inventory.at, backend.owners()));
};

/** Expirations including packages and components, which are not polled. */
export const answerSearchedExpirations = async (
  search: string,
  query: Query,
  backend: Backend,
  signal: AbortSignal,
): Promise<TargetAnswer> => {
  const inventory = requireInventory(backend);
  const { features } = query.values;
  // the records do not contain the vendor license, so each is requested separately
  const asked = everyOwner(query, inventory, features.length > 0 ? features : ['%']);
  const parametersOf = ({ product, feature }: Combination) => ({
    product,
    filters: feature,
    search,
    ...given('package', query.values.package),
  });
  const { answers, ...rest } = await askAll(asked, 'GetExpirationFeatures', parametersOf, backend.upstream, signal);
  const entries = answers
    .flatMap(({ combination, answer }) => expirationRowsOf(combination.product, answer.records))
    // a missing date would look like a permanent license
    .filter((entry) => entry.expiration !== undefined && isLetThrough(query, entry));
  return withNotices(
    rest,
    expirationAnswer(query, entries, { now: inventory.at, localTime: backend.localTime, owners: backend.owners() }),
  );
};
