import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Gauge, Registry } from 'prom-client';
import { z } from 'zod';
import type { Field } from '../../../src/base/query-api/field.ts';
import { recordFields } from '../../../src/base/query-api/records.ts';
import { fieldGauges } from '../../../src/exporter/metrics/field-metrics.ts';
import { attributeLabels, collectors, featureLabels, isEnabled } from '../../../src/exporter/metrics/metric.ts';
import { answerParent } from '../child.ts';
import type { CpuTime } from './daemon.ts';

/** The exporter that one would write first: a regular expression against NaN, JSON.parse, zod, prom-client and gzip. */

type Values = Readonly<Record<string, string | number | boolean | null>>;

const types: Readonly<Record<Field['type'], z.ZodType>> = {
  count: z.number(),
  quantity: z.number(),
  number: z.number().nullable(),
  time: z.number(),
  expiration: z.number(),
  text: z.string(),
  flag: z.boolean(),
  scalar: z.string().nullable(),
  date: z.string(),
};

const recordOf = (fields: Readonly<Record<string, Field>>): z.ZodType<Values> =>
  z.object(Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, types[type]]))) as never;

const schemas = {
  features: z.array(z.array(recordOf(recordFields.GetFeatures))).transform(([records]) => records ?? []),
  expirations: z.array(recordOf(recordFields.GetExpirationFeatures)),
};

const registry = new Registry();

/** The enabled gauges of a table of fields, with the field of each. */
function createGauges(endpoint: 'GetFeatures' | 'GetExpirationFeatures') {
  return fieldGauges(endpoint)
    .filter(({ metric }) => isEnabled(metric, collectors))
    .map(({ name, metric: { help } }) => ({
      gauge: new Gauge({ name, help, labelNames: featureLabels, registers: [registry] }),
      field: Object.entries<Field>(recordFields[endpoint]).find(([, { metric }]) => metric === name)?.[0] ?? '',
    }));
}

const featureGauges = createGauges('GetFeatures');
const expirationGauges = createGauges('GetExpirationFeatures');
const info = new Gauge({
  name: 'license_feature_info',
  help: 'Attributes of a feature.',
  labelNames: [...featureLabels, ...attributeLabels],
  registers: [registry],
});

const labelsOf = (vendorLicense: string, record: Values) => ({
  vendor_license: vendorLicense,
  feature: String(record['Feature']),
  version: String(record['Version']),
  package: String(record['Package']),
  feature_type: String(record['FeatureType']),
});

const cpuTime = ({ user, system }: NodeJS.CpuUsage): number => user + system;
const compress = promisify(gzip);
const delays = monitorEventLoopDelay({ resolution: 1 });

const get = async (url: string): Promise<unknown> =>
  JSON.parse((await (await fetch(url)).text()).replace(/(?<="\w+"\s*:\s*)NaN/g, 'null'));

const methods = {
  /** Sets the series of expirations, which are polled rarely. */
  pollExpirations: async (base: string, vendorLicenses: readonly string[]): Promise<void> => {
    for (const vendorLicense of vendorLicenses) {
      const url = `${base}/api/GetExpirationFeatures?product=${encodeURIComponent(vendorLicense)}`;
      for (const record of schemas.expirations.parse(await get(url))) {
        const labels = labelsOf(vendorLicense, record);
        for (const { gauge, field } of expirationGauges) gauge.set(labels, Number(record[field]));
      }
    }
  },
  /** Polls all features, and compresses the page. */
  poll: async (url: string): Promise<CpuTime & { readonly block: number }> => {
    delays.reset();
    delays.enable();
    const all = process.cpuUsage();
    const main = process.threadCpuUsage();
    for (const record of schemas.features.parse(await get(url))) {
      const labels = labelsOf(`${record['ServerName']};${record['Daemon']}`, record);
      for (const { gauge, field } of featureGauges) gauge.set(labels, Number(record[field]));
      const attributes = {
        license_type: String(record['LicenseType']),
        license_model: String(record['LicenseModel']),
        token_pool: String(record['TokenPool']),
        token_source: String(record['TokenSource']),
        mapped_to: String(record['MappedTo'] ?? ''),
      };
      info.set({ ...labels, ...attributes }, 1);
    }
    await compress(await registry.metrics(), { level: 6 });
    const time = { all: cpuTime(process.cpuUsage(all)), main: cpuTime(process.threadCpuUsage(main)) };
    delays.disable();
    return { ...time, block: delays.max / 1e6 };
  },
  /** Serves the page, created for each scrape. Returns its URL. */
  serve: async (): Promise<string> => {
    const server = createServer(async (_, response) => {
      const page = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType, 'content-length': Buffer.byteLength(page) });
      response.end(page);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

export type NaiveExporterMethods = typeof methods;

answerParent(methods);
