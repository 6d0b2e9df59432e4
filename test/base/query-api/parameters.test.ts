import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Endpoint, type EndpointName, endpointNames, endpoints } from '../../../src/base/query-api/endpoints.ts';
import { readParameters, writeQuery } from '../../../src/base/query-api/parameters.ts';
import { isLong } from '../../support/extent.ts';

const read = (name: EndpointName, query: string): ReturnType<typeof readParameters> =>
  readParameters(endpoints[name], query);

function valuesOf(name: EndpointName, query: string): Readonly<Record<string, string>> {
  const result = read(name, query);
  if (!result.ok) throw new Error(result.message);
  return result.values;
}

function problemOf(name: EndpointName, query: string): { code: string; parameter: string } | undefined {
  const result = read(name, query);
  return result.ok ? undefined : { code: result.code, parameter: result.parameter };
}

const window = 'product=p&feature=f&year=2026&month=1';

describe('readParameters', () => {
  it('decodes names and values', () => {
    expect(valuesOf('GetFeatures', 'product=a%3Bb&filters=x+y%25&%70ackage=%C3%BC')).toEqual({
      product: 'a;b',
      filters: 'x y%',
      package: 'ü',
    });
  });

  it('keeps a malformed percent sequence literally', () => {
    expect(valuesOf('GetFeatures', 'product=%&filters=%zz%4')).toEqual({ product: '%', filters: '%zz%4' });
    expect(valuesOf('GetFeatures', 'product=100%&filters=%25%')).toEqual({ product: '100%', filters: '%%' });
    expect(valuesOf('GetFeatures', 'product=%ff')).toEqual({ product: '\ufffd' });
  });

  it('ignores unknown parameters, even repeated ones, and stray separators', () => {
    expect(valuesOf('GetProducts', '&&x=1&x=2&filters=a=b&_=&')).toEqual({ filters: 'a=b' });
    expect(valuesOf('GetConcurrentUsers', 'a=1')).toEqual({});
  });

  it('ignores an empty optional parameter', () => {
    expect(valuesOf('GetFeatures', 'product=p&package=&user&filters=')).toEqual({ product: 'p' });
  });

  it('fills in defaults', () => {
    expect(valuesOf('GetExpirationFeatures', 'product=p')).toEqual({ product: 'p', search: '0' });
    expect(valuesOf('GetExpirationFeatures', 'product=p&search=')).toEqual({ product: 'p', search: '0' });
    expect(valuesOf('GetUsers', 'format=sql&product=p&feature=f')).toMatchObject({ sortdatafield: 'Username' });
  });

  it('allows an empty value only for the required package of the window endpoints', () => {
    for (const name of ['GetEfficiency', 'GetHeatMap'] as const) {
      expect(valuesOf(name, `${window}&package=`)).toMatchObject({ package: '' });
      expect(problemOf(name, window)).toEqual({ code: 'missing_parameter', parameter: 'package' });
    }
    expect(problemOf('GetFeatures', 'product=')).toEqual({ code: 'missing_parameter', parameter: 'product' });
    expect(problemOf('GetHistory', 'product=p&feature')).toEqual({ code: 'missing_parameter', parameter: 'feature' });
  });

  it.each([
    ['GetFeatures', 'product=a&product=a', 'repeated_parameter', 'product'],
    ['GetFeatures', 'product=a&%70roduct=', 'repeated_parameter', 'product'],
    ['GetUsers', 'format=SQL&product=p&feature=f', 'illegal_value', 'format'],
    ['GetUsers', 'format=sql&product=p&feature=f&sortorder=up', 'illegal_value', 'sortorder'],
    ['GetExpirationFeatures', 'product=p&search=3', 'illegal_value', 'search'],
    ['GetExpirationFeatures', 'product=p&search=-1', 'illegal_value', 'search'],
    ['GetExpirationFeatures', 'product=p&search=1.0', 'illegal_value', 'search'],
    ['GetExpirationFeatures', 'product=p&search=%201', 'illegal_value', 'search'],
    ['GetHeatMap', `product=p&feature=f&package=&year=26&month=1`, 'illegal_value', 'year'],
    ['GetHeatMap', `product=p&feature=f&package=&year=02026&month=1`, 'illegal_value', 'year'],
    ['GetHeatMap', `product=p&feature=f&package=&year=2026&month=13`, 'illegal_value', 'month'],
    ['GetHeatMap', `product=p&feature=f&package=&year=2026&month=0`, 'illegal_value', 'month'],
    ['GetHeatMap', `product=p&feature=f&package=&year=2026&month=001`, 'illegal_value', 'month'],
    ['GetHeatMap', `${window}&package=&last=999`, 'illegal_value', 'last'],
    ['GetHeatMap', `${window}&package=&type=toString`, 'illegal_value', 'type'],
  ] as const)('%s?%s is a %s of %s', (name, query, code, parameter) => {
    expect(problemOf(name, query)).toEqual({ code, parameter });
  });

  it('accepts a month with a leading zero', () => {
    expect(valuesOf('GetHeatMap', 'product=p&feature=f&package=&year=2026&month=07')).toMatchObject({ month: '07' });
  });

  it('evaluates any query string and never throws', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'product',
        'feature',
        'package',
        '=',
        '&',
        '%',
        '%4',
        '+',
        '__proto__',
        'constructor',
        ';',
        "' OR 1=1 --",
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...endpointNames), fc.array(piece, { maxLength: 12 }), (name, pieces) => {
        const result = read(name, pieces.join(''));
        const known: readonly string[] = endpoints[name].parameters.map((parameter) => parameter.name);
        if (result.ok) expect(known).toEqual(expect.arrayContaining(Object.keys(result.values)));
        else expect(known).toContain(result.parameter);
      }),
      { numRuns: isLong ? 1000 : 200 },
    );
  });
});

describe('writeQuery', () => {
  it('encodes every reserved character', () => {
    expect(writeQuery(endpoints.GetFeatures, { product: 'a;b%', filters: 'x y&z=+' })).toBe(
      '?product=a%3Bb%25&filters=x%20y%26z%3D%2B',
    );
  });

  it('is empty without parameters and leaves out what is not given', () => {
    expect(writeQuery(endpoints.GetConcurrentUsers, {})).toBe('');
    expect(writeQuery(endpoints.GetProducts, { filters: undefined, feature: 'f' })).toBe('?feature=f');
  });

  it('writes what readParameters reads, for every endpoint', () => {
    const valid = ({ allowed, integer }: Endpoint['parameters'][number]): fc.Arbitrary<string> => {
      if (allowed !== undefined) return fc.constantFrom(...allowed);
      if (integer !== undefined) return fc.integer({ min: integer[0], max: integer[1] }).map(String);
      return fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.isWellFormed());
    };
    const call = fc.constantFrom(...endpointNames).chain((name) => {
      const { parameters }: Endpoint = endpoints[name];
      return fc.tuple(
        fc.constant(name),
        fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, valid(parameter)]))),
      );
    });
    fc.assert(
      fc.property(call, ([name, values]) => {
        expect(valuesOf(name, writeQuery(endpoints[name], values).slice(1))).toEqual(values);
      }),
    );
  });
});
