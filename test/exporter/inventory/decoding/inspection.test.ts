import { describe, expect, it } from 'vitest';
import type { EndpointName } from '../../../../src/base/query-api/endpoints.ts';
import { recordFields } from '../../../../src/base/query-api/records.ts';
import { inspectAnswer } from '../../../../src/exporter/inventory/decoding/inspection.ts';

const inspect = (name: EndpointName, text: string): ReturnType<typeof inspectAnswer> =>
  inspectAnswer(name, Buffer.from(text));
const none = { missing: [], unknown: [], lacking: [], extra: [], mistyped: [] };

const trend = (more = ''): string =>
  JSON.stringify(
    ['Max Available', 'Elapsed Time', 'Denials'].map((name, yAxis) => ({ name, data: [[1, 2]], type: 'line', yAxis })),
  ).replace('"Denials"', `"Denials"${more}`);

describe('inspectAnswer', () => {
  it('finds fields that are missing, extra or of another type, over all records', () => {
    const fields = Object.keys(recordFields.GetProducts).map((field) => `"${field}":1`);
    const record = (more: string): string => `{${fields.join()}${more}}`.replace('"Product":1', '"Product":"p"');
    const body = `[${record('')},{"Product":null,"IsCurrent":true,"LogActive":NaN,"Active":NaN,"Icon":1}]`;
    const { records, missing, unknown, extra, mistyped } = inspect('GetProducts', body);
    expect(records).toBe(2);
    expect(missing).not.toContain('Product');
    expect(missing).toContain('CollectionTime');
    // left out of one of two records
    expect(unknown).toEqual([
      'DistinctUsers',
      'Inactive',
      'Indeterminate',
      'Mapped',
      'MinLicenseExpiration',
      'MaxAvailable',
    ]);
    expect(missing.filter((field) => unknown.includes(field))).toEqual([]);
    expect(extra).toEqual(['Icon']);
    expect(mistyped).toEqual(
      expect.arrayContaining([
        'IsCurrent: number',
        'MappingIcon: number',
        'Product: null',
        'Active: empty string or NaN',
      ]),
    );
    expect(mistyped.join()).not.toContain('LogActive');
  });

  it.each([
    ['GetServerDown', '[{"Label":"a;b"}]', 1],
    ['GetServerDown', '[]', 0],
    ['GetFeatures', '[[]]', 0],
    ['GetUsers', '{"totalCount":0,"data":[]}', 0],
    ['GetHistory', trend(), 3],
    ['GetHistoryReserved', reserved('[1,2]'), 4],
    ['GetHistoryReserved', reserved('[1,null]'), 4],
    ['GetEfficiency', '[{"series":[{"name":"Total Duration","data":[["1",2.5]]}]}]', 1],
    ['GetHeatMap', heatMap('[[0,0,1]]'), 1],
    ['GetHttpUserName', 'CORP\\svc', undefined],
    ['GetConcurrentUsers', '7', undefined],
  ] as const)('finds nothing wrong with %s %s', (name, body, records) => {
    expect(inspect(name, body)).toEqual({ records, ...none });
  });

  it.each([
    ['GetServerDown', '{}', 'the answer: object instead of an array'],
    ['GetServerDown', '[7]', 'a record: number'],
    ['GetServerDown', 'null', 'the answer: null instead of an array'],
    ['GetFeatures', '[{}]', 'the answer: no array of arrays'],
    ['GetUsers', '[]', 'the answer: no object with data'],
    ['GetUsers', '{"totalCount":"1","data":[]}', 'totalCount: no integer'],
    ['GetHistory', '[]', 'names of series: none'],
    ['GetHistory', '7', 'the answer: number instead of an array'],
    ['GetHistory', trend().replace('[1,2]', '[1,"2"]'), 'a data point: array'],
    ['GetHistoryReserved', '[{}]', 'the answer: no series'],
    ['GetHistoryReserved', reserved('["1"]'), 'a data point: string'],
    ['GetEfficiency', '[{"series":[{"name":"Duration","data":[]}]}]', 'names of series: Duration'],
    ['GetHeatMap', heatMap('[[0,0]]'), 'a data point: array'],
  ] as const)('finds in %s %s: %s', (name, body, problem) => {
    expect(inspect(name, body).mistyped).toEqual([problem]);
  });

  it('reports that a bare number is not known', () => {
    expect(inspect('GetConcurrentUsers', 'NaN')).toEqual({ records: undefined, ...none, unknown: ['the number'] });
  });

  it('finds members of charts that are missing or extra', () => {
    expect(inspect('GetHistory', trend(',"color":"red"').replace(',"yAxis":0', ''))).toMatchObject({
      missing: ['yAxis'],
      extra: ['color'],
    });
    expect(inspect('GetHeatMap', heatMap('[]').replace('"categories"', '"kategorien"'))).toMatchObject({
      missing: ['categories'],
      extra: ['kategorien'],
    });
  });

  it('does not change the body, and throws if it is not JSON', () => {
    const body = Buffer.from('[{"LogActive":NaN}]');
    inspectAnswer('GetProducts', body);
    expect(String(body)).toBe('[{"LogActive":NaN}]');
    expect(() => inspect('GetProducts', '<html>')).toThrow(SyntaxError);
  });
});

function reserved(data: string): string {
  const series = ['Reserved Licenses', 'Distinct Users', 'Max In Use'].map(
    (name, i) => `{"name":"${name}","data":${i === 0 ? data : '[1]'}}`,
  );
  return `[{"series":[${series.join()}],"categories":["2026-11-18"]}]`;
}

function heatMap(data: string): string {
  return `[{"categories":[["0"],["Sun"]],"series":[{"name":"Max In Use","data":${data}}]}]`;
}
