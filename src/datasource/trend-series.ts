import type { TrendSeries } from '../model/history.ts';
import { isUncountedFigure } from '../model/uncounted.ts';
import type { Answered, ChartContext } from './chart-context.ts';
import { isWithin } from './day-range.ts';
import type { Notice } from './panel-data.ts';
import { namesText } from './texts.ts';

/** What the shapes of GetHistory have in common. */

/** The series of spec 4.6, which are the columns of a table even if it has no rows. */
export const TREND_SERIES = ['Max Available', 'Elapsed Time', 'Denials'] as const;
export const [MAX_AVAILABLE, ELAPSED, DENIALS] = TREND_SERIES;

/** The series of an answer without the numbers of uncounted licenses, of which a sum may contain several. */
export function withoutUncounted(series: TrendSeries): TrendSeries {
  if (series.name !== MAX_AVAILABLE || !series.values.some(isUncountedFigure)) return series;
  return { ...series, values: series.values.map((value) => (isUncountedFigure(value) ? Number.NaN : value)) };
}

/** One notice for all answers with uncounted licenses. */
export function uncountedNotice({ days }: ChartContext, answered: Answered<readonly TrendSeries[]>): readonly Notice[] {
  const names = answered
    .filter(({ answer }) =>
      answer.some(
        ({ name, at, values }) =>
          name === MAX_AVAILABLE &&
          at.some((time, i) => isWithin(days, time) && isUncountedFigure(values[i] as number)),
      ),
    )
    .map(({ combination }) => combination.feature);
  if (names.length === 0) return [];
  const text = `${MAX_AVAILABLE} is left out where licenses are uncounted: ${namesText(names)}`;
  return [{ severity: 'info', text }];
}
