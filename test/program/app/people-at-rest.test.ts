import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { createFakeSite, type FakeSite, fakeLmutil, fakeRlmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat } from '../../support/license-site/render-lmstat.ts';
import { renderRlmstat } from '../../support/license-site/render-rlmstat.ts';
import { logClock, logDate } from '../../support/log-time.ts';
import { filesIn } from '../../support/persons-site.ts';

/** Who was refused a license is named in a log alone: no file, page, answer or log of the exporter has the name, nor a part of it. */

const cleanup = createCleanup();
const folders = createCleanup();
afterEach(async () => {
  await cleanup.run();
  await folders.run();
});

const utc = createLocalTime('UTC');
const [SERVER, RLM_SERVER] = ['27000@lic1', '5053@lic2'];
/** In no list of checkouts. */
const PEOPLE = ['quillfeather', 'ORBLIGHT\\quillfeather', 'vexmoor', 'zanthrop'];
const HOSTS = ['brackenhost', 'thistlenode'];
const secrets = /quillfeather|orblight|vexmoor|zanthrop|brackenhost|thistlenode/i;

/** Each person asks every ten seconds from 20 minutes ago until 3 minutes ago; the last of them gets a license. */
function requests(
  now: number,
  line: (at: number, kind: 'refused' | 'got', user: string, host: string) => string,
): string {
  const lines: string[] = [];
  for (let at = now - 1200; at < now - 180; at += 10) {
    for (const [i, user] of PEOPLE.entries()) lines.push(line(at, 'refused', user, HOSTS[i % 2] ?? ''));
  }
  lines.push(line(now - 175, 'got', PEOPLE.at(-1) ?? '', HOSTS[0] ?? ''));
  lines.push(line(now - 1, 'refused', 'nobody', 'here'));
  return `${lines.join('\n')}\n`;
}

const debugLogOf = (now: number): string =>
  requests(now, (at, kind, user, host) => {
    const what = kind === 'got' ? 'OUT' : 'DENIED';
    const why = kind === 'got' ? '' : '(Licensed number of users already reached. (-4,342))';
    return `${logClock(at)} (flexd) ${what}: "feature_1" ${user}@${host}  ${why}`;
  });

const reportLogOf = (now: number): string =>
  requests(now, (at, kind, user, host) => {
    const when = `${logDate(at).slice(0, 5)} ${logClock(at)}`;
    return kind === 'got'
      ? `OUT feature_1 1.0 1 ${user} ${host} "" 1 1 0 2f 0 0 ${when}`
      : `DENY feature_1 1.0 ${user} ${host} "" 1 -22 1 ${when}`;
  });

function printSite(site: FakeSite, now: number): void {
  const large = createLargeSite({ features: 3, users: 2, now: Math.floor(now), host: 'lic1', daemon: 'flexd' });
  site.print(SERVER, renderLmstat(large, utc));
  const isv = createLargeSite({ features: 3, users: 2, now: Math.floor(now), host: 'lic2', daemon: 'isv' });
  site.print(RLM_SERVER, renderRlmstat(isv, utc));
}

it('people who waited are counts everywhere, and named nowhere', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-people-'));
  folders.add(() => rmSync(folder, { recursive: true, force: true }));
  const storage = join(folder, 'storage');
  mkdirSync(storage);
  const site = createFakeSite(join(folder, 'site'));
  const now = Date.now() / 1000;
  printSite(site, now);
  const [debugLog, reportLog] = [join(folder, 'debug.log'), join(folder, 'report.log')];
  const [clock, date] = [logClock(now - 3600), logDate(now - 3600)];
  writeFileSync(debugLog, `${clock} (flexd) TIMESTAMP ${date}\n`);
  writeFileSync(reportLog, `RLM Report Log Format 1, version 14.2\nSTART lic2 ${date} ${clock}\n`);
  const app = await startCollectingApp(
    cleanup,
    [
      {
        name: 'cad',
        manager: 'flexnet',
        servers: [SERVER],
        via: { command: fakeLmutil },
        env: site.env,
        debug_log: { path: debugLog },
      },
      {
        name: 'fx',
        manager: 'rlm',
        servers: [RLM_SERVER],
        via: { command: fakeRlmutil },
        env: site.env,
        report_logs: { isv: reportLog },
      },
    ],
    { 'storage.path': storage },
  );
  await app.collect();
  appendFileSync(debugLog, debugLogOf(now));
  appendFileSync(reportLog, reportLogOf(now));
  await eventually('the people of both logs', async () => {
    await app.collect();
    const page = await app.metrics();
    // three names are of two people: they wait; the third has got it
    const waiting = [...page.matchAll(/^license_people_blocked\{vendor_license="(.*)",feature="feature_1".*\} 2$/gm)];
    const got = [...page.matchAll(/^license_blocked_episodes_total\{vendor_license="(.*)",.*ended="got"\} 1$/gm)];
    return waiting.length > 0 && got.length > 0;
  });
  const paths = ['/', '/metrics', '/alerts', '/sources', '/rightsizing', '/contracts', '/api/v1/alerts', '/events'];
  const answers = await Promise.all(
    paths.map(async (path) => [path, await (await fetch(`${app.url}${path}`)).text()] as const),
  );
  await cleanup.run();
  const kept = filesIn(storage);
  expect(Object.keys(kept)).toContain('history.db');
  const everywhere = [...answers, ...Object.entries(kept), ['the log', JSON.stringify(app.log.entries)] as const];
  expect(everywhere.filter(([, text]) => secrets.test(text)).map(([where]) => where)).toEqual([]);
});
