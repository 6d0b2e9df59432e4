import { figureAt, type ReservedHistory, type TrendSeries } from '../../../base/model/history.ts';
import { type Figure, isKnown } from '../../../base/model/unknown.ts';
import type { EndpointName, ParametersOf } from '../../../base/query-api/endpoints.ts';
import { inTurn } from '../../../base/scheduling/slices.ts';
import type { Answers } from '../../../exporter/inventory/decoding/decode.ts';
import type { Backend } from './backend.ts';
import { firstOf, nextOf, spanOf, type Unit } from './calendar-unit.ts';
import {
  type Answered,
  type ChartContext,
  drawnOf,
  flatTable,
  MAX_AVAILABLE,
  uncountedNotice,
  withoutUncounted,
} from './chart-context.ts';
import {
  askAll,
  type Combination,
  type CombinationAnswers,
  type Combinations,
  combinationsOf,
} from './combinations.ts';
import { DatasourceError } from './errors.ts';
import { boughtOf } from './feature-answers.ts';
import {
  rankOfEfficiency,
  rankOfHeatMap,
  rankOfReserved,
  shapeEfficiency,
  shapeHeatMap,
  shapeReserved,
  timeOfCategory,
} from './history-answers.ts';
import {
  type Cell,
  hasRows,
  LazyList,
  type Notice,
  number,
  type PanelData,
  type Table,
  type TargetAnswer,
} from './panel-data.ts';
import { dayRange, periodOf } from './period.ts';
import type { Query } from './query.ts';
import { viewAnswer } from './table-view.ts';
import { shapeHistory } from './trend-answers.ts';
import { asksIdle, namesIn, notCurrent, requireUsers, unknownIdle, usersFilter, usersTable } from './user-names.ts';
import { waitedIn } from './waited.ts';

/** Targets of which each combination of vendor license and feature is a request to the analyzer. */

/** The columns of GetHistoryReserved that are shown. */
const RESERVED_COLUMNS = ['Max In Use', 'Distinct Users', 'Reserved Licenses'] as const;
const COLUMNS = [MAX_AVAILABLE, ...RESERVED_COLUMNS] as const;

/** The answers about one combination; `undefined` for one that failed. */
export interface DaySources {
  readonly history: readonly TrendSeries[] | undefined;
  readonly reserved: ReservedHistory | undefined;
}

/** The values of local days, in the order of the columns, or of periods by their first day. One without a known value has no entry. */
type Days = Map<number, (number | null)[]>;

/** Adds a value. Of several values of a day or a period the highest counts: but for the users, all are the most of it. */
function put(days: Days, day: number, column: number, value: number): void {
  const row = days.get(day) ?? COLUMNS.map(() => null);
  days.set(day, row);
  row[column] = Math.max(row[column] ?? value, value);
}

function daysOf({ query, localTime }: ChartContext, { history = [], reserved }: DaySources): Days {
  const days: Days = new Map();
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query.range;
  // a part of a day is drawn as long as it is
  const isShown = (day: number): boolean =>
    localTime.startOf(day) * 1000 < to && localTime.startOf(day + 1) * 1000 > from;
  const add = (time: Figure, column: number, value: Figure): void => {
    // a category that is no day has no place on an axis of time
    if (!isKnown(value) || !isKnown(time)) return;
    const day = localTime.dayOf(time / 1000);
    if (isShown(day)) put(days, day, column, value);
  };
  for (const { name, at, values } of history.map(withoutUncounted)) {
    if (name !== MAX_AVAILABLE) continue;
    for (const [i, time] of at.entries()) {
      add(time, 0, figureAt(values, i));
    }
  }
  const names: readonly string[] = COLUMNS;
  const columns = (reserved?.series ?? []).map(({ name, values }) => ({ column: names.indexOf(name), values }));
  for (const [i, category] of (reserved?.categories ?? []).entries()) {
    const time = timeOfCategory(category, localTime);
    for (const { column, values } of columns) if (column >= 0) add(time, column, figureAt(values, i));
  }
  return days;
}

/** The same by weeks or months. */
function inPeriods(days: Days, unit: Unit): Days {
  if (unit === 'day') return days;
  const periods: Days = new Map();
  for (const [day, values] of days) {
    for (const [column, value] of values.entries()) {
      if (value !== null) put(periods, firstOf(unit, day), column, value);
    }
  }
  return periods;
}

/**
 * A row for each day, week or month from the first to the last with a known value. The line breaks at one without a value. The first
 * row is in the range, and the last period has a second row at its end, so that the line of one has a length.
 */
function* stepsOf(
  days: ReadonlyMap<number, readonly Cell[]>,
  unit: Unit,
  { query, localTime, now }: ChartContext,
): Generator<readonly Cell[]> {
  const known = [...days.keys()];
  const last = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const { from = Number.NEGATIVE_INFINITY, to = now } = query.range;
  const startOf = (day: number): number => localTime.startOf(day) * 1000;
  let time = Number.POSITIVE_INFINITY;
  const first = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  for (let day = first; day <= last; day = nextOf(unit, day)) {
    time = Math.max(startOf(day), from);
    yield [time, ...(days.get(day) ?? COLUMNS.map(() => null))];
  }
  // what follows a period without data after it is not known
  const end = Math.min(to, now, last === Number.NEGATIVE_INFINITY ? time : startOf(nextOf(unit, last)));
  if (end > time) yield [end, ...(days.get(last) ?? [])];
}

/** The licenses, their use and their reservations by local day, for lines of steps: of a long range by weeks or months. */
export function shapeDays(
  context: ChartContext,
  answered: Answered<DaySources>,
): { readonly steps: Table; readonly notices: readonly Notice[] } {
  const known: { combination: Combination; answer: Days }[] = [];
  for (const { combination, answer } of answered) {
    known.push({ combination, answer: daysOf(context, answer) });
  }
  const { unit } = spanOf(
    context,
    known.values().flatMap(({ answer }) => answer.keys()),
  );
  const columns = [{ text: 'Time', type: 'time' } as const, ...COLUMNS.map(number)];
  const rowsOf = (days: Days) => new LazyList(() => stepsOf(inPeriods(days, unit), unit, context));
  return {
    steps: flatTable(context, known, columns, rowsOf),
    notices: unit === 'day' ? [] : [{ severity: 'info', text: `a step is a ${unit}` }],
  };
}

type AnswerQuery = (query: Query, backend: Backend, signal: AbortSignal) => Promise<TargetAnswer>;

/** An optional parameter; nothing if it is not set. */
const given = <N extends string>(name: N, value: string | undefined): { readonly [K in N]?: string } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: string };

interface Shaped {
  readonly items: readonly PanelData[];
  readonly notices?: readonly Notice[];
  /** See `TableContent`. */
  readonly unknown?: () => string | undefined;
}

interface CombinationQuery<E extends EndpointName> {
  readonly endpoint: E;
  /** Throws if the shape cannot show the combinations, before any is requested. */
  readonly check?: (combinations: Combinations) => void;
  readonly parametersOf: (combination: Combination) => ParametersOf<E>;
  readonly shape: (answers: Answered<Answers[E]>, combinations: Combinations) => Shaped;
}

const chosen = (query: Query, { inventory, isAnalyzerHere }: Backend): Promise<Combinations> =>
  inTurn(() => combinationsOf(query, inventory(), isAnalyzerHere));

/** Requests every combination and converts the answers. */
async function answerCombinations<E extends EndpointName>(
  query: Query,
  backend: Backend,
  signal: AbortSignal,
  { endpoint, check, parametersOf, shape }: CombinationQuery<E>,
): Promise<TargetAnswer> {
  const combinations = await chosen(query, backend);
  check?.(combinations);
  const { answers, notices, ...rest } = await askAll(combinations, endpoint, parametersOf, backend.upstream, signal);
  return inTurn(() => {
    const { items, notices: more = [], unknown } = shape(answers, combinations);
    const raw = { ...rest, items, notices: [...notices, ...combinations.notices, ...more] };
    // history without a value is not known; a list of users without a row is
    const isUnknown = query.isForRows && endpoint !== 'GetUsers' && answers.length > 0 && !items.some(hasRows);
    return viewAnswer(query, isUnknown ? { ...raw, unknown: 'the time range' } : raw, unknown);
  });
}

const contextOf =
  (query: Query, { localTime, now }: Backend) =>
  (combinations: Combinations): ChartContext => ({
    query,
    combinations,
    localTime,
    days: dayRange(query.range, now() * 1000, localTime),
    now: now() * 1000,
  });

/** All answers of a table, and those of charts that are drawn. */
const chartsOf = <T>(
  context: ChartContext,
  answers: Answered<T>,
  rankOf: (context: ChartContext, answer: T) => number,
  by: string,
) =>
  context.query.shape === 'long'
    ? { drawn: answers, notices: [] }
    : drawnOf(answers, (answer) => rankOf(context, answer), by);

/** Spec 4.6 and 4.7 take the type as `ftype`. */
const trendParameters =
  ({ values }: Query) =>
  ({ product, feature }: Combination) => ({
    product,
    feature,
    ...given('package', values.package),
    ...given('ftype', values.ftype),
  });

/** The target `history` (spec 4.6): trends of licenses, hours and denials, in any of its shapes. */
export const answerHistory: AnswerQuery = async (query, backend, signal) => {
  if (query.shape === 'days') return answerDays(query, backend, signal);
  const waited = query.shape === 'totals' ? await waitedIn(query, backend) : undefined;
  return answerCombinations(query, backend, signal, {
    endpoint: 'GetHistory',
    parametersOf: trendParameters(query),
    shape: (answers, combinations) => {
      const context = contextOf(query, backend)(combinations);
      return shapeHistory(waited === undefined ? context : { ...context, waited }, answers);
    },
  });
};

/** What one of two endpoints knows. If it fails, its columns are empty. */
function partOf<T>(outcome: PromiseSettledResult<CombinationAnswers<T>>, columns: string): CombinationAnswers<T> {
  if (outcome.status === 'fulfilled') return outcome.value;
  const { reason } = outcome;
  if (!(reason instanceof DatasourceError)) throw reason;
  const text = `${columns}: no data, because ${reason.message}`;
  return { answers: [], notices: [{ severity: 'warning', text }], incomplete: reason };
}

/** The answers about each combination that one of two endpoints has. */
function paired(
  { asked }: Combinations,
  trend: CombinationAnswers<Answers['GetHistory']>,
  reserved: CombinationAnswers<Answers['GetHistoryReserved']>,
): Answered<DaySources> {
  const history = new Map(trend.answers.map(({ combination, answer }) => [combination, answer]));
  const reservations = new Map(reserved.answers.map(({ combination, answer }) => [combination, answer]));
  return asked.map((combination) => ({
    combination,
    answer: { history: history.get(combination), reserved: reservations.get(combination) },
  }));
}

/** Both endpoints with the history of days. @throws DatasourceError if both have failed */
async function answerDays(query: Query, backend: Backend, signal: AbortSignal): Promise<TargetAnswer> {
  const combinations = await chosen(query, backend);
  const parameters = trendParameters(query);
  const { upstream } = backend;
  const [trend, reserved] = await Promise.allSettled([
    askAll(combinations, 'GetHistory', parameters, upstream, signal),
    askAll(combinations, 'GetHistoryReserved', parameters, upstream, signal),
  ]);
  if (trend.status === 'rejected' && reserved.status === 'rejected') throw trend.reason;
  const known = partOf(trend, MAX_AVAILABLE);
  const reservations = partOf(reserved, RESERVED_COLUMNS.join(', '));
  const context = contextOf(query, backend)(combinations);
  const notices = [
    ...[...known.notices, ...reservations.notices, ...combinations.notices],
    ...uncountedNotice(context, known.answers),
  ];
  const [executed, incomplete] = [known.executed ?? reservations.executed, known.incomplete ?? reservations.incomplete];
  return inTurn(() => {
    const { steps, notices: more } = shapeDays(context, paired(combinations, known, reservations));
    return viewAnswer(query, {
      items: [steps],
      // both say which combinations are left out
      notices: [...new Map([...notices, ...more].map((notice) => [notice.text, notice])).values()],
      ...(executed !== undefined && { executed }),
      ...(incomplete !== undefined && { incomplete }),
    });
  });
}

/** The target `reserved` (spec 4.7): the most in use, distinct users and reservations of each day. */
export const answerReserved: AnswerQuery = (query, backend, signal) =>
  answerCombinations(query, backend, signal, {
    endpoint: 'GetHistoryReserved',
    parametersOf: trendParameters(query),
    shape(answers, combinations) {
      const context = contextOf(query, backend)(combinations);
      const { drawn, notices } = chartsOf(context, answers, rankOfReserved, 'Max In Use');
      return { items: shapeReserved(context, drawn), notices };
    },
  });

/** How the answers of an endpoint with a period become charts. */
interface PeriodShape<T> {
  readonly shape: (context: ChartContext, answers: Answered<T>) => readonly PanelData[];
  /** Which of many are drawn: smallest first. */
  readonly rankOf: (context: ChartContext, answer: T) => number;
  /** What that is. */
  readonly by: string;
  readonly check?: (combinations: Combinations) => void;
}

/** Calls one of the two endpoints with a period (spec 4.8, 4.9). The answer says which period it shows. */
function answerPeriod<E extends 'GetEfficiency' | 'GetHeatMap'>(
  endpoint: E,
  query: Query,
  backend: Backend,
  signal: AbortSignal,
  { shape, rankOf, by, check }: PeriodShape<Answers[E]>,
): Promise<TargetAnswer> {
  const { values, range } = query;
  const { period, name, notice } = periodOf(values, range, backend.now() * 1000, backend.localTime);
  const asked = { package: values.package ?? '', ...period, ...given('type', values.type) };
  return answerCombinations(query, backend, signal, {
    endpoint,
    ...(check !== undefined && { check }),
    // both have the same parameters
    parametersOf: ({ product, feature }) => ({ product, feature, ...asked }) as ParametersOf<E>,
    shape(answers, combinations) {
      const context = contextOf(query, backend)(combinations);
      const { drawn, notices } = chartsOf(context, answers, rankOf, by);
      const items = shape(context, drawn);
      return {
        items: items.map((item) => ('name' in item ? { ...item, name: `${item.name}, ${name}` } : item)),
        notices: [...notices, { severity: 'info', text: notice }],
      };
    },
  });
}

/** The target `efficiency` (spec 4.8): the total duration by category. */
export const answerEfficiency: AnswerQuery = (query, backend, signal) =>
  answerPeriod('GetEfficiency', query, backend, signal, {
    shape: shapeEfficiency,
    rankOf: rankOfEfficiency,
    by: 'hours in use',
  });

/** The target `heatmap` (spec 4.9): the most in use by hour and weekday. Its shape `wide` is of one feature. */
export const answerHeatMap: AnswerQuery = (query, backend, signal) =>
  answerPeriod('GetHeatMap', query, backend, signal, {
    shape: (context, answers) =>
      shapeHeatMap(context, answers, (combination) => boughtOf(query, combination, backend.inventory())),
    rankOf: rankOfHeatMap,
    by: 'licenses in use',
    check: ({ total }) => {
      if (query.shape !== 'wide' || total <= 1) return;
      const message = `heatmap: wide is of one vendor license and feature, but ${total} match; narrow the selection`;
      throw new DatasourceError('bad_parameter', message);
    },
  });

/** The target `users` (spec 4.3): who holds licenses now, if the access of the user allows names. */
export const answerUsers: AnswerQuery = async (query, backend, signal) => {
  requireUsers(backend.users);
  const { values } = query;
  const answer = await answerCombinations(query, backend, signal, {
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
    shape(answers, combinations) {
      const items = [usersTable(query, combinations, answers, backend.users)];
      const notices = notCurrent(answers, backend.inventory());
      const unknown = () => unknownIdle(query, answers, backend.users);
      return { items, notices, ...(asksIdle(query) && { unknown }) };
    },
  });
  backend.users.onServed(namesIn(answer));
  return answer;
};
