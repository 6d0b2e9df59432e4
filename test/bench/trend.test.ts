import { expect, it } from 'vitest';
import { trendOf } from './trend.ts';

const hours = Array.from({ length: 21 }, (_, i) => 4 + i);

it('growth is the change over the time of all samples as a share of the mean', () => {
  const { growth, mean } = trendOf(hours.map((at) => ({ at, value: 90 + (at - 4) })));
  expect(mean).toBe(100);
  expect(growth).toBeCloseTo(0.2);
});

it('values that go up and down do not grow, and a single high one counts little', () => {
  expect(trendOf(hours.map((at) => ({ at, value: 100 + (at % 2) }))).growth).toBeCloseTo(0);
  expect(trendOf(hours.map((at) => ({ at, value: at === 24 ? 110 : 100 }))).growth).toBeLessThan(0.05);
});
