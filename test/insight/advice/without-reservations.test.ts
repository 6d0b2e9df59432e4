import { expect, it } from 'vitest';
import type { Demand, SeriesName } from '../../../src/insight/advice/method/demand.ts';
import {
  createReservationStatements,
  type WithoutReservations,
} from '../../../src/insight/advice/pass/without-reservations.ts';
import { type DemandDay, demandOfDays } from '../../support/drawn-demand.ts';

/** Where the settings say that no licenses are reserved. */

const today = 20_000;

const of = (vendorLicense: string, feature: string): SeriesName => ({
  vendorLicense,
  feature,
  package: '',
  featureType: 'feature',
});

/** Days with two hours each, of which both have the same reserved licenses; the last one is yesterday. */
function demandWith(reserved: readonly (number | undefined)[], series = of('27000@lic1;vend', 'cad')): Demand {
  const days = reserved.map(
    (licenses, i): DemandDay => ({
      day: today - reserved.length + i,
      hours: [8, 9].map((hour) => ({ hour, available: 9, reserved: licenses, denials: 0, levels: [[2, 3600]] })),
    }),
  );
  return { ...demandOfDays(days), series };
}

/** The reserved licenses of the days, and those of their hours. */
function reservedIn({ days, detail }: Demand): readonly (readonly number[])[] {
  const hours = detail.kind === 'hours' ? [...detail.hours(0, today)] : [];
  return [[...days.reserved], hours.flatMap(({ count, reserved }) => [...reserved.subarray(0, count)])];
}

const unknown = Number.NaN;

const state = (entries: readonly WithoutReservations[], demand: Demand, reservedNow = 0) =>
  createReservationStatements(entries).of(demand, today, reservedNow);

it('has no reserved licenses where they are not known, and leaves what is read as it is', () => {
  const read = demandWith([undefined, 0, undefined]);
  const { demand, reservedOn } = state([{ vendorLicense: '27000@LIC1;%', feature: '%' }], read);
  expect(reservedOn).toBeUndefined();
  expect(reservedIn(demand)).toEqual([
    [0, 0, 0],
    [0, 0, 0, 0, 0, 0],
  ]);
  expect(reservedIn(read)).toEqual([
    [unknown, 0, unknown],
    [unknown, unknown, 0, 0, unknown, unknown],
  ]);
});

it('is of the days from one to another', () => {
  const entries = [
    { vendorLicense: '%', feature: 'cad', until: today - 4 },
    { vendorLicense: '%', feature: 'c%', from: today - 2, until: today - 2 },
  ];
  const { demand } = state(entries, demandWith([undefined, undefined, undefined, undefined]));
  expect(reservedIn(demand)).toEqual([
    [0, unknown, 0, unknown],
    [0, 0, unknown, unknown, 0, 0, unknown, unknown],
  ]);
});

it.each([
  ['another vendor license', { vendorLicense: '27000@lic2;%', feature: '%' }],
  ['another feature', { vendorLicense: '%', feature: 'ca' }],
  ['the feature in other letters', { vendorLicense: '%', feature: 'CAD' }],
])('says nothing of %s', (_, entry) => {
  const read = demandWith([undefined]);
  expect(state([entry], read)).toEqual({ demand: read, reservedOn: undefined });
});

it('does not count for a feature with reservations in the year and in its days', () => {
  const read = demandWith([undefined, 2, undefined, 0, 0]);
  const all = { vendorLicense: '%', feature: '%' };
  expect(state([all], read)).toEqual({ demand: read, reservedOn: today - 4 });
  expect(state([{ ...all, from: today - 3 }], read).reservedOn).toBeUndefined();
  expect(state([{ ...all, until: today - 5 }], read).reservedOn).toBeUndefined();
  expect(reservedIn(state([{ ...all, until: today - 5 }], read).demand)[0]).toEqual([0, 2, unknown, 0, 0]);
  const old = demandWith([2, ...Array.from({ length: 365 }, () => undefined)]);
  expect(state([all], old).reservedOn).toBeUndefined();
  expect(reservedIn(state([all], old).demand)[0]?.slice(0, 2)).toEqual([2, 0]);
});

it('does not count for a feature with reservations now, unless it is about an earlier time', () => {
  const read = demandWith([undefined, undefined]);
  const all = { vendorLicense: '%', feature: '%' };
  expect(state([all], read, 3)).toEqual({ demand: read, reservedOn: today });
  const { demand, reservedOn } = state([{ ...all, until: today - 1 }], read, 3);
  expect([reservedOn, reservedIn(demand)[0]]).toEqual([undefined, [0, 0]]);
});

it('is of the days of an analyzer outside this process too', () => {
  const { demand } = state([{ vendorLicense: '%', feature: '%' }], {
    ...demandWith([undefined]),
    detail: { kind: 'curve', hoursAtLeast: new Float64Array() },
  });
  expect(reservedIn(demand)).toEqual([[0], []]);
});
