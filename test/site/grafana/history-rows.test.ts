import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalTime, dateText } from '../../../src/base/model/local-time.ts';
import { type DaySources, shapeDays } from '../../../src/site/grafana/answers/chart-answers.ts';
import type { ChartContext } from '../../../src/site/grafana/answers/chart-context.ts';
import type { Combinations } from '../../../src/site/grafana/answers/combinations.ts';
import { shapeHeatMap } from '../../../src/site/grafana/answers/history-answers.ts';
import type { Table } from '../../../src/site/grafana/answers/panel-data.ts';
import { dayRange } from '../../../src/site/grafana/answers/period.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';
import { periodsTable, shapeHistory } from '../../../src/site/grafana/answers/trend-answers.ts';
import { columnOf, trendOf } from '../../support/trend.ts';

/** The shapes that only rows have, of answers that our own analyzer does not give. */

const combination = { product: 'p;d', feature: 'f' };
const HOUR = 3_600_000;
const BERLIN = 'Europe/Berlin';

interface Asked {
  readonly shape: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly now?: string;
  readonly timeZone?: string;
  readonly several?: boolean;
  readonly columns?: readonly string[];
}

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));

function contextOf({
  shape,
  from,
  to,
  now = '2027-06-01T00:00:00Z',
  timeZone = BERLIN,
  several = false,
  columns,
}: Asked) {
  const range = { from: timeOf(from), to: timeOf(to) };
  const target = shape === 'wide' ? 'heatmap' : 'history';
  const payload = { ...combination, shape, ...(columns !== undefined && { columns }) };
  const query = readQuery({ target, payload, range, filters: [], prefix: '', isForRows: true });
  const combinations: Combinations = {
    asked: [combination],
    total: 1,
    notices: [],
    areSeveralProducts: false,
    areSeveralFeatures: several,
  };
  const localTime = createLocalTime(timeZone);
  const at = Date.parse(now);
  return { query, combinations, localTime, days: dayRange(range, at, localTime), now: at } satisfies ChartContext;
}

const namesOf = ({ columns }: Table): readonly string[] => columns.map(({ text }) => text);
const iso = (rows: Table['rows']) =>
  [...rows].map(([time, ...values]) => [new Date(Number(time)).toISOString(), ...values]);

/** The local midnights of dates in Berlin, which is an hour or two ahead. */
const at = (date: string): number => createLocalTime(BERLIN).startOf(Date.parse(date) / 86_400_000) * 1000;

describe('days', () => {
  const reservedOf = (entries: readonly (readonly [date: string, inUse: number | undefined])[]) => ({
    categories: entries.map(([date]) => date),
    series: [
      { name: 'Reserved Licenses', values: columnOf(entries.map(() => 1)) },
      { name: 'Max In Use', values: columnOf(entries.map(([, inUse]) => inUse)) },
    ],
  });
  const daysOf = (asked: Omit<Asked, 'shape'>, sources: DaySources) =>
    shapeDays(contextOf({ shape: 'days', ...asked }), [{ combination, answer: sources }]).steps;

  it('are merged by the day, with a row of nulls where no value is known', () => {
    const table = daysOf(
      { from: '2026-11-01T00:00:00+01:00', to: '2026-11-30T23:59:59+01:00' },
      {
        history: [
          trendOf('Max Available', [
            [at('2026-11-03'), 5],
            [at('2026-11-06'), Number.NaN],
            // another server has points at other times of the day, and several
            [at('2026-11-07') + 9 * HOUR, 6],
            [at('2026-11-07') + 12 * HOUR, 4],
          ]),
          trendOf('Denials', [[at('2026-11-05'), 1]]),
        ],
        reserved: reservedOf([
          ['2026-11-03', 2],
          ['2026-11-04', undefined],
          ['Week 44', 99],
          ['2026-11-31', 99],
        ]),
      },
    );
    expect(namesOf(table)).toEqual(['Time', 'Max Available', 'Max In Use', 'Distinct Users', 'Reserved Licenses']);
    expect(iso(table.rows)).toEqual([
      ['2026-11-02T23:00:00.000Z', 5, 2, null, 1],
      ['2026-11-03T23:00:00.000Z', null, null, null, 1],
      ['2026-11-04T23:00:00.000Z', null, null, null, null],
      ['2026-11-05T23:00:00.000Z', null, null, null, null],
      ['2026-11-06T23:00:00.000Z', 6, null, null, null],
      // the end of the last day that is known, not that of the range
      ['2026-11-07T23:00:00.000Z', 6, null, null, null],
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-03-28', ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00']],
    ['Europe/Berlin', '2026-10-24', ['2026-10-23T22:00', '2026-10-24T22:00', '2026-10-25T23:00', '2026-10-26T23:00']],
    // the clock changes at midnight
    [
      'America/Santiago',
      '2026-09-05',
      ['2026-09-05T04:00', '2026-09-06T04:00', '2026-09-07T03:00', '2026-09-08T03:00'],
    ],
  ])('begin at midnight around a clock change: %s %s', (timeZone, date, expected) => {
    const localTime = createLocalTime(timeZone);
    const first = Date.parse(date) / 86_400_000;
    const points = [0, 1, 2].map((i) => [localTime.startOf(first + i) * 1000, i] as const);
    const reserved = reservedOf([0, 1, 2].map((i) => [dateText(first + i), i]));
    const now = `${dateText(first + 5)}T00:00:00Z`;
    const { rows } = daysOf({ timeZone, now }, { history: [trendOf('Max Available', points)], reserved });
    expect(iso(rows)).toEqual([0, 1, 2, 2].map((value, i) => [`${expected[i]}:00.000Z`, value, value, null, 1]));
  });

  it('draw a line that has a length and stays in the range, for any range', () => {
    const localTime = createLocalTime(BERLIN);
    const from = fc.integer({
      min: Date.parse('2026-10-20T00:00Z') / HOUR,
      max: Date.parse('2026-11-20T00:00Z') / HOUR,
    });
    const hours = fc.oneof(fc.constantFrom(1, 6, 24, 30 * 24), fc.integer({ min: 1, max: 900 }));
    const day = fc.integer({ min: -3, max: 40 });
    fc.assert(
      fc.property(from, hours, fc.uniqueArray(day), (first, length, known) => {
        const now = '2026-11-18T09:30:00Z';
        const range = { from: first * HOUR, to: (first + length) * HOUR };
        const begin = localTime.dayOf(range.from / 1000);
        const points = known
          .toSorted((a, b) => a - b)
          .map((i) => [localTime.startOf(begin + i) * 1000, 1 + i * i] as const)
          .filter(([time]) => time < Date.parse(now));
        const asked = { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString(), now };
        const { rows } = daysOf(asked, { history: [trendOf('Max Available', points)], reserved: undefined });
        const times = [...rows].map(([time]) => Number(time));
        expect(times.length === 0 || times.length > 1).toBe(true);
        for (const [i, time] of times.entries()) {
          expect(i === 0 || time > Number(times[i - 1])).toBe(true);
          expect(time).toBeLessThanOrEqual(Math.min(range.to, Date.parse(now)));
          expect(time).toBeGreaterThanOrEqual(range.from);
        }
        // every day of which a part is in the range
        const nextOf = (time: number) => localTime.startOf(localTime.dayOf(time / 1000) + 1) * 1000;
        const isAsked = (time: number) => time < range.to && nextOf(time) > range.from;
        const values = [...rows].map(([, value]) => value).filter((value) => value !== null);
        // the last value twice
        const expected = points.filter(([time]) => isAsked(time)).map(([, value]) => value);
        expect(values).toEqual([...expected, ...expected.slice(-1)]);
      }),
    );
  });

  it('never have the number of uncounted licenses, and no row without a value', () => {
    const history = [trendOf('Max Available', [[at('2026-11-03'), 99_999]])];
    expect([...daysOf({}, { history, reserved: undefined }).rows]).toEqual([]);
    const { rows } = daysOf({ now: '2026-12-01T00:00:00Z' }, { history, reserved: reservedOf([['2026-11-03', 7]]) });
    expect(iso(rows)[0]).toEqual(['2026-11-02T23:00:00.000Z', null, 7, null, 1]);
    expect([...daysOf({}, { history: undefined, reserved: undefined }).rows]).toEqual([]);
  });

  it('name their feature if there can be several', () => {
    const history = [trendOf('Max Available', [[at('2026-11-03'), 5]])];
    const table = daysOf({ several: true }, { history, reserved: undefined });
    expect(namesOf(table).slice(0, 3)).toEqual(['Product', 'Feature', 'Time']);
    expect([...table.rows].map((row) => row.slice(0, 2))).toEqual([
      ['p;d', 'f'],
      ['p;d', 'f'],
    ]);
  });
});

describe('days of a long range', () => {
  const stepsOf = (asked: Omit<Asked, 'shape'>, points: readonly (readonly [date: string, bought: number])[]) => {
    const history = [
      trendOf(
        'Max Available',
        points.map(([date, bought]) => [at(date), bought]),
      ),
    ];
    const answered = [{ combination, answer: { history, reserved: undefined } }];
    const { steps, notices } = shapeDays(contextOf({ shape: 'days', ...asked }), answered);
    const rows = [...steps.rows].map(([time, bought]) => [
      dateText(createLocalTime(BERLIN).dayOf(Number(time) / 1000)),
      bought,
    ]);
    return { rows, notices: notices.map(({ text }) => text) };
  };

  it('are weeks that begin on Monday, each with the highest value', () => {
    const range = { from: '2026-09-30T00:00:00+02:00', to: '2026-12-31T00:00:00+01:00' };
    const { rows, notices } = stepsOf(range, [
      // before the range, on the Monday of its first week
      ['2026-09-28', 99],
      ['2026-09-30', 9],
      ['2026-10-04', 7],
      // Sunday and Monday
      ['2026-10-18', 5],
      ['2026-10-19', 4],
      ['2026-10-25', 6],
    ]);
    expect(notices).toEqual(['a step is a week']);
    expect(rows).toEqual([
      // a line stays in the range
      ['2026-09-30', 9],
      ['2026-10-05', null],
      ['2026-10-12', 5],
      ['2026-10-19', 6],
      ['2026-10-26', 6],
    ]);
  });

  it('are months where weeks would be too many, up to now', () => {
    const { rows, notices } = stepsOf({ now: '2026-02-10T12:00:00Z' }, [
      ['2024-11-30', 3],
      ['2024-12-01', 4],
      ['2026-02-03', 6],
      ['2026-02-09', 5],
    ]);
    expect(notices).toEqual(['a step is a month']);
    expect(rows.filter(([, bought]) => bought !== null)).toEqual([
      ['2024-11-01', 3],
      ['2024-12-01', 4],
      ['2026-02-01', 6],
      ['2026-02-10', 6],
    ]);
    expect(rows).toHaveLength(17);
  });

  it.each([
    [62, []],
    [63, ['a step is a week']],
    [62 * 7 + 1, ['a step is a month']],
  ])('of %d days are as long as the bars of the same range', (count, expected) => {
    const first = at('2025-09-01');
    const last = createLocalTime(BERLIN).startOf(Date.parse('2025-09-01') / 86_400_000 + count) * 1000 - 1;
    const range = { from: new Date(first).toISOString(), to: new Date(last).toISOString() };
    expect(stepsOf(range, [['2025-09-01', 1]]).notices).toEqual(expected);
  });
});

describe('periods', () => {
  type Points = readonly (readonly [date: string, denials: number | undefined, most?: number | undefined])[];
  const periodsOf = (asked: Omit<Asked, 'shape'>, points: Points) => {
    const answer = [
      trendOf(
        'Denials',
        points.map(([date, denials]) => [at(date), denials]),
      ),
      trendOf(
        'Max Available',
        points.map(([date, , most]) => [at(date), most]),
      ),
    ];
    const context = contextOf({ shape: 'periods', ...asked });
    const { items, notices } = shapeHistory(context, [{ combination, answer }]);
    const [table] = items as readonly Table[];
    return {
      names: namesOf(table as Table),
      rows: [...(table as Table).rows],
      notices: notices.map(({ text }) => text),
    };
  };

  it('have no row if none of the series that are asked for is known: its sum would be 0', () => {
    const asked = { from: '2026-11-01T00:00:00+01:00', to: '2026-11-07T23:59:59+01:00' };
    const points = [['2026-11-03', undefined, 5]] as const;
    for (const column of ['Denials', 'denials']) {
      expect(periodsOf({ ...asked, columns: ['period', column] }, points).rows).toEqual([]);
    }
    expect(periodsOf({ ...asked, columns: ['period', 'max_available'] }, points).rows).toHaveLength(5);
    expect(periodsOf({ ...asked, columns: ['period'] }, points).rows).toHaveLength(5);
  });

  it('are days with the sums and the maximum of what is known, from the first known one to the end', () => {
    const { names, rows, notices } = periodsOf({ from: '2026-11-01T00:00:00+01:00', to: '2026-11-07T23:59:59+01:00' }, [
      ['2026-10-31', 9, 9],
      ['2026-11-02', undefined],
      ['2026-11-03', 0, 5],
      ['2026-11-05', 2, undefined],
      ['2026-11-08', 9, 9],
    ]);
    expect(names).toEqual(['Period', 'Elapsed Time', 'Denials', 'Max Available']);
    expect(rows).toEqual([
      ['2026-11-03', null, 0, 5],
      ['2026-11-04', null, null, null],
      ['2026-11-05', null, 2, null],
      ['2026-11-06', null, null, null],
      ['2026-11-07', null, null, null],
    ]);
    expect(notices).toEqual(['a bar is a day']);
  });

  it('are weeks that begin on Monday, across the end of a year and of summer time', () => {
    const { rows, notices } = periodsOf({ from: '2026-10-01T00:00:00+02:00', to: '2027-01-10T23:59:59+01:00' }, [
      // Sunday and Monday
      ['2026-10-25', 1, 4],
      ['2026-10-26', 2, 5],
      ['2026-11-01', 3, 6],
      // 2026 has 53 weeks
      ['2026-12-31', 4],
      ['2027-01-01', 5],
      ['2027-01-04', 6],
    ]);
    expect(notices).toEqual(['a bar is a week']);
    expect(rows.filter(([, , denials]) => denials !== null)).toEqual([
      ['2026-10-19', null, 1, 4],
      ['2026-10-26', null, 5, 6],
      ['2026-12-28', null, 9, null],
      ['2027-01-04', null, 6, null],
    ]);
    expect(rows).toHaveLength(12);
  });

  it('are months where weeks would be too many, also without a bound', () => {
    const points: Points = [
      ['2024-11-30', 1],
      ['2024-12-01', 2],
      ['2026-02-28', 3],
    ];
    const { rows, notices } = periodsOf({ now: '2026-03-01T12:00:00Z' }, points);
    expect(notices).toEqual(['a bar is a month']);
    expect(rows.map(([month]) => month)).toEqual([
      ...['2024-11', '2024-12', '2025-01', '2025-02', '2025-03', '2025-04', '2025-05', '2025-06', '2025-07', '2025-08'],
      ...['2025-09', '2025-10', '2025-11', '2025-12', '2026-01', '2026-02', '2026-03'],
    ]);
    expect(rows.filter(([, , denials]) => denials !== null).map(([, , denials]) => denials)).toEqual([1, 2, 3]);
  });

  it.each([
    [62, 'day'],
    [63, 'week'],
    // a Monday is the first day, so that these are 62 weeks
    [62 * 7, 'week'],
    [62 * 7 + 1, 'month'],
  ])('of %d days are bars of the next length', (count, unit) => {
    const first = at('2025-09-01');
    const last = createLocalTime(BERLIN).startOf(Date.parse('2025-09-01') / 86_400_000 + count) * 1000 - 1;
    const asked = { from: new Date(first).toISOString(), to: new Date(last).toISOString() };
    expect(periodsOf(asked, [['2025-09-01', 1]]).notices).toEqual([`a bar is a ${unit}`]);
  });

  it('end today, and begin with a value', () => {
    const asked = { from: '2026-11-16T00:00:00+01:00', to: '2026-11-30T23:59:59+01:00', now: '2026-11-18T09:30:00Z' };
    expect(periodsOf(asked, [['2026-11-17', 1]]).rows.map(([period]) => period)).toEqual(['2026-11-17', '2026-11-18']);
    expect(periodsOf(asked, [['2026-11-17', undefined]]).rows).toEqual([]);
    const later = { from: '2026-12-01T00:00:00Z', to: '2026-12-08T00:00:00Z', now: '2026-11-18T09:30:00Z' };
    expect(periodsOf(later, [['2026-11-17', 1]]).rows).toEqual([]);
  });

  it('say of which features licenses are uncounted, and name their feature', () => {
    const answer = [
      trendOf('Max Available', [[at('2026-11-03'), 99_999]]),
      trendOf('Denials', [[at('2026-11-03'), 1]]),
    ];
    const context = contextOf({ shape: 'periods', several: true });
    const { items, notices } = shapeHistory(context, [{ combination, answer }]);
    expect(notices.map(({ text }) => text)).toEqual([
      'Max Available is left out where licenses are uncounted: f',
      expect.stringMatching(/^a bar is a /),
    ]);
    expect([...(items[0] as Table).rows][0]).toEqual(['p;d', 'f', expect.any(String), null, 1, null]);
  });

  it('are empty for no answer', () => {
    const { bars } = periodsTable(contextOf({ shape: 'periods' }), []);
    expect([...bars.rows]).toEqual([]);
  });
});

describe('a wide heat map', () => {
  const wideOf = (weekdays: readonly string[], hours: readonly string[], values: readonly (number | undefined)[]) => {
    const cells = values.map((value, i) => ({ hour: i % hours.length, weekday: Math.floor(i / hours.length), value }));
    const series = [
      {
        name: 'Max In Use',
        hourIndexes: columnOf(cells.map(({ hour }) => hour)),
        weekdayIndexes: columnOf(cells.map(({ weekday }) => weekday)),
        values: columnOf(cells.map(({ value }) => value)),
      },
    ];
    const answer = { hours, weekdays, series };
    const [table] = shapeHeatMap(contextOf({ shape: 'wide' }), [{ combination, answer }], () => 40);
    return table as Table;
  };

  it('begins with Monday, wherever the week of the analyzer begins, with the hours in order', () => {
    const table = wideOf(['Saturday', 'Sunday', 'MON'], ['1', '0'], [10, 11, 20, 21, 30, 31]);
    expect(namesOf(table)).toEqual(['Hour', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'Bought']);
    expect([...table.rows]).toEqual([
      [0, 31, null, null, null, null, 11, 21, 40],
      [1, 30, null, null, null, null, 10, 20, null],
    ]);
  });

  it('has no row without a known value, as nothing could be drawn', () => {
    expect([...wideOf(['Mon'], ['0', '1'], [undefined, undefined]).rows]).toEqual([]);
    expect([...wideOf([], [], []).rows]).toEqual([]);
    expect([...wideOf(['Mon'], ['0', '1'], [0, undefined]).rows]).toHaveLength(2);
  });
});
