import { expect, it } from 'vitest';
import type { ReclaimableFeature } from '../../../src/analyzer/history/recorded-reclaimable.ts';
import { createReclaimableMetrics } from '../../../src/program/app/reclaimable-metrics.ts';

const zeros = { orphan: 0, idle: 0, borrowed: 0, duplicate: 0 };
const all = () => true;

type Parts = readonly (readonly [vendorLicense: string, features: readonly ReclaimableFeature[] | undefined])[];

function samplesOf(parts: Parts, owns: (one: { vendorLicense: string; feature: string }) => boolean = all): string[] {
  const now = () => parts.map(([vendorLicense, features]) => ({ vendorLicense, features }));
  const samples = createReclaimableMetrics({ now })(owns);
  return Array.from(samples, ([{ vendor_license: name, kind }, value]) => `${name} ${kind} ${value}`);
}

const solver = { feature: 'solver', licenses: { ...zeros, idle: 2 } };
const mesh = { feature: 'mesh', licenses: { ...zeros, idle: 3, duplicate: 1 } };

it('are sums of the features of a vendor license, by kind', () => {
  expect(samplesOf([['a;d', [solver, mesh]]])).toEqual([
    'a;d orphan 0',
    'a;d idle 5',
    'a;d duplicate 1',
    'a;d borrowed 0',
  ]);
});

it('are left out where a kind of one feature is not known', () => {
  const unlisted = { feature: 'draw', licenses: {} };
  const { borrowed, duplicate } = zeros;
  const unwatched = { feature: 'draw', licenses: { borrowed, duplicate } };
  expect(samplesOf([['a;d', [solver, unwatched]]])).toEqual(['a;d duplicate 0', 'a;d borrowed 0']);
  expect(samplesOf([['a;d', [unwatched, solver]]])).toEqual(['a;d duplicate 0', 'a;d borrowed 0']);
  expect(samplesOf([['a;d', [solver, unlisted]]])).toEqual([]);
  expect(samplesOf([['a;d', undefined]])).toEqual([]);
});

it('are about all parts of a vendor license', () => {
  const parts: Parts = [
    ['a;d;east', [solver]],
    ['a;d;west', [mesh]],
  ];
  expect(samplesOf(parts)).toContain('a;d idle 5');
  expect(samplesOf([...parts, ['a;d;north', undefined]])).toEqual([]);
});

it('are about what is selected, also after the selection changes', () => {
  const features = [solver, mesh];
  const samples = createReclaimableMetrics({ now: () => [{ vendorLicense: 'a;d', features }] });
  const idleOf = (feature: string): unknown =>
    Array.from(samples((one) => one.feature === feature)).find(([{ kind }]) => kind === 'idle')?.[1];
  expect([idleOf('solver'), idleOf('mesh'), idleOf('draw')]).toEqual([2, 3, undefined]);
  expect(samplesOf([['a;d;east', features]], ({ vendorLicense }) => vendorLicense !== 'a;d')).toEqual([]);
});

it('are counted once for a collection and a selection', () => {
  const features = [solver];
  let asked = 0;
  const owns = () => {
    asked += 1;
    return true;
  };
  const samples = createReclaimableMetrics({ now: () => [{ vendorLicense: 'a;d', features }] });
  for (let scrape = 0; scrape < 3; scrape += 1) expect([...samples(owns)]).toHaveLength(4);
  expect(asked).toBe(1);
});
