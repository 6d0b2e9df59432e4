import { describe, expect, it } from 'vitest';
import type { PriceEntry } from '../../../src/base/model/prices.ts';
import { type Figure, unknown } from '../../../src/base/model/unknown.ts';
import type { FeatureRow } from '../../../src/exporter/inventory/feature-row.ts';
import {
  type ContractGroup,
  type ContractOptions,
  type Contracts,
  readContracts,
} from '../../../src/insight/contracts/contract-calendar.ts';
import type { ContractLine } from '../../../src/insight/contracts/contract-line.ts';
import { adviceOf, adviceTable, TODAY } from '../../support/advice-table.ts';
import { contractInventory, contractOptions, contractRow, endOf, NOON } from '../../support/contract-rows.ts';
import { priceEntry } from '../../support/price-entry.ts';

const NEVER = Number.POSITIVE_INFINITY;

const read = (
  rows: readonly FeatureRow[],
  entries: readonly PriceEntry[] = [priceEntry()],
  fields: Partial<ContractOptions> = {},
): Promise<Contracts> => readContracts(contractInventory(rows), contractOptions(entries, fields));

const linesOf = ({ groups, permanent, undated }: Contracts): readonly ContractLine[] => [
  ...groups.flatMap(({ blocks }) => blocks.flatMap(({ lines }) => lines)),
  ...permanent.lines,
  ...undated.lines,
];

async function lineOf(row: Partial<FeatureRow>, entry?: Partial<PriceEntry>): Promise<ContractLine> {
  const [line] = linesOf(await read([contractRow(row)], entry === undefined ? [] : [priceEntry(entry)]));
  if (line === undefined) throw new Error('no line');
  return line;
}

const namesOf = ({ blocks }: ContractGroup): readonly string[][] =>
  blocks.map(({ lines }) => lines.map(({ feature }) => feature));

describe('the day on which one must act', () => {
  it.each([
    ['the last day of the notice', {}, { noticeDays: 90 }, { state: 'due', actBy: TODAY + 10 }],
    ['today at the latest', {}, { noticeDays: 100 }, { state: 'due', actBy: TODAY }],
    ['the renewal, if the notice is not known', {}, {}, { state: 'due', actBy: TODAY + 100 }],
    ['a notice that has passed', {}, { noticeDays: 101 }, { state: 'notice passed', actBy: TODAY - 1 }],
    [
      'that of the renewal of the price file, not of the expiry',
      {},
      { renewal: TODAY + 50, noticeDays: 20 },
      { state: 'due', actBy: TODAY + 30, expires: TODAY + 100 },
    ],
    [
      'the expiry, if it is before the notice and the renewal of the price file',
      { expiration: endOf(3) },
      { renewal: TODAY + 50, noticeDays: 20 },
      { state: 'due', actBy: TODAY + 3, expires: TODAY + 3 },
    ],
    ['a renewal that has passed', {}, { renewal: TODAY - 1 }, { state: 'renewal passed', actBy: TODAY - 1 }],
    [
      'the expiry of what has expired, also with a renewal in the price file',
      { expiration: NOON - 1 },
      { renewal: TODAY + 50 },
      { state: 'expired', actBy: TODAY },
    ],
    ['none for a permanent license', { expiration: NEVER }, {}, { state: 'permanent', actBy: undefined }],
    [
      'the renewal of the price file for a permanent license',
      { expiration: NEVER },
      { renewal: TODAY + 9 },
      { state: 'due', actBy: TODAY + 9, expires: 'never' },
    ],
    ['not known without a date', { expiration: unknown }, {}, { state: 'renewal not known', expires: 'not known' }],
  ] as const)('is %s', async (_, row, entry, expected) => {
    expect(await lineOf(row, entry)).toMatchObject(expected);
  });

  it('is listed up to the same day of the last month', async () => {
    const rows = [0, 1].map((more) =>
      contractRow({ version: `${more}`, expiration: endOf(Date.UTC(2028, 4, 17) / 86_400_000 - TODAY + more) }),
    );
    const { listed, later, end } = await read(rows);
    expect([listed.lines, later.lines, end]).toEqual([1, 1, Date.UTC(2028, 4, 18) / 86_400_000]);
    expect((await read(rows, [], { months: 19 })).listed.lines).toBe(2);
  });
});

describe('the worth of licenses', () => {
  it.each([
    [{}, {}, { kind: 'a year', amount: 2000, currency: 'EUR' }],
    [{}, { per: 'month', currency: 'USD', price: 10.5 }, { kind: 'a year', amount: 2520, currency: 'USD' }],
    [{}, { per: 'once' }, { kind: 'once' }],
    [{ maxAvailable: unknown }, {}, { kind: 'no number' }],
    [{ maxAvailable: unknown, licenseType: 'uncounted' }, {}, { kind: 'no number' }],
    [{ maxAvailable: 0, expiration: NOON - 9 }, {}, { kind: 'no number' }],
    [{ featureType: 'component' }, {}, { kind: 'of another' }],
    [{}, { feature: 'other' }, { kind: 'no price' }],
  ] as const)('%o with %o is %o', async (row, entry, worth) => {
    expect((await lineOf(row, entry)).worth).toEqual(worth);
  });

  it('is counted once for versions, packages and token pools', async () => {
    const { due } = await read([
      contractRow({ version: '1', maxAvailable: 5 }),
      contractRow({ version: '2', maxAvailable: 3, expiration: endOf(40) }),
      contractRow({ feature: 'suite', package: 'suite', featureType: 'package', maxAvailable: 1 }),
      contractRow({ feature: 'part', package: 'suite', featureType: 'component', maxAvailable: 1 }),
      contractRow({ feature: 'pool', maxAvailable: 2 }),
      contractRow({ feature: 'taker', tokenPool: 'pool', tokenCostValue: 2, maxAvailable: 50 }),
      // its pool is not reported, so that its licenses are its own
      contractRow({ feature: 'alone', tokenPool: 'no pool', tokenCostValue: 2, maxAvailable: 4 }),
    ]);
    expect(due.values).toEqual(new Map([['EUR', { amount: 100 * (5 + 3 + 1 + 2 + 4), lines: 5 }]]));
    expect(due.worths).toMatchObject({ 'a year': 5, 'of another': 2 });
  });

  it('is not there for those who may not see prices, and the dates are the same', async () => {
    const rows = [contractRow(), contractRow({ feature: 'b', expiration: NEVER })];
    const entries = [priceEntry({ renewal: TODAY + 60, noticeDays: 30 })];
    const [shown, hidden] = [await read(rows, entries), await read(rows, entries, { showsPrices: false })];
    const dates = (contracts: Contracts) => linesOf(contracts).map(({ worth: _, price: __, ...line }) => line);
    expect(dates(hidden)).toEqual(dates(shown));
    expect(hidden.listed.values.size).toBe(0);
    for (const { worth, price } of linesOf(hidden)) expect([worth.kind, price]).toEqual(['not shown', undefined]);
  });
});

describe('the groups', () => {
  it('have what has passed first, then each month with a sum for each currency', async () => {
    const rows = [
      contractRow({ feature: 'a', expiration: NOON - 9 }),
      contractRow({ feature: 'b' }),
      contractRow({ feature: 'c', expiration: endOf(20) }),
      contractRow({ feature: 'd', expiration: endOf(15) }),
      contractRow({ feature: 'e', expiration: endOf(14), maxAvailable: 1 }),
      contractRow({ feature: 'f', expiration: endOf(21) }),
    ];
    const entries = [
      priceEntry({ feature: 'b', noticeDays: 200 }),
      priceEntry({ feature: 'c', renewal: TODAY - 4 }),
      priceEntry({ feature: 'f', currency: 'USD' }),
      priceEntry(),
    ];
    const { groups, listed, due } = await read(rows, entries);
    expect(groups.map(({ state, month }) => [state, month])).toEqual([
      ['expired', undefined],
      ['renewal passed', undefined],
      ['notice passed', undefined],
      ['due', '2026-12'],
    ]);
    expect(groups.map(namesOf)).toEqual([[['a']], [['c']], [['b']], [['e'], ['d'], ['f']]]);
    const sums = new Map([
      ['EUR', { amount: 2100, lines: 2 }],
      ['USD', { amount: 2000, lines: 1 }],
    ]);
    expect([groups[3]?.tally.values, due.values]).toEqual([sums, sums]);
    expect([listed.lines, due.lines, listed.values.get('EUR')?.amount]).toEqual([6, 3, 8100]);
  });

  it('have one block for the same dates, vendor license and owner', async () => {
    const rows = [
      contractRow({ feature: 'a' }),
      contractRow({ feature: 'b' }),
      contractRow({ feature: 'c', expiration: endOf(101) }),
      contractRow({ feature: 'd', vendorLicense: 'lic02;x' }),
      contractRow({ feature: 'e', vendorLicense: 'lic02;x' }),
      contractRow({ feature: 'f', vendorLicense: 'lic02;x' }),
    ];
    const owners = {
      entries: [],
      names: ['owner'],
      of: (_: string, feature = '') => (feature === 'e' ? { owner: 'cae' } : {}),
    };
    const entries = [priceEntry({ feature: 'b', renewal: TODAY + 100 }), priceEntry({ feature: 'f', noticeDays: 0 })];
    const { groups } = await read(rows, entries, { owners });
    expect(groups.map(namesOf)).toEqual([[['a', 'b'], ['d'], ['e'], ['f'], ['c']]]);
  });

  it('name no line twice, and none is missing', async () => {
    const times: readonly Figure[] = [NOON - 9, endOf(3), endOf(900), NEVER, unknown];
    const rows = Array.from({ length: 50 }, (_, i) =>
      contractRow({ feature: `f${i % 7}`, version: `${i}`, expiration: times[i % 5] ?? unknown }),
    );
    const contracts = await read(rows);
    const { listed, later, permanent, undated } = contracts;
    expect([listed.lines, later.lines, permanent.lines.length, undated.lines.length]).toEqual([20, 10, 10, 10]);
    expect(new Set(linesOf(contracts).map(({ version }) => version)).size).toBe(40);
  });

  it('count what is not known', async () => {
    const rows = [
      contractRow({ feature: 'a' }),
      contractRow({ feature: 'b', vendorLicense: 'lic02;x' }),
      contractRow({ feature: 'c', vendorLicense: 'lic02;x' }),
    ];
    const entries = [priceEntry({ feature: 'c', noticeDays: 9 }), priceEntry({ feature: 'd', noticeDays: 999 })];
    const { listed, permanent } = await read(
      [
        ...rows,
        contractRow({ feature: 'd' }),
        contractRow({ feature: 'e', expiration: NEVER }),
        contractRow({ feature: 'f', expiration: NOON - 9 }),
      ],
      entries,
    );
    expect(listed).toMatchObject({ lines: 5, withoutOwner: 2, withoutNotice: 2, worths: { 'no price': 3 } });
    // nobody waits for a notice without a renewal, or after the expiry
    expect(permanent.tally).toMatchObject({ lines: 1, withoutNotice: 0 });
  });

  it('have only the owners that are asked for', async () => {
    const rows = [contractRow(), contractRow({ vendorLicense: 'lic02;x' })];
    const seen: string[] = [];
    const contracts = await read(rows, [], {
      isOwnerAsked: (owner) => owner === undefined,
      onRow: ({ vendorLicense }) => seen.push(vendorLicense),
    });
    expect(linesOf(contracts).map(({ vendorLicense }) => vendorLicense)).toEqual(['lic02;x']);
    expect(seen).toEqual(['lic02;x']);
  });
});

describe('advice on a line', () => {
  it('is that of all versions, if it is certain and changes the number', async () => {
    const names = ['go', 'more', 'maybe', 'fine'];
    const rows = names.map((feature) => contractRow({ feature }));
    const advice = adviceTable([
      adviceOf({ feature: 'go', count: 4 }),
      adviceOf({ feature: 'more', state: 'missing', count: undefined }),
      adviceOf({ feature: 'maybe', confidence: 'provisional' }),
      adviceOf({ feature: 'fine', state: 'fine' }),
    ]);
    const contracts = await read(rows, [], { advice });
    expect(linesOf(contracts).map((line) => line.advice)).toEqual([
      { state: 'could go', count: 4, bought: 20 },
      { state: 'missing', count: undefined, bought: 20 },
      undefined,
      undefined,
    ]);
  });
});
