import { request } from 'node:http';
import { getFeatures } from '../../src/analyzer/feature-records.ts';
import { startAnalyzer, WORKDAY } from '../support/harness.ts';
import { compare, type Line } from './report.ts';

/** GetFeatures of the whole site over HTTP, compared with creating the same records and a single JSON.stringify. */
export async function benchLive(features: number, runs: number): Promise<Line[]> {
  const perVendorLicense = Math.min(features, 2000);
  const vendorLicenses = Math.ceil(features / perVendorLicense);
  const analyzer = await startAnalyzer(
    { vendorLicenses, featuresPerVendorLicense: perVendorLicense },
    { gate: 'none' },
  );
  const get = (): Promise<number> =>
    new Promise((resolve, reject) => {
      request(`${analyzer.url}/api/GetFeatures?product=%25`, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('end', () => resolve(bytes));
      })
        .on('error', reject)
        .end();
    });
  const current = analyzer.collector.current();
  const plain = (): number => JSON.stringify([[...getFeatures(current, WORKDAY, { product: '%' })]]).length;
  const blocks = { ours: 0, peer: 0 };
  const watched = (name: keyof typeof blocks, run: () => unknown) => async (): Promise<void> => {
    let last = performance.now();
    const look = (): void => {
      const at = performance.now();
      blocks[name] = Math.max(blocks[name], at - last);
      last = at;
    };
    const timer = setInterval(look, 1);
    await run();
    clearInterval(timer);
    look();
  };
  const times = await compare(runs, watched('ours', get), watched('peer', plain));
  await analyzer.stop();
  const what = `GetFeatures product=%, ${vendorLicenses * perVendorLicense} features`;
  return [
    { what: `${what}: time`, ...times, unit: 'ms', ratio: times.peer / times.ours },
    { what: `${what}: longest block of the event loop`, ...blocks, unit: 'ms', ratio: blocks.peer / blocks.ours },
  ];
}
