import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { startCollectingApp } from '../support/collecting-app.ts';
import { createFakeSite, fakeLmutil } from '../support/fake-license-tools/fake-site.ts';
import { type Cleanup, eventually } from '../support/harness.ts';
import { createLargeSite } from '../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../support/license-site/render-lmstat.ts';
import { brokenPromises } from '../support/readme-demo.ts';
import { createRunner } from '../support/run.ts';

/** The daemons whose pages are drawn. */

/** What lacks licenses in the demo: the pages and dashboards of one feature are drawn of it. */
export const lacking = { vendorLicense: 'demo-lic01;caddsd', feature: 'cad_assembly' } as const;

/** When people of the demo wait for licenses on each day, and an hour later still, local time. */
const BUSY_HOUR = 10;

/** A time zone in which it is the busy hour. */
export function busyZone(now: Date): string {
  // from 12 hours behind UTC to 11 ahead; the names of these zones have the opposite sign
  const ahead = ((BUSY_HOUR - now.getUTCHours() + 36) % 24) - 12;
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** The demo, when its advice is there: its pages are then complete. */
export async function startDemo(cleanup: Cleanup, timeZone: string): Promise<string> {
  const listen = ['--web.listen-address=127.0.0.1:0', '--embedded-analyzer.listen-address=127.0.0.1:0'];
  const zone = `--embedded-analyzer.time-zone=${timeZone}`;
  const demo = createRunner(cleanup).startProcess(['demo', '--log.format=json', zone, ...listen]);
  cleanup.add(async () => {
    demo.child.kill('SIGTERM');
    await demo.exit;
  });
  const { address } = await demo.line('listening');
  await eventually('the advice', async () => (await fetch(`${address}/rightsizing`)).ok, { every: 1000 });
  const broken = brokenPromises(await (await fetch(`${address}/`)).text());
  if (broken.length > 0) throw new Error(`README promises what the demo does not show: ${broken.join(', ')}`);
  return String(address);
}

/** An exporter with two license managers, one of which cannot be read. */
async function startSources(cleanup: Cleanup): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), 'license-exporter-pictures-'));
  cleanup.add(() => rmSync(temporary, { recursive: true, force: true }));
  const tools = createFakeSite(join(temporary, 'site'));
  const now = Math.floor(Date.now() / 1000);
  const site = createLargeSite({ features: 12, users: 3, now, host: 'lic1', daemon: 'flexd' });
  const localTime = createLocalTime('UTC');
  tools.print('27000@lic1', renderLmstat(site, localTime));
  tools.print('27000@lic1', renderLmstatInventory(site, localTime), 'i');
  const source = (name: string, command: string, server: string): object => ({
    name,
    manager: 'flexnet',
    servers: [server],
    via: { command },
    env: tools.env,
  });
  const sources = [source('cad', fakeLmutil, '27000@lic1'), source('eda', '/opt/flexlm/lmutil', '27000@lic2')];
  const { url, health } = await startCollectingApp(cleanup, sources);
  await eventually('the first collection', () => health().every(({ up }) => up !== undefined));
  return url;
}

/** The pages, by the folder of each. The demo has no license managers of its own. */
export const pagePathsOf = {
  status: '/',
  'vendor-license': `/vendor-license?${new URLSearchParams({ name: lacking.vendorLicense })}`,
  feature: `/feature?${new URLSearchParams({ vendor_license: lacking.vendorLicense, feature: lacking.feature })}`,
  alerts: '/alerts',
  reclaim: '/reclaim',
  rightsizing: '/rightsizing',
  contracts: '/contracts',
  runbooks: '/runbooks',
  sources: '/sources',
} as const;

/** The URL of each page. @param demo its address */
export async function startPages(cleanup: Cleanup, demo: string): Promise<readonly (readonly [string, string])[]> {
  const sources = await startSources(cleanup);
  return Object.entries(pagePathsOf).map(([name, path]) => [name, `${name === 'sources' ? sources : demo}${path}`]);
}
