import type { Answers } from '../decoding/decode.ts';
import type { EndpointName, ParametersOf } from '../query-api/endpoints.ts';
import { runSliced, untilAborted } from '../scheduling/slices.ts';
import type { Backend } from './backend.ts';
import type { Answered, ChartContext } from './chart-context.ts';
import { askAll, type Combination, type Combinations, combinationsOf } from './combinations.ts';
import { dayRange } from './day-range.ts';
import { shapeEfficiency, shapeHeatMap, shapeReserved } from './history-answers.ts';
import type { Notice, PanelData, TargetAnswer } from './panel-data.ts';
import { periodOf } from './period.ts';
import type { Query } from './query.ts';
import { viewAnswer } from './table-view.ts';
import { shapeHistory } from './trend-answers.ts';
import { requireUsers, usersFilter, usersTable } from './user-names.ts';

/** Targets of which each combination of vendor license and feature is a request to the analyzer. */

type AnswerQuery = (query: Query, backend: Backend, signal: AbortSignal) => Promise<TargetAnswer>;

/** An optional parameter; nothing if it is not set. */
const given = <N extends string>(name: N, value: string | undefined): { readonly [K in N]?: string } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: string };

interface Shaped {
  readonly items: readonly PanelData[];
  readonly notices?: readonly Notice[];
}

interface CombinationQuery<E extends EndpointName> {
  readonly endpoint: E;
  readonly parametersOf: (combination: Combination) => ParametersOf<E>;
  readonly shape: (answers: Answered<Answers[E]>, combinations: Combinations) => Generator<void, Shaped>;
}

/** Requests every combination and converts the answers, in slices. */
async function answerCombinations<E extends EndpointName>(
  query: Query,
  { useInventory, upstream }: Backend,
  signal: AbortSignal,
  { endpoint, parametersOf, shape }: CombinationQuery<E>,
): Promise<TargetAnswer> {
  const combinations = await useInventory((inventory) =>
    runSliced(untilAborted(combinationsOf(query, inventory), signal)),
  );
  const { answers, notices, ...rest } = await askAll(combinations, endpoint, parametersOf, upstream, signal);
  const work = function* (): Generator<void, TargetAnswer> {
    const { items, notices: more = [] } = yield* shape(answers, combinations);
    return yield* viewAnswer(query, { ...rest, items, notices: [...notices, ...combinations.notices, ...more] });
  };
  return runSliced(untilAborted(work(), signal));
}

const contextOf =
  (query: Query, { localTime, now }: Backend) =>
  (combinations: Combinations): ChartContext => ({
    query,
    combinations,
    localTime,
    days: dayRange(query.range, now() * 1000, localTime),
  });

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
  answerCombinations(query, backend, signal, {
    endpoint: 'GetHistory',
    parametersOf: trendParameters(query),
    shape: (answers, combinations) => shapeHistory(contextOf(query, backend)(combinations), answers),
  });

export const answerReserved: AnswerQuery = (query, backend, signal) =>
  answerCombinations(query, backend, signal, {
    endpoint: 'GetHistoryReserved',
    parametersOf: trendParameters(query),
    *shape(answers, combinations) {
      return { items: yield* shapeReserved(contextOf(query, backend)(combinations), answers) };
    },
  });

/** Calls one of the two endpoints with a period (spec 4.8, 4.9). The answer says which period it shows. */
function answerPeriod<E extends 'GetEfficiency' | 'GetHeatMap'>(
  endpoint: E,
  query: Query,
  backend: Backend,
  signal: AbortSignal,
  shape: (context: ChartContext, answers: Answered<Answers[E]>) => Generator<void, readonly PanelData[]>,
): Promise<TargetAnswer> {
  const { values, range } = query;
  const { period, name, notice } = periodOf(values, range, backend.now() * 1000, backend.localTime);
  const asked = { package: values.package ?? '', ...period, ...given('type', values.type) };
  return answerCombinations(query, backend, signal, {
    endpoint,
    // both have the same parameters
    parametersOf: ({ product, feature }) => ({ product, feature, ...asked }) as ParametersOf<E>,
    *shape(answers, combinations) {
      const items = yield* shape(contextOf(query, backend)(combinations), answers);
      return {
        items: items.map((item) => ('name' in item ? { ...item, name: `${item.name}, ${name}` } : item)),
        notices: [{ severity: 'info', text: notice }],
      };
    },
  });
}

export const answerEfficiency: AnswerQuery = (query, backend, signal) =>
  answerPeriod('GetEfficiency', query, backend, signal, function* (context, answers) {
    yield;
    return shapeEfficiency(context, answers);
  });

export const answerHeatMap: AnswerQuery = (query, backend, signal) =>
  answerPeriod('GetHeatMap', query, backend, signal, shapeHeatMap);

export const answerUsers: AnswerQuery = async (query, backend, signal) => {
  requireUsers(backend.users);
  const { values } = query;
  return answerCombinations(query, backend, signal, {
    endpoint: 'GetUsers',
    parametersOf: ({ product, feature }) => ({
      format: values.format ?? 'sql',
      product,
      feature,
      sortdatafield: values.sortdatafield ?? 'Username',
      ...given('package', values.package),
      ...given('type', values.type),
      ...given('tokenpool', values.tokenpool),
      ...given('sortorder', values.sortorder),
      ...given('filters', usersFilter(query, backend.users)),
    }),
    *shape(answers, combinations) {
      yield;
      return { items: [usersTable(query, combinations, answers, backend.users)] };
    },
  });
};
