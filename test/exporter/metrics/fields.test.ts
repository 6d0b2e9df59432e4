import { describe, expect, it } from 'vitest';
import { noOwners } from '../../../src/base/model/owners.ts';
import { WHOLE } from '../../../src/base/model/snapshot.ts';
import type { Field, Fields } from '../../../src/base/query-api/field.ts';
import { recordFields } from '../../../src/base/query-api/records.ts';
import { decodeAnswer } from '../../../src/exporter/inventory/decoding/decode.ts';
import { catalogue } from '../../../src/exporter/metrics/catalogue.ts';
import { createExposition } from '../../../src/exporter/metrics/exposition.ts';
import { isSaturated } from '../../support/alert-views.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { allCollectors, createSnapshot, good, NOW } from '../../support/scenario.ts';
import { selfMetricsOf } from '../../support/self-metrics.ts';

/** Checks the tables of fields on a page from answers with every field. */

type Endpoint = 'GetProducts' | 'GetFeatures' | 'GetExpirationFeatures' | 'GetServerDown';
type Raw = Readonly<Record<string, unknown>>;

const rowsOf = (endpoint: Endpoint): (readonly [string, Field])[] => Object.entries(recordFields[endpoint] as Fields);

const PERMANENT = 2 ** 40;

/** The identifying fields. The features belong to the vendor license. */
const identities: Readonly<Record<string, string>> = {
  Product: 'Server-Name;Daemon-Name',
  ServerName: 'Server-Name',
  Daemon: 'Daemon-Name',
  Label: 'Down-Server;Down-Daemon;Down-Part',
  Feature: 'Feature-Name',
  Version: 'Version-Name',
  Package: 'Package-Name',
  FeatureType: 'Feature-Type',
};

/** A record with a different value in each field. */
function rawRecord(endpoint: Endpoint, flag: boolean): Raw {
  const value = ([name, { type }]: readonly [string, Field], i: number): unknown => {
    if (identities[name] !== undefined) return identities[name];
    if (type === 'flag') return flag;
    if (type === 'time' || type === 'expiration') return NOW + 1000 * endpoint.length + i;
    if (type === 'date') return undefined;
    return type === 'text' || type === 'scalar' ? `value of ${endpoint}.${name}` : 1000 * endpoint.length + i;
  };
  return Object.fromEntries(rowsOf(endpoint).map((row, i) => [row[0], value(row, i)]));
}

const decode = <E extends Endpoint>(endpoint: E, raw: Raw) =>
  good(decodeAnswer(endpoint, Buffer.from(JSON.stringify([raw])), PERMANENT));

async function pageOf(records: Readonly<Record<Endpoint, Raw>>): Promise<string> {
  const self = selfMetricsOf();
  const snapshot = createSnapshot({
    products: decode('GetProducts', records.GetProducts),
    down: decode('GetServerDown', records.GetServerDown),
    features: { [WHOLE]: decode('GetFeatures', records.GetFeatures) },
    expirations: { [String(identities.Product)]: decode('GetExpirationFeatures', records.GetExpirationFeatures) },
  });
  const inventory = deriveInventoryNow(snapshot, NOW, {
    ...everything,
    usageWhenNotCurrent: 'withhold',
  });
  const exposition = createExposition({
    metrics: { collectors: allCollectors, maxSeries: 1e6 },
    self,
    owners: () => noOwners,
    isSaturated,
    rightsizing: () => undefined,
    latest: () => inventory,
    isOutdated: () => false,
    renew: async () => undefined,
  });
  await exposition.read(inventory);
  const { body } = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
  return Buffer.concat(Buffer.isBuffer(body) ? [body] : await Array.fromAsync<Uint8Array>(body)).toString();
}

const endpoints = ['GetProducts', 'GetFeatures', 'GetExpirationFeatures', 'GetServerDown'] as const;
const recordsOf = (flag: boolean): Readonly<Record<Endpoint, Raw>> => {
  const records = Object.fromEntries(endpoints.map((endpoint) => [endpoint, rawRecord(endpoint, flag)]));
  return records as Record<Endpoint, Raw>;
};
/** The usage of a vendor license that is not current is withheld. */
const current = (flag: boolean): Readonly<Record<Endpoint, Raw>> => {
  const records = recordsOf(flag);
  return { ...records, GetProducts: { ...records.GetProducts, IsCurrent: true } };
};

const gauges = endpoints.flatMap((endpoint) =>
  rowsOf(endpoint)
    .filter(([, { metric }]) => metric.startsWith('license_'))
    .map(([name, field]) => ({ endpoint, name, ...field })),
);

/** The values of a metric on the page. */
const samplesOf = (page: string, metric: string): string[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`))
    .map((line) => line.slice(line.lastIndexOf(' ') + 1));

describe('the page', () => {
  it('shows every field as the metric of its row, flags as 1 and 0, and no 0 of a flag that another metric says too', async () => {
    for (const flag of [true, false]) {
      const records = current(flag);
      const page = await pageOf(records);
      for (const { endpoint, name, metric, isSparse } of gauges) {
        const value = Number(records[endpoint][name]);
        expect({ endpoint, name, values: samplesOf(page, metric) }).toEqual({
          endpoint,
          name,
          values: isSparse && value === 0 ? [] : [String(value)],
        });
      }
    }
  });

  it('has the value of every field whose row defines a label', async () => {
    const records = current(true);
    const page = await pageOf(records);
    const values = [...page.matchAll(/[a-z_]+="([^"]*)"/g)].flatMap(([, value = '']) => [value, ...value.split(';')]);
    for (const endpoint of endpoints) {
      for (const [name, { metric }] of rowsOf(endpoint)) {
        if (metric !== 'label') continue;
        for (const part of String(records[endpoint][name]).split(';')) {
          expect({ endpoint, name, isShown: values.includes(part) }).toEqual({ endpoint, name, isShown: true });
        }
      }
    }
  });

  it('has no value of a field whose row defines no metric and no label', async () => {
    const page = await pageOf(current(true));
    for (const endpoint of endpoints) {
      for (const [name, { metric }] of rowsOf(endpoint)) {
        if (metric === 'none') expect(page).not.toContain(`value of ${endpoint}.${name}`);
      }
    }
  });

  it('withholds only the usage fields while the vendor license is not current', async () => {
    const records = recordsOf(true);
    const page = await pageOf({ ...records, GetProducts: { ...records.GetProducts, IsCurrent: false } });
    for (const { endpoint, name, metric, isUsage } of gauges) {
      expect({ endpoint, name, isShown: samplesOf(page, metric).length > 0 }).toEqual({
        endpoint,
        name,
        isShown: !isUsage,
      });
    }
  });
});

it('the help of a metric names the field that it shows', () => {
  for (const { endpoint, name, metric } of gauges) {
    const { help } = catalogue[metric as keyof typeof catalogue];
    expect(help).toMatch(new RegExp(`from ${endpoint}\\.${name}[.;]`));
  }
});
