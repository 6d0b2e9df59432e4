import { expect, it } from 'vitest';
import { readServed } from './served.ts';

const body = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

it('says which server is down by the label of its record', () => {
  const [up, down] = ['a;d', 'b;d;3'];
  const answers = new Map([
    ['GetConcurrentUsers', body(2)],
    ['GetProducts', body([{ Product: up }, { Product: down }])],
    ['GetServerDown', body([{ Label: down }])],
    ['GetFeatures?product=%25', body([[]])],
    ...[up, down].map((product) => [`GetExpirationFeatures?product=${encodeURIComponent(product)}`, body([])] as const),
  ]);
  const figures = readServed(answers);
  expect(figures.get('license_server_up{vendor_license="a;d"}')).toBe('1');
  expect(figures.get('license_server_up{vendor_license="b;d"}')).toBe('0');
});
