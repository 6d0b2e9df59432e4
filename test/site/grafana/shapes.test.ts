import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrendSeries } from '../../../src/base/model/history.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { unknown } from '../../../src/base/model/unknown.ts';
import type { ChartContext } from '../../../src/site/grafana/answers/chart-context.ts';
import type { Combinations } from '../../../src/site/grafana/answers/combinations.ts';
import * as charts from '../../../src/site/grafana/answers/history-answers.ts';
import { cell, type Frame, millis, type PanelData, type Table } from '../../../src/site/grafana/answers/panel-data.ts';
import type { TimeRange } from '../../../src/site/grafana/answers/query.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';
import type { TargetName } from '../../../src/site/grafana/answers/targets.ts';
import { shapeHistory as trends } from '../../../src/site/grafana/answers/trend-answers.ts';
import { columnOf, trendOf } from '../../support/trend.ts';

/** Answers that our own analyzer does not give: other servers may. */

const combination = { product: 'p;d', feature: 'f' };
const always: TimeRange = { from: undefined, to: undefined };

function contextOf(target: TargetName, shape?: string, range: TimeRange = always, several = false) {
  const payload = { ...combination, ...(shape !== undefined && { shape }) };
  const query = readQuery({ target, payload, range, filters: [], prefix: '' });
  const combinations: Combinations = {
    asked: [combination],
    total: 1,
    notices: [],
    areSeveralProducts: false,
    areSeveralFeatures: several,
  };
  const days = { from: range.from ?? Number.NEGATIVE_INFINITY, to: range.to ?? Number.POSITIVE_INFINITY };
  return { query, combinations, localTime: createLocalTime('America/New_York'), days, now: range.to ?? 0 };
}

/** The items as Grafana reads them. */
// biome-ignore lint/suspicious/noExplicitAny: answers are checked without types
const received = (items: readonly PanelData[]): any[] => JSON.parse(JSON.stringify(items));

const shaped =
  <T>(shape: (context: ChartContext, answered: T) => readonly PanelData[]) =>
  (context: ChartContext, answered: T) =>
    received(shape(context, answered));

const shapeHistory = shaped(
  (context: ChartContext, answered: Parameters<typeof trends>[1]) => trends(context, answered).items,
);
const shapeReserved = shaped(charts.shapeReserved);
const shapeHeatMap = shaped((context: ChartContext, answered: Parameters<typeof charts.shapeHeatMap>[1]) =>
  charts.shapeHeatMap(context, answered, () => unknown),
);
const shapeEfficiency = shaped(charts.shapeEfficiency);

describe('history', () => {
  const points = [100, 200, 300, 400].map((at) => [at, at / 100] as const);
  const times = (range: TimeRange) =>
    shapeHistory(contextOf('history', undefined, range), [
      { combination, answer: [trendOf('Denials', points)] },
    ])[0]?.datapoints.map(([, at]: [number, number]) => at) ?? [];

  it('has the points of the days of the range, and no others', () => {
    expect(times(always)).toEqual([100, 200, 300, 400]);
    expect(times({ from: 250, to: 350 })).toEqual([300]);
    expect(times({ from: 200, to: 300 })).toEqual([200]);
    expect(times({ from: 50, to: 90 })).toEqual([]);
    expect(times({ from: 500, to: 600 })).toEqual([]);
    expect(times({ from: undefined, to: 201 })).toEqual([100, 200]);
  });

  it('has null where there is no value, and merges series by time', () => {
    const answer = [
      trendOf('Max Available', [
        [100, 5],
        [200, undefined],
      ]),
      trendOf('Denials', [[200, 2]]),
    ];
    const [first] = shapeHistory(contextOf('history'), [{ combination, answer }]);
    expect(first).toMatchObject({
      datapoints: [
        [5, 100],
        [null, 200],
      ],
    });
    expect(shapeHistory(contextOf('history', 'long'), [{ combination, answer }])).toEqual([
      {
        name: 'history',
        type: 'table',
        columns: [
          { text: 'Time', type: 'time' },
          { text: 'Max Available', type: 'number' },
          { text: 'Elapsed Time', type: 'number' },
          { text: 'Denials', type: 'number' },
        ],
        rows: [
          [100, 5, null, null],
          [200, null, null, 2],
        ],
      },
    ]);
  });

  it('leaves out a series without a value, whose total Grafana shows as 0', () => {
    const titles = (...answer: TrendSeries[]) =>
      shapeHistory(contextOf('history', undefined, { from: 250, to: 350 }), [{ combination, answer }]).map(
        ({ title }) => title,
      );
    expect(titles()).toEqual([]);
    expect(
      titles(
        trendOf('Max Available', points),
        trendOf('Elapsed Time', [[300, Number.NaN]]),
        trendOf('Denials', []),
        trendOf('Later', [[400, 1]]),
        trendOf('None', [[300, 0]]),
      ),
    ).toEqual(['Max Available', 'None']);
  });

  it('marks each day with denials once, over all features, the most first', () => {
    // the clock goes back on 1 November 2026 in New York: 25 hours
    const at = Date.UTC(2026, 10, 1, 4);
    const next = at + 25 * 3_600_000;
    const of = (feature: string, pairs: (readonly [number, number])[]) => ({
      combination: { product: 'p;d', feature },
      answer: [trendOf('Denials', pairs)],
    });
    const answered = [
      of('f', [
        [at - 86_400_000, 0],
        [at, 1],
      ]),
      of('g', [
        [at, 12],
        [next, 1],
      ]),
    ];
    const valuesOf = (range?: TimeRange) => {
      const [frame] = shapeHistory(contextOf('history', 'annotations', range), answered);
      return Object.fromEntries((frame as Frame).fields.map((f) => [f.name, f.values]));
    };
    expect(valuesOf()).toEqual({
      time: [at, next],
      timeEnd: [null, null],
      title: ['Denials', 'Denials'],
      text: ['2026-11-01: 13 denials of g (12), f (1)', '2026-11-02: 1 denial of g (1)'],
      tags: ['denials', 'denials'],
    });
    expect(valuesOf({ from: next, to: undefined }).time).toEqual([next]);
  });

  it('never has the number of uncounted licenses, and says of which it leaves it out', () => {
    const of = (feature: string, values: readonly number[]) => ({
      combination: { product: 'p;d', feature },
      answer: [
        trendOf(
          'Max Available',
          values.map((value, i) => [i * 100, value] as const),
        ),
        trendOf('Denials', [[0, 1]]),
      ],
    });
    // the sum of a counted and an uncounted one, and one that became uncounted
    const answered = [of('sum', [100_009, 100_009]), of('later', [7, 99_999]), of('counted', [8, 8])];
    const seen = (shape?: string) => {
      const { items, notices } = trends(contextOf('history', shape, always, true), answered);
      return { items: received(items), texts: notices.map(({ text }) => text) };
    };
    const chart = seen();
    const texts = ['Max Available is left out where licenses are uncounted: sum, later'];
    expect(chart.texts).toEqual(texts);
    expect(chart.items.map(({ title, datapoints }) => [title, datapoints.map(([value]: [number]) => value)])).toEqual([
      ['Denials - sum', [1]],
      ['Max Available - later', [7, null]],
      ['Denials - later', [1]],
      ['Max Available - counted', [8, 8]],
      ['Denials - counted', [1]],
    ]);
    expect(seen('long').items[0].rows.map((row: unknown[]) => row[3])).toEqual([null, null, 7, null, 8, 8]);
    expect(seen('totals').items[0].rows.map((row: unknown[]) => [row[1], row[5]])).toEqual([
      ['sum', null],
      ['later', 7],
      ['counted', 8],
    ]);
    expect(seen('totals').texts).toEqual(texts);
    // an uncounted day outside the range is no reason for a notice
    const early = trends(contextOf('history', undefined, { from: 0, to: 50 }), [of('later', [7, 99_999])]);
    expect(early.notices).toEqual([]);
  });

  it('has totals of the days of the range, the most denials first; what is not known is no 0', () => {
    const of = (feature: string, denials: readonly (number | undefined)[]) => ({
      combination: { product: 'p;d', feature },
      answer: [
        trendOf(
          'Denials',
          denials.map((value, i) => [i * 100, value] as const),
        ),
        trendOf('Elapsed Time', [
          [0, 2.5],
          [100, 3],
          [200, 100],
        ]),
        trendOf('Max Available', [[0, 5]]),
      ],
    });
    const answered = [of('few', [1, undefined, 50]), of('none', [0, 0, 9]), of('gap', [undefined]), of('many', [2, 3])];
    const [totals] = shapeHistory(contextOf('history', 'totals', { from: 0, to: 200 }), answered);
    expect(totals.columns.map(({ text }: { text: string }) => text)).toEqual([
      'Product',
      'Feature',
      'Denials',
      'Days with denials',
      'License-hours',
      'Max available',
    ]);
    expect(totals.rows).toEqual([
      ['p;d', 'many', 5, 2, 5.5, 5],
      ['p;d', 'few', 1, 1, 5.5, 5],
      ['p;d', 'none', 0, 0, 5.5, 5],
      ['p;d', 'gap', null, null, 5.5, 5],
    ]);
  });

  it('shows the series named, of the combinations with the highest totals in the range', () => {
    const of = (feature: string, denials: number | undefined, hours: number) => ({
      combination: { product: 'p;d', feature },
      answer: [
        trendOf('Denials', [
          [0, 100 - hours],
          [100, denials],
        ]),
        trendOf('Elapsed Time', [[100, hours]]),
      ],
    });
    const answered = [of('a', 1, 30), of('b', undefined, 20), of('c', 5, 10)];
    const seen = (payload: object) => {
      const context = contextOf('history', undefined, { from: 100, to: 200 }, true);
      const values = readQuery({
        target: 'history',
        payload: { ...combination, ...payload },
        range: always,
        filters: [],
        prefix: '',
      }).values;
      const { items, notices } = trends({ ...context, query: { ...context.query, values } }, answered);
      return [received(items).map(({ title }) => title), notices.map(({ text }) => text)];
    };
    expect(seen({ top: 2, columns: 'Denials' })).toEqual([
      ['Denials - c', 'Denials - a'],
      ['2 of 3 combinations, by Denials'],
    ]);
    expect(seen({ top: 1, sort: '-Elapsed Time' })).toEqual([
      ['Denials - a', 'Elapsed Time - a'],
      ['1 of 3 combinations, by Elapsed Time'],
    ]);
    expect(seen({ top: 3, columns: 'Elapsed Time' })).toEqual([
      ['Elapsed Time - c', 'Elapsed Time - a', 'Elapsed Time - b'],
      [],
    ]);
    expect(() => seen({ columns: 'Denial' })).toThrow(
      'history: "Denial" is not a series; valid are Max Available, Elapsed Time, Denials',
    );
  });

  it('is the same as with one point after the other', () => {
    const series = fc
      .tuple(
        fc.constantFrom('Max Available', 'Denials', 'other'),
        fc.array(fc.tuple(fc.nat(30), fc.option(fc.nat(9), { nil: undefined }))),
      )
      .map(([name, pairs]) => ({ name, points: pairs.sort(([a], [b]) => a - b) }));
    const bound = fc.option(fc.nat(32), { nil: undefined });
    fc.assert(
      fc.property(fc.array(series, { maxLength: 4 }), bound, bound, (drawn, from, to) => {
        const within = <T>(items: readonly T[], timeOf: (item: T) => number): readonly T[] => {
          const isIn = (at: number): boolean => (from === undefined || at >= from) && (to === undefined || at < to);
          return items.filter((item) => isIn(timeOf(item)));
        };
        const asked = [{ combination, answer: drawn.map(({ name, points: pairs }) => trendOf(name, pairs)) }];
        const lines = shapeHistory(contextOf('history', undefined, { from, to }), asked);
        const slowLines = drawn
          .map(({ points: pairs }) => within(pairs, ([at]) => at).map(([at, value]) => [value ?? null, at]))
          .filter((datapoints) => datapoints.some(([value]) => value !== null));
        expect(lines.map(({ datapoints }) => datapoints)).toEqual(slowLines);

        const names = [...new Set(['Max Available', 'Elapsed Time', 'Denials', ...drawn.map(({ name }) => name)])];
        const byTime = new Map<number, Map<string, number | null>>();
        for (const { name, points: pairs } of drawn) {
          for (const [at, value] of pairs) {
            byTime.set(at, (byTime.get(at) ?? new Map<string, number | null>()).set(name, value ?? null));
          }
        }
        const sorted = [...byTime].sort(([a], [b]) => a - b);
        const slowRows = within(sorted, ([at]) => at).map(([at, row]) => [
          at,
          ...names.map((name) => row.get(name) ?? null),
        ]);
        const [long] = shapeHistory(contextOf('history', 'long', { from, to }), asked);
        expect(long.rows).toEqual(slowRows);
      }),
    );
  });

  it('refuses more annotations than a panel can show', () => {
    const days = Array.from({ length: 20_001 }, (_, i) => [i * 86_400_000, 1] as const);
    const annotated = (count: number) => () =>
      shapeHistory(contextOf('history', 'annotations'), [
        { combination, answer: [trendOf('Denials', days.slice(0, count))] },
      ]);
    expect(annotated(20_000)()[0].fields[0].values).toHaveLength(20_000);
    expect(annotated(20_001)).toThrow('more than 20000 annotations; narrow the time range');
  });
});

describe('reserved', () => {
  const uneven = {
    categories: ['2026-11-01', '2026-11-02'],
    series: [
      { name: 'Reserved Licenses', values: columnOf([]) },
      { name: 'Distinct Users', values: columnOf([3]) },
      { name: 'Max In Use', values: columnOf([5, undefined]) },
    ],
  };

  it('fills series that are empty or too short up with null', () => {
    const [table] = shapeReserved(contextOf('reserved'), [{ combination, answer: uneven }]);
    expect(table).toMatchObject({
      rows: [
        ['2026-11-01', null, 3, 5],
        ['2026-11-02', null, null, null],
      ],
    });
  });

  it('becomes time series at the beginning of local days', () => {
    const items = shapeReserved(contextOf('reserved', 'timeseries'), [{ combination, answer: uneven }]);
    expect(items.map(({ datapoints }) => datapoints)).toEqual([
      [
        [null, Date.UTC(2026, 10, 1, 4)],
        [null, Date.UTC(2026, 10, 2, 5)],
      ],
      [
        [3, Date.UTC(2026, 10, 1, 4)],
        [null, Date.UTC(2026, 10, 2, 5)],
      ],
      [
        [5, Date.UTC(2026, 10, 1, 4)],
        [null, Date.UTC(2026, 10, 2, 5)],
      ],
    ]);
  });

  it('stays a table when a category is no time, and shows it in every range', () => {
    const answer = {
      categories: ['Week 44', '2026-02-31'],
      series: [{ name: 'Max In Use', values: columnOf([1, 2]) }],
    };
    const range = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 2) };
    expect(shapeReserved(contextOf('reserved', 'timeseries', range), [{ combination, answer }])).toEqual([
      {
        name: 'reserved',
        type: 'table',
        columns: [
          { text: 'Category', type: 'string' },
          { text: 'Max In Use', type: 'number' },
        ],
        rows: [
          ['Week 44', 1],
          ['2026-02-31', 2],
        ],
      },
    ]);
  });

  it('shows the days of the range', () => {
    const begins = [Date.UTC(2026, 10, 1, 4), Date.UTC(2026, 10, 2, 5)] as const;
    const shown = (range: TimeRange) => {
      const [table] = shapeReserved(contextOf('reserved', undefined, range), [{ combination, answer: uneven }]);
      return table.rows.map(([day]: [string]) => day);
    };
    expect(shown({ from: begins[0], to: begins[1] })).toEqual(['2026-11-01']);
    expect(shown({ from: begins[0] + 1, to: begins[1] + 1 })).toEqual(['2026-11-02']);
  });

  it('has its columns when the answer is empty', () => {
    const [table] = shapeReserved(contextOf('reserved'), [{ combination, answer: { categories: [], series: [] } }]);
    expect((table as Table).columns.map(({ text }) => text)).toEqual([
      'Category',
      'Reserved Licenses',
      'Distinct Users',
      'Max In Use',
    ]);
  });
});

describe('a cell', () => {
  it('is null for what JSON cannot hold and what is not known', () => {
    const values = [Number.POSITIVE_INFINITY, Number.NaN, undefined, 0, '', false];
    expect(values.map(cell)).toEqual([null, null, null, 0, '', false]);
    expect([millis(Number.POSITIVE_INFINITY), millis(undefined), millis(1.5)]).toEqual([null, null, 1500]);
  });
});

describe('efficiency', () => {
  it('keeps the order of the analyzer, and names each feature where there are several', () => {
    const answer = {
      series: [
        {
          name: '',
          categories: ['10', '2'],
          values: columnOf([1, undefined]),
        },
      ],
    };
    expect(shapeEfficiency(contextOf('efficiency', undefined, always, true), [{ combination, answer }])).toEqual([
      {
        name: 'efficiency - f',
        type: 'table',
        columns: [
          { text: 'Category', type: 'string' },
          { text: 'Total Duration - f', type: 'number' },
        ],
        rows: [
          ['10', 1],
          ['2', null],
        ],
      },
    ]);
  });
});

describe('heat map', () => {
  const answer = {
    hours: ['0', '1', '2'],
    weekdays: ['Sun', 'Mon'],
    series: [
      {
        name: 'Max In Use',
        hourIndexes: columnOf([2, 0, 2, 9]),
        weekdayIndexes: columnOf([0, 1, 1, 9]),
        values: columnOf([3, 4, 1, 9]),
      },
    ],
  };

  it('has the shape of the heatmap panel', () => {
    expect(shapeHeatMap(contextOf('heatmap'), [{ combination, answer }])).toEqual([
      {
        name: 'Max In Use',
        meta: { type: 'heatmap-rows' },
        fields: [
          { name: 'Hour', type: 'number', values: [0, 1, 2] },
          { name: 'Sun', type: 'number', config: {}, values: [null, null, 3] },
          { name: 'Mon', type: 'number', config: {}, values: [4, null, 1] },
        ],
      },
    ]);
  });

  it('has the shape of a table, and of flat rows', () => {
    expect(shapeHeatMap(contextOf('heatmap', 'table'), [{ combination, answer }])).toMatchObject([
      {
        columns: [{ text: 'Weekday' }, { text: '00' }, { text: '01' }, { text: '02' }],
        rows: [
          ['Sun', null, null, 3],
          ['Mon', 4, null, 1],
        ],
      },
    ]);
    expect(shapeHeatMap(contextOf('heatmap', 'long'), [{ combination, answer }])).toMatchObject([
      {
        rows: [
          [2, 'Sun', 0, 3],
          [0, 'Mon', 1, 4],
          [2, 'Mon', 1, 1],
        ],
      },
    ]);
  });

  it('is an empty week when the answer is empty', () => {
    const [table] = shapeHeatMap(contextOf('heatmap', 'table'), [
      { combination, answer: { hours: [], weekdays: [], series: [] } },
    ]);
    const { columns, rows } = table;
    expect([columns.length, rows.length, rows[0]?.[0]]).toEqual([25, 7, 'Sun']);
  });
});
