import { describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createOwners, noOwners } from '../../../src/base/model/owners.ts';
import { WHOLE } from '../../../src/base/model/snapshot.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import type { Backend } from '../../../src/site/grafana/answers/backend.ts';
import { combinationsOf } from '../../../src/site/grafana/answers/combinations.ts';
import { DatasourceError } from '../../../src/site/grafana/answers/errors.ts';
import { answerExpirations } from '../../../src/site/grafana/answers/expiration-answers.ts';
import { answerFeatures } from '../../../src/site/grafana/answers/feature-answers.ts';
import { type Frame, flatRows, type Table, type TargetAnswer } from '../../../src/site/grafana/answers/panel-data.ts';
import { answerProducts, answerServerDown } from '../../../src/site/grafana/answers/product-answers.ts';
import type { Query } from '../../../src/site/grafana/answers/query.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';
import { figuresOf } from '../../../src/site/grafana/answers/site-figures.ts';
import type { TargetName } from '../../../src/site/grafana/answers/targets.ts';
import { answerQuery } from '../../../src/site/grafana/protocols/simpod.ts';
import { isSaturated } from '../../support/alert-views.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import {
  answer,
  createSnapshot,
  failed,
  feature,
  good,
  NOW,
  product,
  type Scenario,
  scenario,
} from '../../support/scenario.ts';

/** Answers from polls as other analyzers than ours give them: several parts, odd names, failures, permanent licenses. */

const localTime = createLocalTime('Europe/Berlin');
const context = { localTime, owners: () => noOwners, isSaturated };

function inventoryOf(parts: Scenario): Inventory {
  const snapshot = createSnapshot(parts);
  const policy = {
    ...everything,
    usageWhenNotCurrent: 'withhold' as const,
  };
  return deriveInventoryNow(snapshot, NOW, policy);
}

const inventory = inventoryOf(scenario);

const queryOf = (target: TargetName, payload: object, range: Partial<Query['range']> = {}): Query =>
  readQuery({
    target,
    payload: { ...payload },
    range: { from: undefined, to: undefined, ...range },
    filters: [],
    prefix: '',
  });

const rowsOf = ({ items }: TargetAnswer) => [...flatRows([items[0] as Table])];

const productsOf = async (payload: object, site: Inventory, shown: Parameters<typeof answerProducts>[2] = context) =>
  answerProducts(queryOf('products', payload), site, shown, await figuresOf(site, isSaturated));

const errorOf = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    return error instanceof DatasourceError ? [error.code, error.message] : error;
  }
};

describe('products', () => {
  it('has a row for each vendor license, its parts merged, and null for what is withheld, permanent or never was', async () => {
    const never = inventoryOf({ ...scenario, products: good(answer([product({ collectionTime: undefined })])) });
    expect(rowsOf(await productsOf({ filters: 'lic01%' }, never))).toMatchObject([{ collected: null }]);
    const rows = rowsOf(await productsOf({}, inventory));
    expect(
      rows.map(({ product: name, up, distinct_users: users, days_left: days }) => [name, up, users, days]),
    ).toEqual([
      ['gone;lmgrd', false, null, null],
      ['größe;undef', false, null, 1],
      ['lic01;cdslmd', true, 5, 1],
      ['lic02;mgcld', true, 7, 1],
    ]);
    expect(rowsOf(await productsOf({ filters: 'lic02;mgcld;site-b' }, inventory))).toHaveLength(1);
  });

  it('is an error where GetProducts is not known, with the reason', async () => {
    const without = inventoryOf({ products: failed() });
    expect(await errorOf(() => productsOf({}, without))).toEqual(['deadline', 'GetProducts: too slow']);
    const old = inventoryOf({ products: good(answer([product()]), NOW - 301) });
    expect(await errorOf(() => productsOf({}, old))).toEqual(['upstream_down', 'GetProducts was polled too long ago']);
    expect(await errorOf(() => productsOf({}, inventoryOf({})))).toEqual([
      'upstream_down',
      'GetProducts has not been polled yet',
    ]);
  });
});

describe('server_down', () => {
  it('has a row for each part, those included that GetProducts does not know', () => {
    const rows = rowsOf(answerServerDown(queryOf('server_down', {}), inventory));
    expect(rows.map(({ product: name, qualifier }) => [name, qualifier])).toEqual([
      ['gone;lmgrd', ''],
      ['größe;undef', ''],
      ['größe;undef', 'x'],
    ]);
  });

  it('is never empty because nothing is known', async () => {
    const unknown = inventoryOf({ products: good(answer([product()])), down: failed() });
    expect(await errorOf(() => answerServerDown(queryOf('server_down', {}), unknown))).toEqual([
      'deadline',
      'GetServerDown: too slow',
    ]);
  });
});

describe('features', () => {
  it('are those of the products and patterns asked for', () => {
    const names = (payload: object) =>
      rowsOf(answerFeatures(queryOf('features', payload), inventory, context)).map(({ feature: name }) => name);
    expect(names({ product: 'lic01;cdslmd' })).toEqual(['a,feature:b', 'back\\slash\nline', 'base']);
    expect(names({ product: ['lic02;mgcld;site-b', 'größe;undef'] })).toEqual(['twice', 'old news']);
    expect(names({ product: '%', filters: 'ba%' })).toEqual(['back\\slash\nline', 'base']);
    expect(names({ product: '%', package: 'pk%' })).toEqual(['a,feature:b']);
    expect(names({ product: 'LIC01;cdslmd' })).toEqual([]);
  });

  it('are cut at 10,000 rows, and say so', () => {
    const many = Array.from({ length: 10_001 }, (_, i) => feature({ feature: `f${i}` }));
    const large = inventoryOf({ ...scenario, features: { [WHOLE]: good(answer(many)) } });
    const { items, notices, incomplete } = answerFeatures(queryOf('features', { product: '%' }), large, context);
    expect((items[0] as Table).rows).toHaveLength(10_000);
    const text = '10,000 of 10,001 rows are shown, by Share; narrow the selection';
    expect(notices).toEqual([{ severity: 'warning', text }]);
    expect([incomplete?.code, incomplete?.message]).toEqual(['too_many', text]);
  });
});

describe('expirations', () => {
  it('have no date for permanent licenses, and warn of parts that are not known', () => {
    const result = answerExpirations(queryOf('expirations', { product: '%' }), inventory, context);
    const rows = rowsOf(result).map(({ feature: name, expires, days_left: days, expired }) => [
      name,
      expires,
      days,
      expired,
    ]);
    expect(rows).toContainEqual(['back\\slash\nline', 'permanent', null, false]);
    expect(rows).toContainEqual(['expired', '2027-01-15', -0, true]);
    expect(result.notices).toEqual([{ severity: 'warning', text: 'GetExpirationFeatures of größe;undef: too slow' }]);
    expect(Object.keys(rowsOf(result)[0] ?? {})[0]).toBe('product');
    const one = answerExpirations(queryOf('expirations', { product: 'lic01;cdslmd' }), inventory, context);
    expect(Object.keys(rowsOf(one)[0] ?? {})[0]).toBe('feature');
    expect(one.notices).toEqual([]);
  });

  it('name the vendor licenses whose expiries are not known because they were never collected', () => {
    const never = product({ product: 'lic08;cdslmd', collectionTime: undefined });
    const site = inventoryOf({ ...scenario, products: good(answer([product(), never])) });
    const noticesOf = (payload: object) =>
      answerExpirations(queryOf('expirations', payload), site, context).notices.map(({ text: said }) => said);
    const text = 'without lic08;cdslmd: never collected, so no expiry is known';
    expect(noticesOf({ product: '%', shape: 'totals' })).toContain(text);
    expect(noticesOf({ product: 'lic01;cdslmd', shape: 'totals' })).toEqual([]);
  });

  const resultOf = async (payload: object, site: Inventory) => {
    const backend = { ...context, inventory: () => site };
    const body = { targets: [{ refId: 'A', target: 'expirations', payload: { ...payload, none: 'none expires' } }] };
    const [item] = await answerQuery(body, backend as unknown as Backend, new AbortController().signal);
    return (item as Table).rows;
  };

  it('have no row for certain only if every part is known', async () => {
    expect(await resultOf({ product: 'lic01;cdslmd', feature: 'x' }, inventory)).toEqual([['none expires']]);
    expect(await resultOf({ product: '%', feature: 'x' }, inventory)).toEqual([]);
  });

  it('are not none, and no 0, where features have no known expiry', async () => {
    const undated = feature({ feature: 'undated', licenseExpiration: undefined });
    const site = inventoryOf({
      products: good(answer([product()])),
      features: { [WHOLE]: good(answer([undated])) },
      expirations: { 'lic01;cdslmd': good(answer([])) },
    });
    const text = 'None is known, but there is no data about the expiry of 1 feature';
    expect(await resultOf({ product: '%' }, site)).toEqual([[text]]);
    const figures = (shape: string) => {
      const answered = answerExpirations(queryOf('expirations', { product: '%', shape }), site, context);
      return rowsOf(answered).flatMap((row) => Object.values(row).filter((value) => typeof value === 'number'));
    };
    // the number of those without a date
    expect(figures('totals')).toEqual([1]);
    expect(figures('months')).toEqual([]);
    // nor does a list look complete
    const dated = feature({ feature: 'dated', licenseExpiration: NOW + 86_400 });
    const both = inventoryOf({
      products: good(answer([product()])),
      features: { [WHOLE]: good(answer([undated, dated])) },
      expirations: { 'lic01;cdslmd': good(answer([])) },
    });
    const listed = answerExpirations(queryOf('expirations', { product: '%' }), both, context);
    expect([rowsOf(listed).length, listed.notices.map((notice) => notice.text)]).toEqual([
      1,
      ['without 1 feature: no expiry is known'],
    ]);
  });

  it('are annotations where they end within the range, one for each day', () => {
    const range = { from: (NOW - 86_400) * 1000, to: (NOW + 2 * 86_400) * 1000 };
    const query = queryOf('expirations', { product: 'lic01;cdslmd', shape: 'annotations' }, range);
    const [frame] = answerExpirations(query, inventory, context).items;
    const values = Object.fromEntries((frame as Frame).fields.map((f) => [f.name, f.values]));
    expect(values.text).toEqual([
      '2027-01-15: 1 license expires: lic01;cdslmd (expired)',
      '2027-01-16: 2 licenses expire: lic01;cdslmd (a,feature:b, base)',
    ]);
    const before = queryOf('expirations', { product: '%', shape: 'annotations' }, { from: 0, to: 1 });
    expect((answerExpirations(before, inventory, context).items[0] as Frame).fields[0]?.values).toEqual([]);
  });
});

describe('what the analyzer is asked about', () => {
  const asked = (payload: object, from: Inventory | undefined = inventory) =>
    combinationsOf(queryOf('history', payload), from, false).asked.map(
      ({ product: name, feature: f }) => `${name}/${f}`,
    );

  it('is spelled as the analyzer does, each part of a vendor license by itself', () => {
    expect(asked({ product: 'lic01;cdslmd', feature: 'base' })).toEqual(['lic01;cdslmd/base']);
    expect(asked({ product: 'lic02;mgcld', feature: 'twice' })).toEqual(['lic02;mgcld/twice']);
    expect(asked({ product: 'lic02;mgcld;site-b', feature: 'twice' })).toEqual(['lic02;mgcld;site-b/twice']);
    const parts = inventoryOf({
      ...scenario,
      products: good(answer([product({ product: 'a;b;x' }), product({ product: 'a;b;y' })])),
    });
    expect(asked({ product: 'A;b', feature: 'f' }, parts)).toEqual(['a;b;x/f', 'a;b;y/f']);
  });

  it('is what was said, where it is not known', async () => {
    expect(asked({ product: 'strange;one', feature: 'f' })).toEqual(['strange;one/f']);
    expect(asked({ product: 'strange;one', feature: 'f' }, undefined)).toEqual(['strange;one/f']);
    expect(
      await errorOf(() => combinationsOf(queryOf('history', { product: '%', feature: 'f' }), undefined, false)),
    ).toEqual(['upstream_down', 'history: % cannot be expanded, because no names are known yet']);
  });

  it('is one pattern, where it is left to the analyzer', () => {
    expect(asked({ product: '%', feature: '%', wildcard: 'upstream' })).toEqual(['%/%']);
  });
});

describe('the owner', () => {
  const owners = createOwners([
    { vendorLicense: 'lic01;*', feature: 'base', labels: { owner: 'ada', site: 'paris' } },
    { vendorLicense: 'lic01;*', feature: '*', labels: { owner: 'cad' } },
  ]);

  it('is the last column of the live tables; without one it is null', async () => {
    const owned = { ...context, owners: () => owners };
    const ownersIn = (result: TargetAnswer, key: string) =>
      Object.fromEntries(rowsOf(result).map((row) => [row[key], row.owner]));
    expect(ownersIn(await productsOf({ filters: 'lic%' }, inventory, owned), 'product')).toEqual({
      'lic01;cdslmd': 'cad',
      'lic02;mgcld': null,
    });
    const features = answerFeatures(queryOf('features', { product: '%' }), inventory, owned);
    expect(ownersIn(features, 'feature')).toMatchObject({ base: 'ada', 'a,feature:b': 'cad', twice: null });
    const expirations = answerExpirations(queryOf('expirations', { product: '%' }), inventory, owned);
    expect(ownersIn(expirations, 'feature')).toMatchObject({ base: 'ada', expired: 'cad', twice: null });
    for (const { items } of [features, expirations]) expect((items[0] as Table).columns.at(-1)?.text).toBe('Owner');
  });

  it('is no column while nobody is named', () => {
    const { items } = answerFeatures(queryOf('features', { product: '%' }), inventory, context);
    expect((items[0] as Table).columns.map(({ text }) => text)).not.toContain('Owner');
  });
});
