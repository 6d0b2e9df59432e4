import { dateText } from '../../../base/model/local-time.ts';
import { type BlockedCause, blockedCauses, type Ending } from '../../../base/model/observation/observation.ts';
import { causeTexts, endingTexts } from '../../../base/people.ts';
import { inTurn } from '../../../base/scheduling/slices.ts';
import { countText } from '../../../base/texts.ts';
import type { Backend, WaitedDay } from './backend.ts';
import { firstOf, nextOf, periodText, spanOf } from './calendar-unit.ts';
import { DatasourceError } from './errors.ts';
import { featureMatcher } from './feature-answers.ts';
import { withLiteralNames } from './known-data.ts';
import { cell, number, type TargetAnswer, text } from './panel-data.ts';
import { dayRange } from './period.ts';
import type { Query } from './query.ts';
import { type Cells, viewTable } from './table-view.ts';
import {
  featureKey,
  localDays,
  minutesOf,
  remedyOf,
  sumOf,
  type Total,
  totalsOf,
  type Wait,
  waitsOf,
} from './waited.ts';

/** The target `blocked`: the people who waited for licenses, by local day of the analyzer. */

const endedTexts: Readonly<Record<Ending | 'waiting', string>> = { ...endingTexts, waiting: 'waits now' };

/** What of the asked days is not known. */
function problemsOf(found: Awaited<ReturnType<Backend['waits']>>): readonly DatasourceError[] {
  const notKnown = (what: string) => [new DatasourceError('people_not_known', `who waited is not known${what}`)];
  if ('reason' in found) return notKnown(`: ${found.reason}`);
  if (found.length === 0) return notKnown(': nothing is recorded in this time');
  const unknown = found.filter(({ waits }) => waits === undefined);
  if (unknown.length === 0) return [];
  const features = new Set(unknown.map(featureKey));
  const days = new Set(unknown.map(({ day }) => day));
  return notKnown(` of ${countText(features.size, 'feature')} on ${countText(days.size, 'day')}`);
}

const dayCells: Cells<Wait> = [
  [text('Day'), ({ day }) => dateText(day)],
  [text('Product'), ({ vendorLicense }) => vendorLicense],
  [text('Feature'), ({ feature }) => feature],
  [text('Cause'), ({ cause }) => (cause === undefined ? null : causeTexts[cause])],
  [text('Ended'), ({ ended }) => (ended === undefined ? null : endedTexts[ended])],
  [number('Episodes'), ({ episodes }) => episodes],
  [number('People'), ({ people }) => people],
  [number('Minutes'), ({ seconds }) => minutesOf(seconds)],
];

const totalCells: Cells<Total> = [
  [text('Product'), ({ vendorLicense }) => vendorLicense],
  [text('Feature'), ({ feature }) => feature],
  [text('Cause'), ({ cause }) => causeTexts[cause]],
  [number('Now'), ({ now }) => cell(now)],
  [number('Episodes'), ({ episodes }) => episodes],
  [number('People'), ({ people }) => people],
  [number('Minutes'), ({ seconds }) => minutesOf(seconds)],
  [text('Remedy'), ({ cause, elsewhere }) => remedyOf(cause, elsewhere)],
];

/** A day, week or month; undefined where nobody is known to have waited, and not all days are known. */
interface Bar {
  readonly name: string;
  readonly waits: readonly Wait[] | undefined;
}

/** `Free elsewhere`. */
export const causeColumn = (cause: BlockedCause): string =>
  `${cause.slice(0, 1).toUpperCase()}${cause.slice(1).replaceAll('_', ' ')}`;

const secondsOf = (waits: readonly Wait[], cause: BlockedCause): number =>
  waits.reduce((sum, wait) => sum + (wait.cause === cause ? wait.seconds : 0), 0);

const barCells: Cells<Bar> = [
  [text('Period'), ({ name }) => name],
  [number('Episodes'), ({ waits }) => cell(waits && sumOf(waits, 'episodes'))],
  [number('People'), ({ waits }) => cell(waits && sumOf(waits, 'people'))],
  [number('Minutes'), ({ waits }) => cell(waits && minutesOf(sumOf(waits, 'seconds')))],
  ...blockedCauses.map((cause): Cells<Bar>[number] => [
    number(causeColumn(cause)),
    ({ waits }) => cell(waits && minutesOf(secondsOf(waits, cause))),
  ]),
];

/** From the first period with a known day to the last one of the range. */
function barsOf(found: readonly WaitedDay[], context: Parameters<typeof spanOf>[0]): readonly Bar[] {
  const waits = waitsOf(found);
  const { unit, last } = spanOf(
    context,
    waits.map(({ day }) => day),
  );
  const periods = Map.groupBy(waits, ({ day }) => firstOf(unit, day));
  const unknown = new Set(found.filter((one) => one.waits === undefined).map(({ day }) => firstOf(unit, day)));
  const isNobody = (own: readonly Wait[]): boolean => own.every(({ cause }) => cause === undefined);
  const bars: Bar[] = [];
  const begin = [...periods.keys()].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  for (let first = begin; first <= last; first = nextOf(unit, first)) {
    const own = periods.get(first);
    const isKnown = own !== undefined && !(isNobody(own) && unknown.has(first));
    bars.push({ name: periodText(unit, first), waits: isKnown ? own : undefined });
  }
  return bars;
}

/** Where people are not known, it has no row, and says why. */
export async function answerBlocked(raw: Query, backend: Backend): Promise<TargetAnswer> {
  const query = withLiteralNames(raw, backend.inventory());
  const { localTime, now, waits } = backend;
  const days = dayRange(query.range, now() * 1000, localTime);
  const found = await waits(...localDays(days, backend), featureMatcher(query, query.values.features));
  const problems = problemsOf(found);
  const known = 'reason' in found ? [] : found;
  return inTurn(() => {
    if (query.shape === 'periods') {
      const items = barsOf(known, { days, localTime, now: now() * 1000 });
      return viewTable(query, { name: 'blocked', cells: barCells, items, problems });
    }
    if (query.shape === 'totals') {
      const order = { name: 'minutes', keyOf: ({ seconds }: Total) => -seconds };
      return viewTable(query, { name: 'blocked', cells: totalCells, items: totalsOf(known), order, problems });
    }
    const order = { name: 'day', keyOf: ({ day }: Wait) => -day };
    return viewTable(query, { name: 'blocked', cells: dayCells, items: waitsOf(known), order, problems });
  });
}
