import { describe, expect, it } from 'vitest';
import type { Forecast, Forecasts } from '../../../src/alerting/alerts/rule.ts';
import { evaluate } from '../../support/alert-views.ts';
import { forecast, forecasts } from '../../support/forecasts.ts';
import { answer, feature, good, NOW, product, type Scenario } from '../../support/scenario.ts';

/** Licenses that end while another version of the same feature goes on, for all of them or for a part. */

const DAY = 86_400;

type Fields = Parameters<typeof feature>[0];
const siteOf = (...features: readonly Fields[]): Scenario => ({
  products: good(answer([product()])),
  down: good(answer([])),
  features: { '': good(answer(features.map((fields) => feature(fields)))) },
});

const ended: Fields = { version: '1', licenseExpiration: NOW - 3600, maxAvailable: 0 };
const soon: Fields = { version: '1', licenseExpiration: NOW + DAY, maxAvailable: 10 };
const next = (maxAvailable: number | undefined, fields: Fields = {}): Fields => ({
  version: '2',
  licenseExpiration: NOW + 365 * DAY,
  maxAvailable,
  ...fields,
});
const before = siteOf({ ...ended, licenseExpiration: NOW + 60, maxAvailable: 10 });

const ids = [
  'LicenseExpired/critical',
  'LicenseExpired/warning',
  'LicenseExpiringSoon/critical',
  'LicenseExpiringSoon/warning',
  'LicenseExpiringSoon/info',
];
interface Options {
  readonly before?: Scenario;
  readonly forecasts?: Forecasts | undefined;
}
const found = (now: readonly Fields[], options: Options = { before }) =>
  ids.flatMap((id) => evaluate(id, siteOf(...now), options).findings.map((finding) => ({ id, ...finding })));
const idsOf = (now: readonly Fields[], options?: Options): readonly string[] =>
  found(now, options).map(({ id }) => id.replace('License', ''));
const textsOf = (now: readonly Fields[], options?: Options) =>
  found(now, options).map(({ annotations: { summary, description = '', figure } }) => [
    summary,
    description.match(/\. (\d[^.]*\.)/)?.[1],
    figure,
  ]);

describe('a license that ends', () => {
  it.each([
    ['has expired without a renewal', [ended], ['Expired/critical']],
    ['has expired, renewed for 6 of 10', [ended, next(6)], ['Expired/warning']],
    ['has expired, renewed for all', [ended, next(10)], []],
    ['has expired, renewed without a limit', [ended, next(99_999)], []],
    ['has expired, and another version has an unknown number', [ended, next(undefined)], ['Expired/critical']],
    ['has expired, and an older version goes on', [ended, next(6, { version: '0.9' })], ['Expired/critical']],
    ['has expired, and another package goes on', [ended, next(6, { package: 'p' })], ['Expired/critical']],
    [
      'has expired, and so has its renewal',
      [ended, next(6, { licenseExpiration: NOW - 60 })],
      ['Expired/critical', 'Expired/critical'],
    ],
    ['expires soon without a renewal', [soon], ['ExpiringSoon/critical']],
    ['expires soon, renewed for 6 of 10', [soon, next(6)], ['ExpiringSoon/warning']],
    ['expires soon, renewed for all', [soon, next(10)], []],
    [
      'expires soon, renewed for 20 days',
      [soon, next(10, { licenseExpiration: NOW + 20 * DAY })],
      ['ExpiringSoon/warning', 'ExpiringSoon/warning'],
    ],
    [
      'expires soon, and its renewal before it',
      [soon, next(6, { licenseExpiration: NOW + 3600 })],
      ['ExpiringSoon/critical', 'ExpiringSoon/critical'],
    ],
    [
      'expires in 20 days, renewed for 6 of 10',
      [{ ...soon, licenseExpiration: NOW + 20 * DAY }, next(6)],
      ['ExpiringSoon/warning'],
    ],
    [
      'expires in 50 days, renewed for 6 of 10',
      [{ ...soon, licenseExpiration: NOW + 50 * DAY }, next(6)],
      ['ExpiringSoon/info'],
    ],
  ])('%s', (_, now, expected) => {
    expect(idsOf(now)).toEqual(expected);
  });

  it('says for how many it is renewed, and how many are missing', () => {
    const name = 'License base 1 of lic01;cdslmd';
    expect(textsOf([ended, next(6)])).toEqual([
      [
        `${name} expired on Friday 2027-01-15, 6 of 10 are renewed.`,
        '6 of 10 licenses are renewed, 4 are missing.',
        '6 of 10 are renewed',
      ],
    ]);
    expect(textsOf([soon, next(9)])).toEqual([
      [
        `${name} expires on Saturday 2027-01-16, in 1d, 9 of 10 are renewed.`,
        '9 of 10 licenses are renewed, 1 is missing.',
        '9 of 10 are renewed',
      ],
    ]);
    expect(textsOf([soon, next(12, { licenseExpiration: NOW + 20 * DAY })])[0]).toEqual([
      `${name} expires on Saturday 2027-01-16, in 1d, 10 of 10 are renewed.`,
      '10 of 10 licenses are renewed, but not for long.',
      '10 of 10 are renewed',
    ]);
    expect(textsOf([ended, next(1)], {})).toEqual([
      [
        `${name} expired on Friday 2027-01-15, 1 license is renewed.`,
        '1 license is renewed, and how many there were is not known.',
        '1 license is renewed',
      ],
    ]);
    expect(textsOf([{ ...ended, maxAvailable: 99_999 }, next(4)], {})).toEqual([
      [
        `${name} expired on Friday 2027-01-15, 4 licenses are renewed.`,
        '4 licenses are renewed, and there was no limit before.',
        '4 licenses are renewed',
      ],
    ]);
  });

  it('counts as many as an analyzer still reports', () => {
    expect(textsOf([{ ...ended, maxAvailable: 8 }, next(4)])[0]?.[2]).toBe('4 of 8 are renewed');
  });
});

describe('a renewal for fewer', () => {
  const withAdvice = (fields: Partial<Forecast>, more: Partial<Forecasts> = {}): Options => ({
    before,
    forecasts: forecasts([forecast(fields)], more),
  });
  const couldGo = { state: 'could go', bought: 10, count: 4, needed: 6, enough: 5, recentPeak: 9 };
  const noAdvice = { state: 'not enough data', needed: 2, enough: 2 };

  it.each([
    ['as many as right-sizing says', couldGo, []],
    ['fewer than right-sizing says', { ...couldGo, count: 3 }, ['Expired/warning']],
    ['enough of what has been fine since then', { state: 'fine', bought: 6, needed: 6, enough: 5 }, []],
    ['fewer than the coming year needs', { state: 'tight', bought: 6, needed: 6, enough: 7 }, ['Expired/warning']],
    ['fewer than the last year needed', { state: 'fine', bought: 10, needed: 7, enough: 6 }, ['Expired/warning']],
    ['what nobody uses', { state: 'unused', needed: 0, enough: 1 }, []],
    [
      'what was missing before',
      { state: 'missing', count: 2, needed: 4, enough: 4, recentPeak: 4 },
      ['Expired/warning'],
    ],
    ['what is reserved', { state: 'reserved', needed: 4, enough: 4, recentPeak: 4 }, ['Expired/warning']],
    ['what it does not know', { state: 'fine', enough: undefined, needed: 5 }, ['Expired/warning']],
    ['no advice, and the peak of 90 days', { ...noAdvice, recentPeak: 6 }, []],
    ['no advice, and fewer than that peak', { ...noAdvice, recentPeak: 7 }, ['Expired/warning']],
    ['no advice, and a peak that is not known', noAdvice, ['Expired/warning']],
    ['another feature', { ...couldGo, feature: 'other' }, ['Expired/warning']],
  ])('is enough or not: %s', (_, fields, expected) => {
    expect(idsOf([ended, next(6)], withAdvice(fields))).toEqual(expected);
    expect(idsOf([soon, next(6)], withAdvice(fields)).length).toBe(expected.length);
  });

  it('is enough although the number before is not known', () => {
    expect(idsOf([ended, next(6)], { forecasts: forecasts([forecast(couldGo)]) })).toEqual([]);
  });

  it('is not known to be enough two days after the last pass', () => {
    const at = (age: number) => idsOf([ended, next(6)], withAdvice(couldGo, { computedAt: NOW - age }));
    expect([at(2 * DAY - 1), at(2 * DAY)]).toEqual([[], ['Expired/warning']]);
  });

  it('is nothing without a renewal, however few are needed', () => {
    expect(idsOf([ended], withAdvice({ ...couldGo, count: 10 }))).toEqual(['Expired/critical']);
  });
});
