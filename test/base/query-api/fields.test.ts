import { describe, expect, it } from 'vitest';
import type { Field, Fields } from '../../../src/base/query-api/field.ts';
import { modelName, recordFields } from '../../../src/base/query-api/records.ts';

const rows = Object.entries(recordFields).flatMap(([endpoint, fields]) =>
  Object.entries(fields as Fields).map(([name, field]): [string, string, Field] => [endpoint, name, field]),
);

describe('the rows of fields', () => {
  it.each(rows)('%s.%s has a unit that fits the name of its gauge', (_, __, { unit, metric }) => {
    if (!metric.startsWith('license_')) return;
    expect(metric.endsWith('_timestamp_seconds')).toBe(unit === 'epoch seconds');
    expect(metric.endsWith('_seconds')).toBe(unit === 'epoch seconds' || unit === 'seconds');
    expect(metric.includes('_log_')).toBe(unit === 'log10');
    expect(metric.endsWith('_users')).toBe(unit === 'users');
  });

  it('give each gauge to one field', () => {
    const metrics = rows.map(([, , { metric }]) => metric).filter((metric) => metric.startsWith('license_'));
    expect(new Set(metrics).size).toBe(metrics.length);
  });

  it('show no field of users as a metric', () => {
    expect(Object.values(recordFields.GetUsers).filter(({ metric }) => metric !== 'none')).toEqual([]);
  });

  it('have a merge rule if and only if their records are merged', () => {
    const isMerged = (endpoint: string): boolean => endpoint !== 'GetUsers' && endpoint !== 'GetServerDown';
    expect(rows.filter(([endpoint, , { merge }]) => isMerged(endpoint) === (merge === 'none'))).toEqual([]);
  });

  it('do not withhold identities, attributes and times', () => {
    for (const [, name, { merge, type, isUsage }] of rows) {
      const isKept = merge === 'identity' || merge === 'attribute' || ['time', 'expiration'].includes(type);
      if (isKept) expect({ name, isUsage }).toEqual({ name, isUsage: false });
    }
  });
});

it('names of fields in the model are camel case and unique', () => {
  expect(['MaxAvailable', 'app_status', 'license_model', 'Package'].map(modelName)).toEqual([
    'maxAvailable',
    'appStatus',
    'licenseModel',
    'package',
  ]);
  for (const fields of Object.values(recordFields)) {
    const names = Object.keys(fields).map(modelName);
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]*)*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  }
});
