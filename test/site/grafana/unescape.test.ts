import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restoreVariables, unescapePayload } from '../../../src/site/grafana/answers/payload.ts';
import { interpolate } from '../../support/dashboards.ts';

const variables = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { text: 'x', value }]));

describe('what Grafana escaped', () => {
  it('is restored as grafana.md measured it', () => {
    const payload = {
      product: 'lic01\\.ex\\.com;cdslmd',
      features: ['(a\\.b|c)'],
      n: '5',
      user: 'DOM\\\\user',
      o: '[object Object]',
    };
    const scopedVars = variables({ product: 'lic01.ex.com;cdslmd', feats: ['a.b', 'c'], user: 'DOM\\user' });
    const plain = { ...payload, product: 'lic01.ex.com;cdslmd', features: ['a.b', 'c'], user: 'DOM\\user' };
    expect(restoreVariables(payload, scopedVars)).toEqual(plain);
    expect(unescapePayload(payload)).toEqual(plain);
  });

  it('is restored in a text as a list', () => {
    expect(restoreVariables({ feature: '(a|b)' }, variables({ f: ['a', 'b'] }))).toEqual({ feature: ['a', 'b'] });
    expect(unescapePayload({ feature: '(a|b)' })).toEqual({ feature: ['a', 'b'] });
  });

  it.each([
    ['(64bit)', '(64bit)'],
    ['a|b', 'a|b'],
    ['(a(b|c)', '(a(b|c)'],
    ['()', '()'],
    ['', ''],
    ['trailing\\', 'trailing\\'],
    ['C:\\temp', 'C:\\temp'],
    ['\\(a\\|b\\)', '(a|b)'],
  ])('is not seen in what a person wrote: %s', (text, plain) => {
    expect(unescapePayload({ feature: text })).toEqual({ feature: plain });
  });

  it('is left alone without the variables it came from, but for the builder form', () => {
    const payload = { product: 'a\\.b' };
    expect(restoreVariables(payload, undefined)).toEqual(payload);
    expect(restoreVariables(payload, { x: null, y: 1, z: { value: { no: 1 } }, w: { value: [] } })).toEqual(payload);
  });

  /** Values as dashboards have them: names of any kind, one or several. */
  const value = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }),
  );

  it('is restored for any value of a variable', () => {
    fc.assert(
      fc.property(value, (original) => {
        const sent = { key: interpolate('$v', { v: original }, 'regex') };
        const restored = restoreVariables(sent, variables({ v: original }));
        const wanted = Array.isArray(original) ? original : [original];
        expect([restored.key].flat()).toEqual(wanted);
        expect([unescapePayload(sent).key].flat()).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });
});
