import { connect } from 'node:net';
import { findPools, toFeature } from '../../src/analyzer/server/feature-records.ts';
import { startAnalyzer, WORKDAY } from '../support/harness.ts';
import { compare, type Line } from './report.ts';

/** Requests a body and only counts its bytes, because the time of the client is not the server's. */
async function receive(url: string): Promise<number> {
  const { hostname, port, pathname, search } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let bytes = 0;
  const callback = (length: number): boolean => {
    bytes += length;
    return true;
  };
  connect({ host: hostname, port: Number(port), onread: { buffer: Buffer.allocUnsafe(2 ** 20), callback } })
    .on('error', reject)
    .on('close', () => resolve(bytes))
    .write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`);
  return promise;
}

/** GetFeatures of the whole site over HTTP, compared with creating the same records and a single JSON.stringify. */
export async function benchLive(features: number, runs: number): Promise<Line[]> {
  const perVendorLicense = Math.min(features, 2000);
  const vendorLicenses = Math.ceil(features / perVendorLicense);
  const analyzer = await startAnalyzer(
    { vendorLicenses, featuresPerVendorLicense: perVendorLicense },
    { gate: 'none' },
  );
  const get = (): Promise<number> => receive(`${analyzer.url}/api/GetFeatures?product=%25`);
  const current = analyzer.collector.current();
  const plain = (): number =>
    JSON.stringify([findPools(current, { product: '%' }).map((pool) => toFeature(pool, WORKDAY))]).length;
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
  // NaN is shorter than null
  if ((await get()) < 0.99 * plain()) throw new Error('the answer is too short');
  const times = await compare(runs, watched('ours', get), watched('peer', plain));
  await analyzer.stop();
  const what = `GetFeatures product=%, ${vendorLicenses * perVendorLicense} features`;
  return [
    { what: `${what}: time`, ...times, unit: 'ms', ratio: times.peer / times.ours },
    { what: `${what}: longest block of the event loop`, ...blocks, unit: 'ms', ratio: blocks.peer / blocks.ours },
  ];
}
