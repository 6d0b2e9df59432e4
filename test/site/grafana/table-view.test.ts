import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DatasourceError } from '../../../src/site/grafana/answers/errors.ts';
import type { Cell, Table, TargetAnswer } from '../../../src/site/grafana/answers/panel-data.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';
import { type Cells, type TableContent, viewAnswer, viewTable } from '../../../src/site/grafana/answers/table-view.ts';

interface Item {
  readonly name: string;
  readonly value: number | null;
}

const cells: Cells<Item> = [
  [{ text: 'Name', type: 'string' }, ({ name }) => name],
  [{ text: 'In use', type: 'number' }, ({ value }) => value],
  [{ text: 'Owner', type: 'string' }, () => 'ada', 'never'],
  [{ text: 'Double', type: 'number' }, ({ value }) => (value === null ? null : value * 2), 'asked'],
];

const queryOf = (payload: object) =>
  readQuery({
    target: 'products',
    payload: { ...payload },
    range: { from: undefined, to: undefined },
    filters: [],
    prefix: 'payload.',
  });

const view = (items: Iterable<Item>, payload: object, more: Partial<TableContent<Item>> = {}) =>
  viewTable(queryOf(payload), { name: 'products', cells, items, ...more });

const tableOf = ({ items }: TargetAnswer): Table => items[0] as Table;
const rowsOf = (answer: TargetAnswer): readonly (readonly Cell[])[] => [...tableOf(answer).rows];
const namesOf = (answer: TargetAnswer) => rowsOf(answer).map(([name]) => name);

const named = (...values: (number | null)[]): Item[] => values.map((value, i) => ({ name: `n${i}`, value }));

describe('sort', () => {
  it('puts unknown values last in both directions, and equal ones in the order that they had', () => {
    const items = named(3, null, 1, 3, 2);
    expect(namesOf(view(items, { sort: 'In use' }))).toEqual(['n2', 'n4', 'n0', 'n3', 'n1']);
    expect(namesOf(view(items, { sort: '-In use' }))).toEqual(['n0', 'n3', 'n4', 'n2', 'n1']);
    expect(namesOf(view(items, { sort: '-in_use' }))).toEqual(['n0', 'n3', 'n4', 'n2', 'n1']);
    expect(namesOf(view(items, {}))).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
  });

  it('takes numbers in texts as numbers', () => {
    const items = ['sim-10', 'sim-2', 'other'].map((name) => ({ name, value: 0 }));
    expect(namesOf(view(items, { sort: 'Name' }))).toEqual(['other', 'sim-2', 'sim-10']);
  });

  it('works by a column that is not shown, and by one that is shown only if it is asked for', () => {
    expect(rowsOf(view(named(1, 2), { sort: '-Double', columns: 'Name' }))).toEqual([['n1'], ['n0']]);
  });

  it('is the same as a stable sort of all rows, for any number of rows and any cut', () => {
    const value = fc.option(fc.integer({ min: 0, max: 20 }));
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 700 }),
        fc.integer({ min: 1, max: 200 }),
        fc.constantFrom('', '-'),
        (values, top, sign) => {
          const direction = sign === '-' ? -1 : 1;
          const items = named(...values);
          const expected = items
            .toSorted((a, b) =>
              a.value === null || b.value === null
                ? Number(a.value === null) - Number(b.value === null)
                : direction * (a.value - b.value),
            )
            .slice(0, top);
          const answer = view(items, { sort: `${sign}In use`, top });
          expect(namesOf(answer)).toEqual(expected.map(({ name }) => name));
        },
      ),
    );
  });
});

describe('top', () => {
  it('cuts the table after sorting, and says how many rows there are and by what they are sorted', () => {
    const answer = view(named(1, 2, 3), { sort: '-In use', top: 2 });
    expect(namesOf(answer)).toEqual(['n2', 'n1']);
    expect(answer.notices).toEqual([{ severity: 'info', text: '2 of 3 rows, by In use' }]);
    // it is what was asked for
    expect(answer.incomplete).toBeUndefined();
    expect(view(named(1, 2), { top: 2 }).notices).toEqual([]);
    expect(view(named(1, 2), { top: 1 }).notices).toEqual([{ severity: 'info', text: '1 of 2 rows' }]);
    const order = { name: 'age', keyOf: ({ value }: Item) => -(value ?? 0) };
    const ordered = view(named(1, 2), { top: 1 }, { order });
    expect([namesOf(ordered), ordered.notices[0]?.text]).toEqual([['n1'], '1 of 2 rows, by age']);
  });

  it('does not count items that are not asked for', () => {
    const isAskedFor = ({ value }: Item): boolean => value !== null;
    const answer = view(named(null, 1, null, 2), { top: 1 }, { isAskedFor });
    expect(answer.notices).toEqual([{ severity: 'info', text: '1 of 2 rows' }]);
  });

  it('is 10,000 if it is not set; then the answer is incomplete', () => {
    const items = Array.from({ length: 10_001 }, (_, i) => ({ name: `n${i}`, value: i }));
    const answer = view(items, { sort: '-In use' });
    expect(rowsOf(answer)).toHaveLength(10_000);
    expect(namesOf(answer)[0]).toBe('n10000');
    const text = '10,000 of 10,001 rows are shown, by In use; narrow the selection';
    expect(answer.notices).toEqual([{ severity: 'warning', text }]);
    expect([answer.incomplete?.code, answer.incomplete?.message]).toEqual(['too_many', text]);
  });

  it('keeps other problems first', () => {
    const problems = [new DatasourceError('deadline', 'too slow')];
    const answer = view(named(1, 2), { top: 1 }, { problems });
    expect(answer.notices.map(({ severity, text }) => [severity, text])).toEqual([
      ['warning', 'too slow'],
      ['info', '1 of 2 rows'],
    ]);
    expect(answer.incomplete?.code).toBe('deadline');
  });
});

describe('with', () => {
  it('keeps the rows in which a column is known and not 0, and counts only those', () => {
    const items = named(3, null, 0, 1, 2);
    expect(namesOf(view(items, { with: ['In use'] }))).toEqual(['n0', 'n3', 'n4']);
    const answer = view(items, { with: ['double'], sort: 'In use', top: 2 });
    expect(namesOf(answer)).toEqual(['n3', 'n4']);
    expect(answer.notices).toEqual([{ severity: 'info', text: '2 of 3 rows, by In use' }]);
    expect(namesOf(view(items, { with: ['Name', 'In use'], top: 1 }))).toEqual(['n0']);
  });
});

describe('columns', () => {
  it('are those named, in their order; one that has nothing to show is left out', () => {
    const answer = view(named(4), { columns: ['Double', 'Owner', 'name'] });
    expect(tableOf(answer).columns.map(({ text }) => text)).toEqual(['Double', 'Name']);
    expect(rowsOf(answer)).toEqual([[8, 'n0']]);
    expect(tableOf(view(named(4), {})).columns.map(({ text }) => text)).toEqual(['Name', 'In use']);
  });

  it('must exist', () => {
    const error = (payload: object) => {
      try {
        return view(named(1), payload);
      } catch (thrown) {
        return thrown instanceof DatasourceError ? [thrown.code, thrown.message] : thrown;
      }
    };
    const valid = 'valid are Name, In use, Owner, Double';
    expect(error({ columns: 'Nmae' })).toEqual(['bad_parameter', `products: columns "Nmae" is not a column; ${valid}`]);
    expect(error({ with: 'Nmae' })).toEqual(['bad_parameter', `products: with "Nmae" is not a column; ${valid}`]);
    expect(error({ sort: '-Nmae' })).toEqual(['bad_parameter', `products: sort "Nmae" is not a column; ${valid}`]);
  });
});

describe('a table that is already made', () => {
  const made: TargetAnswer = {
    items: [
      {
        name: 'users',
        type: 'table',
        columns: [
          { text: 'User', type: 'string' },
          { text: 'Since', type: 'time' },
        ],
        rows: [
          ['a', 2],
          ['b', null],
          ['c', 1],
        ],
      },
      { target: 't', title: 't', tags: {}, datapoints: [[1, 2]] },
    ],
    notices: [{ severity: 'error', text: 'feature "x": too slow' }],
  };
  const seen = (payload: object) => viewAnswer(queryOf(payload), made);

  it('is sorted and cut like any other; charts are left as they are', () => {
    const answer = seen({ sort: '-Since', top: 2, columns: ['Since'] });
    expect(answer.items[0]).toEqual({
      name: 'users',
      type: 'table',
      columns: [{ text: 'Since', type: 'time' }],
      rows: [[2], [1]],
    });
    expect(answer.items[1]).toBe(made.items[1]);
    expect(answer.notices.map(({ text }) => text)).toEqual(['feature "x": too slow', '2 of 3 rows, by Since']);
  });

  it('has only the rows with a value in a column', () => {
    expect(seen({ with: ['Since'], sort: 'Since' }).items[0]).toMatchObject({
      rows: [
        ['c', 1],
        ['a', 2],
      ],
    });
  });

  it('is the same without any of the keys', () => {
    expect(seen({})).toBe(made);
  });
});
