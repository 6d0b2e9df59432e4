import { describe, expect, it } from 'vitest';
import { CONTRADICTION } from '../../../src/base/model/failure.ts';
import type { ProductRecord } from '../../../src/base/model/records.ts';
import { type Snapshot, WHOLE } from '../../../src/base/model/snapshot.ts';
import {
  checkAllFeatures,
  checkExpirations,
  checkFeatures,
  checkProducts,
  type EmptyStreak,
  type Known,
  splitAnswer,
} from '../../../src/exporter/poll/plausibility.ts';
import {
  answer,
  createSnapshot,
  expiration,
  failed,
  feature,
  good,
  NOW,
  product,
  type Scenario,
} from '../../support/scenario.ts';

/** Which empty answers are accepted: each clause of the rules, with a fixed clock. */

const A = 'lic01;cdslmd';
const B = 'lic02;mgcld';
const empty = answer<never>([]);
const noRecords = empty;

const known = (scenario: Scenario, now = NOW): Known => ({
  snapshot: createSnapshot(scenario),
  now,
  ownsVendorLicense: () => true,
});

const listed = (...records: Partial<ProductRecord>[]) => good(answer(records.map(product)));
const ofFeatures = (name: string) => {
  const [serverName = '', daemon = ''] = name.split(';');
  return feature({ serverName, daemon });
};
/** A GetProducts that failed at its last attempt because an empty answer was not accepted. */
const refused = (last?: Scenario['products']): NonNullable<Scenario['products']> => ({
  at: NOW - 5,
  seconds: 1,
  ok: false,
  failure: { kind: 'schema', message: '', code: CONTRADICTION },
  ...(last?.ok === true && { last: { at: last.at, value: last.value } }),
});

describe('an empty GetProducts', () => {
  const streak = (count: number, minutes: number): EmptyStreak => ({ count, since: NOW - minutes * 60 });
  const before = refused(listed({ product: A }));

  it.each<[string, Scenario, EmptyStreak | undefined, boolean]>([
    ['the last good one was empty', { products: good(empty) }, undefined, false],
    [
      'the last good one was empty, and polls failed since',
      { products: failed({ at: 0, value: empty }) },
      undefined,
      false,
    ],
    ['nothing was ever known and it is requested once', {}, undefined, true],
    ['it is the third in a row over 15 min', { products: before }, streak(2, 15), false],
    ['it is the third in a row over 15 min, from the start', { products: refused() }, streak(2, 15), false],
    [
      'others are empty too',
      { products: before, down: good(empty), features: { [WHOLE]: good(empty) } },
      streak(2, 15),
      false,
    ],
    [
      'the data of others is too old, or they failed since',
      {
        products: before,
        features: { [WHOLE]: good(answer([feature()]), NOW - 901) },
        expirations: { [A]: failed({ at: NOW - 60, value: answer([expiration()]) }) },
      },
      streak(2, 15),
      false,
    ],
  ])('is accepted when %s', (_, scenario, emptyStreak, isOnce) => {
    expect(checkProducts(empty, known(scenario), emptyStreak, isOnce).contradiction).toBeUndefined();
  });

  it.each<[string, Scenario, EmptyStreak | undefined, RegExp]>([
    ['it is the first of a daemon', {}, undefined, /so far 1 within 0 min/],
    [
      'there were some before',
      { products: listed({ product: A }) },
      undefined,
      /3 such answers in a row over at least 15 min/,
    ],
    ['it is only the second in a row', { products: before }, streak(1, 30), /so far 2 within 30 min/],
    ['the streak is not 15 min long', { products: before }, streak(9, 14), /so far 10 within 14 min/],
    ['another failure broke the streak', { products: failed() }, streak(2, 15), /so far 1 within 0 min/],
    [
      'GetServerDown names one',
      { products: before, down: good(answer([{ label: B }])) },
      streak(2, 15),
      /GetServerDown lists "lic02;mgcld"/,
    ],
    [
      'GetFeatures names one',
      { products: before, features: { [WHOLE]: good(answer([feature()])) } },
      streak(2, 15),
      /GetFeatures has features of "lic01;cdslmd"/,
    ],
    [
      'GetExpirationFeatures names one',
      { products: before, expirations: { [B]: good(answer([expiration()])) } },
      streak(2, 15),
      /GetExpirationFeatures has features of "lic02;mgcld"/,
    ],
  ])('is not accepted when %s', (_, scenario, emptyStreak, reason) => {
    expect(checkProducts(empty, known(scenario), emptyStreak, false).contradiction).toMatch(reason);
  });

  it('is not accepted when it is requested once, and GetServerDown names one', () => {
    const scenario = known({ down: good(answer([{ label: B }])) });
    expect(checkProducts(empty, scenario, undefined, true).contradiction).toMatch(/GetServerDown lists "lic02;mgcld"/);
  });

  it('starts a new streak after a contradiction, and after a good answer', () => {
    const contradicted = known({ products: before, down: good(answer([{ label: B }])) });
    expect(checkProducts(empty, contradicted, streak(2, 15), false).streak).toBeUndefined();
    expect(checkProducts(answer([product()]), known({ products: before }), streak(2, 15), false)).toEqual({});
    expect(checkProducts(empty, known({ products: before }), streak(2, 3), false).streak).toEqual({
      count: 3,
      since: NOW - 180,
    });
  });
});

describe('an empty GetFeatures', () => {
  it.each<[string, Scenario]>([
    ['is not current', { products: listed({ isCurrent: false }) }],
    ['is listed as down', { products: listed({}), down: good(answer([{ label: 'LIC01;cdslmd;2' }])) }],
    ['has no licenses', { products: listed({ maxAvailable: 0 }) }],
    ['has no known number of licenses', { products: listed({ maxAvailable: undefined }) }],
  ])('is accepted for a vendor license that %s, alone and with all others', (_, scenario) => {
    expect(checkFeatures(A, noRecords, known(scenario))).toBeUndefined();
    expect(checkFeatures(WHOLE, noRecords, known(scenario))).toBeUndefined();
    expect(checkAllFeatures(noRecords, known(scenario))).toBeUndefined();
  });

  it.each<[string, Scenario]>([
    ['is current and has licenses', { products: listed({}) }],
    ['may be current and has licenses', { products: listed({ isCurrent: undefined }) }],
    [
      'was current when GetProducts was last good',
      { products: failed({ at: NOW - 99_999, value: answer([product()]) }) },
    ],
    ['was down long ago', { products: listed({}), down: good(answer([{ label: A }]), NOW - 999) }],
  ])('is not accepted for one that %s', (_, scenario) => {
    const reason =
      'the answer contains no features of "lic01;cdslmd", but GetProducts says that it is current and has 40 licenses';
    expect(checkFeatures(A, noRecords, known(scenario))).toBe(reason);
    expect(checkFeatures(WHOLE, noRecords, known(scenario))).toBe(reason);
    // a different vendor license is not affected
    expect(checkFeatures(B, noRecords, known(scenario))).toBeUndefined();
  });

  it('is not accepted while the vendor licenses are not known', () => {
    expect(checkFeatures(WHOLE, noRecords, known({}))).toContain('the vendor licenses are not known');
  });

  it('is accepted if all vendor licenses belong to other shards', () => {
    const scenario = { products: listed({}) };
    expect(checkFeatures(WHOLE, noRecords, { ...known(scenario), ownsVendorLicense: () => false })).toBeUndefined();
  });
});

describe('a GetFeatures of all vendor licenses', () => {
  const products = listed({ product: `${A};1` }, { product: B });

  it('is accepted if each one that must have features has some', () => {
    const all = answer([ofFeatures(A), ofFeatures(A), ofFeatures(B.toUpperCase())]);
    expect(checkAllFeatures(all, known({ products }))).toBeUndefined();
    const idle = listed({ product: A }, { product: B, isCurrent: false });
    expect(checkAllFeatures(answer([ofFeatures(A)]), known({ products: idle }))).toBeUndefined();
  });

  it('is refused if one has none, or an unknown vendor license has some', () => {
    expect(checkAllFeatures(answer([ofFeatures(A)]), known({ products }))).toMatch(/^no features of "lic02;mgcld"/);
    const strange = answer([ofFeatures(A), ofFeatures('x;y')]);
    expect(checkAllFeatures(strange, known({ products }))).toBe('a record of an unknown vendor license');
  });

  it('can be split by vendor license', () => {
    const whole = answer([ofFeatures(A), ofFeatures(B), ofFeatures(A.toUpperCase())], { nan: 3 });
    const { discarded } = noRecords;
    const records = [whole.records[0], whole.records[2]];
    expect(splitAnswer(`${A};1`, whole)).toEqual({ ...whole, records, discarded });
    expect(splitAnswer('x;y', whole)).toBeUndefined();
    expect(splitAnswer(B, noRecords)).toBeUndefined();
  });
});

describe('an empty GetExpirationFeatures', () => {
  const had = { [A]: good(answer([expiration(), expiration()])) };
  const features = { [WHOLE]: good(answer([ofFeatures(B), ofFeatures(A)])) };
  const contradictionIn = (snapshot: Snapshot) => checkExpirations(A, noRecords, { ...known({}), snapshot });

  it.each<[string, Scenario]>([
    ['it never had records', { features }],
    ['it was empty before', { expirations: { [A]: good(empty) }, features }],
    [
      'GetFeatures has none of its features',
      { expirations: had, features: { [WHOLE]: good(answer([ofFeatures(B)])) } },
    ],
    ['GetFeatures is not polled', { expirations: had }],
    [
      'what GetFeatures had is too old',
      { expirations: had, features: { [A]: good(answer([ofFeatures(A)]), NOW - 901) } },
    ],
  ])('is accepted when %s', (_, scenario) => {
    expect(contradictionIn(createSnapshot(scenario))).toBeUndefined();
  });

  it.each<[string, Scenario]>([
    ['still has its features', { expirations: had, features }],
    ['still has its features, asked alone', { expirations: had, features: { [A]: good(answer([ofFeatures(A)])) } }],
    [
      'had them a short time ago',
      { expirations: had, features: { [A]: failed({ at: NOW - 600, value: answer([ofFeatures(A)]) }) } },
    ],
  ])('is not accepted when it had records before and GetFeatures %s', (_, scenario) => {
    expect(contradictionIn(createSnapshot(scenario))).toBe(
      'the answer contains no features of "lic01;cdslmd"; it contained 2 before, and GetFeatures still has 1',
    );
  });
});
