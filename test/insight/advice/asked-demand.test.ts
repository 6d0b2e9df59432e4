import { describe, expect, it } from 'vitest';
import { createLocalTime, dateText } from '../../../src/base/model/local-time.ts';
import type { FeatureRecord } from '../../../src/base/model/records.ts';
import {
  createAskedSource,
  demandOf,
  type HistoryClient,
} from '../../../src/insight/advice/pass/asked-demand-source.ts';
import type { DemandSource } from '../../../src/insight/advice/pass/demand-source.ts';
import { knownFeaturesOf } from '../../../src/insight/advice/pass/known-features.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { answer, createSnapshot, feature, good, NOW, product } from '../../support/scenario.ts';
import { trendOf } from '../../support/trend.ts';

const localTime = createLocalTime('America/New_York');
const today = localTime.dayOf(NOW);
const series = { vendorLicense: 'lic01;cdslmd', feature: 'base', package: '', featureType: 'feature' };
const at = (day: number): number => localTime.startOf(day) * 1000;
const { NaN: unknown } = Number;

describe('demand from the history endpoints', () => {
  const history = {
    trend: [
      trendOf('Max Available', [
        [at(today - 3), 10],
        [at(today - 1), 12],
        [at(today), 13],
      ]),
      trendOf('Denials', [[at(today - 1), 4]]),
    ],
    reserved: {
      categories: [dateText(today - 2), dateText(today - 1), dateText(today), 'total', '2026-02-31'],
      series: [
        { name: 'Max In Use', values: Float64Array.of(5, 6, 7, 99, 99) },
        { name: 'Reserved Licenses', values: Float64Array.of(1) },
      ],
    },
    efficiency: { series: [{ name: '', categories: ['1', '2', '4', 'x'], values: Float64Array.of(9, 7.5, 2, 5) }] },
  };

  it('has the days before today, with what is known of each', () => {
    expect(demandOf(series, history, localTime, today).days).toEqual({
      day: Int32Array.of(today - 3, today - 2, today - 1),
      available: Float64Array.of(10, unknown, 12),
      inUse: Float64Array.of(unknown, 5, 6),
      reserved: Float64Array.of(unknown, 1, unknown),
      denials: Float64Array.of(unknown, unknown, 4),
    });
  });

  it('has the curve by the number of licenses', () => {
    const { detail } = demandOf(series, history, localTime, today);
    expect(detail).toEqual({ kind: 'curve', hoursAtLeast: Float64Array.of(unknown, 9, 7.5, 2, 2) });
  });

  it('is empty if nothing is recorded', () => {
    const nothing = { trend: [], reserved: { categories: [], series: [] }, efficiency: { series: [] } };
    const { days, detail } = demandOf(series, nothing, localTime, today);
    expect([days.day.length, detail]).toEqual([0, { kind: 'curve', hoursAtLeast: new Float64Array() }]);
  });
});

function sourceOf(maxFeatures = 100): { source: DemandSource; requests: string[] } {
  const requests: string[] = [];
  const answerWith =
    <T>(name: string, value: T) =>
    async (parameters: object): Promise<T> => {
      requests.push(`${name} ${new URLSearchParams({ ...parameters })}`);
      return value;
    };
  const client: HistoryClient = {
    getHistory: answerWith('GetHistory', []),
    getHistoryReserved: answerWith('GetHistoryReserved', { categories: [], series: [] }),
    getEfficiency: answerWith('GetEfficiency', { series: [] }),
  };
  return { source: createAskedSource({ client, localTime, concurrency: 2, maxFeatures }), requests };
}

const listOf = (source: DemandSource, features: readonly Partial<FeatureRecord>[], products = ['lic01;cdslmd']) =>
  source.list(
    knownFeaturesOf(
      deriveInventoryNow(
        createSnapshot({
          products: good(answer(products.map((name) => product({ product: name })))),
          down: good(answer([])),
          features: { '': good(answer(features.map(feature))) },
        }),
        NOW,
        { ...everything, usageWhenNotCurrent: 'withhold' },
      ),
    ),
  );

describe('an analyzer elsewhere', () => {
  it('gets three requests for a feature, in its own spelling', async () => {
    const { source, requests } = sourceOf();
    const { items } = listOf(source, [{}], ['lic01;cdslmd;site-b']);
    expect(items).toEqual([{ series, exclusion: undefined }]);
    await source.read(series, today, new AbortController().signal);
    const names = 'product=lic01%3Bcdslmd%3Bsite-b&feature=base&package=';
    const [year, month] = dateText(today).split('-');
    expect(requests).toEqual([
      `GetHistory ${names}&ftype=feature`,
      `GetHistoryReserved ${names}&ftype=feature`,
      `GetEfficiency ${names}&year=${year}&month=${Number(month)}&last=465&type=feature`,
    ]);
  });

  it('gets requests for the first counted features by name, and the others are counted', () => {
    const { source } = sourceOf(2);
    const names = ['d', 'b', 'c', 'a'];
    const features = [...names.map((name) => ({ feature: name })), { feature: 'b-uncounted', maxAvailable: 99_999 }];
    const { items, leftOut } = listOf(source, features);
    expect(items.map(({ series: { feature: name }, exclusion }) => [name, exclusion])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['b-uncounted', 'has uncounted licenses'],
    ]);
    expect(leftOut).toBe(2);
  });

  it.each<[string, readonly Partial<FeatureRecord>[], string[]?]>([
    ['cannot be requested alone: its name has a %, and also matches another one', [{ feature: 'b%' }, {}]],
    ['cannot be requested alone: it is also listed in a package', [{}, { package: 'p' }]],
    ['is listed for several parts of the vendor license', [{}], ['lic01;cdslmd;a', 'lic01;cdslmd;b']],
  ])('is not asked for what it would add up: a feature that %s', (exclusion, features, products) => {
    const { items } = listOf(sourceOf().source, features, products);
    expect(items[0]?.exclusion).toBe(exclusion);
  });

  it('is asked for a name with % that matches nothing else', () => {
    const { items } = listOf(sourceOf().source, [{ feature: 'b%' }, { feature: 'other' }]);
    expect(items.map(({ exclusion }) => exclusion)).toEqual([undefined, undefined]);
  });

  it('has no list before it has been polled', () => {
    expect(() => listOf(sourceOf().source, [])).toThrow('the analyzer has not reported any features yet');
  });
});
