import { QueryError } from '../model/failure.ts';
import type { EfficiencyHistory, HeatMap, ReservedHistory, TrendSeries } from '../model/history.ts';

/** Decoders of the charts of spec 2.6. An unusable point is left out; a missing value is `undefined`. */

interface NamedData {
  readonly name: string;
  readonly data: readonly unknown[];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new QueryError('schema', 'the answer is not a chart object');
}

function list(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new QueryError('schema', `${what} of the chart is not an array`);
}

function namedData(value: unknown): NamedData {
  const { name, data } = record(value);
  return { name: typeof name === 'string' ? name : '', data: list(data, 'data') };
}

function value(raw: unknown): number | undefined {
  if (raw === null || raw === undefined || raw === '') return undefined;
  const number = typeof raw === 'string' ? Number(raw) : raw;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The single chart of a one-element array; an empty array is an empty chart. */
function onlyChart(answer: readonly unknown[]): Readonly<Record<string, unknown>> | undefined {
  return answer.length === 0 ? undefined : record(answer[0]);
}

/** GetHistory: `[epoch ms, value]` pairs, in order of time. */
export function decodeTrend(answer: readonly unknown[]): readonly TrendSeries[] {
  return answer.map(namedData).map(({ name, data }) => ({
    name,
    points: data
      .flatMap((pair): [number, number | undefined][] => {
        const at = Array.isArray(pair) ? value(pair[0]) : undefined;
        return at === undefined ? [] : [[at, value((pair as unknown[])[1])]];
      })
      .sort(([a], [b]) => a - b),
  }));
}

/** GetHistoryReserved: one value per category. */
export function decodeReserved(answer: readonly unknown[]): ReservedHistory {
  const chart = onlyChart(answer);
  if (chart === undefined) return { categories: [], series: [] };
  return {
    categories: list(chart.categories, 'categories').map(String),
    series: list(chart.series, 'series')
      .map(namedData)
      .map(({ name, data }) => ({ name, values: data.map(value) })),
  };
}

/** GetEfficiency: `[category, value]` pairs. */
export function decodeEfficiency(answer: readonly unknown[]): EfficiencyHistory {
  const chart = onlyChart(answer);
  if (chart === undefined) return { series: [] };
  return {
    series: list(chart.series, 'series')
      .map(namedData)
      .map(({ name, data }) => ({
        name,
        pairs: data.flatMap((pair): [string, number | undefined][] =>
          Array.isArray(pair) && pair[0] !== undefined ? [[String(pair[0]), value(pair[1])]] : [],
        ),
      })),
  };
}

/** GetHeatMap: `[hour index, weekday index, value]` triples. */
export function decodeHeatMap(answer: readonly unknown[]): HeatMap {
  const chart = onlyChart(answer);
  if (chart === undefined) return { hours: [], weekdays: [], series: [] };
  const [hours, weekdays] = list(chart.categories, 'categories');
  return {
    hours: list(hours, 'the first categories').map(String),
    weekdays: list(weekdays, 'the second categories').map(String),
    series: list(chart.series, 'series')
      .map(namedData)
      .map(({ name, data }) => ({
        name,
        cells: data.flatMap((cell): [number, number, number | undefined][] => {
          if (!Array.isArray(cell)) return [];
          const hour = value(cell[0]);
          const weekday = value(cell[1]);
          return hour === undefined || weekday === undefined ? [] : [[hour, weekday, value(cell[2])]];
        }),
      })),
  };
}
