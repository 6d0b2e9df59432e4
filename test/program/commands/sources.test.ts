import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { catalogue } from '../../../src/exporter/metrics/catalogue.ts';
import { createFakeSite, type FakeSite, fakeLmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually, sampleOf } from '../../support/harness.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat } from '../../support/license-site/render-lmstat.ts';
import type { Site } from '../../support/license-site/site.ts';
import { createRunner } from '../../support/run.ts';

/** `serve` with license managers, as an operator runs it. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, startProcess, temporaryFolder } = createRunner(cleanup);

const utc = createLocalTime('UTC');

/** Metrics that only an exporter with a logon has. */
const OF_LOGONS = new RegExp(
  `^(?:${Object.entries(catalogue)
    .flatMap(([name, { group }]) => (group === 'logons' ? [name] : []))
    .join('|')})\\b`,
  'm',
);

/** Names that nothing else contains, not even the random name of a folder. */
const SECRETS = /zz(?:user|host|display|token)/i;

function siteOf(host: string): Site {
  const site = createLargeSite({ features: 2, users: 3, now: Math.floor(Date.now() / 1000), host, daemon: 'flexd' });
  const daemons = site.daemons.map((daemon) => ({
    ...daemon,
    features: daemon.features.map((feature) => ({
      ...feature,
      pools: feature.pools.map((pool) => ({
        ...pool,
        checkouts: pool.checkouts.map((checkout, i) => ({
          ...checkout,
          user: `zzuser${i}`,
          host: `zzhost${i}`,
          display: `zzdisplay${i}`,
        })),
      })),
    })),
  }));
  return { ...site, daemons };
}

interface Place {
  readonly folder: string;
  readonly site: FakeSite;
  readonly config: string;
  /** Writes the file of sources: a line of YAML for each. */
  declare(...sources: readonly string[]): void;
}

function createPlace(): Place {
  const folder = temporaryFolder();
  const site = createFakeSite(join(folder, 'site'));
  for (const host of ['lic1', 'lic2', 'lic3']) site.print(`27000@${host}`, renderLmstat(siteOf(host), utc));
  const config = join(folder, 'c.yml');
  writeFileSync(
    config,
    `storage: {path: ${folder}/state}
web: {listen_address: 127.0.0.1:0}
log: {level: debug, format: json}
embedded_analyzer:
  source_defaults:
    manager: flexnet
    via: {command: ${fakeLmutil}}
    env: {FAKE_LICENSE_SITE: ${site.folder}, SECRET: zzsecret}
    interval: 10m
  source_files: [sources.yml]
`,
  );
  const declare = (...sources: readonly string[]): void =>
    writeFileSync(join(folder, 'sources.yml'), sources.map((source) => `- {${source}}\n`).join(''));
  declare('name: one, servers: [27000@lic1]', 'name: two, servers: [27000@lic2]');
  return { folder, site, config, declare };
}

const textOf = async (url: string, path: string): Promise<string> => (await fetch(`${url}${path}`)).text();

/** A daemon with data on its page. */
async function start({ config }: Place) {
  return withData(run([`--config.file=${config}`]));
}

/** Waits for its data. */
async function withData<Daemon extends Pick<ReturnType<typeof run>, 'line'>>(daemon: Daemon) {
  const { address } = await daemon.line('listening');
  const url = String(address);
  await eventually('data', async () => /^license_feature_in_use\{/m.test(await textOf(url, '/metrics')));
  const sample = async (name: string): Promise<number | undefined> => sampleOf(await textOf(url, '/metrics'), name);
  return { daemon, url, sample };
}

/** The ports on which a process listens. */
function listeningPortsOf(pid: number | undefined): readonly number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        // it has been closed
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`))
      .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16)),
  );
}

/** The command lines of a process and of all that it has started. */
function commandLinesOf(root: number | undefined): readonly string[] {
  const parents = new Map<number, number>();
  const lines = new Map<number, string>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
      lines.set(Number(name), readFileSync(`/proc/${name}/cmdline`, 'latin1'));
    } catch {
      // it has ended
    }
  }
  const isBelow = (id: number | undefined): boolean =>
    id !== undefined && id > 1 && (id === root || isBelow(parents.get(id)));
  return [...lines].filter(([id]) => isBelow(id)).map(([, line]) => line);
}

const runs = (source: string): string => `license_source_runs_total{source="${source}",manager="flexnet",result="ok"}`;
const up = (source: string): string => `license_source_up{source="${source}",manager="flexnet"}`;

describe('serve with license managers', () => {
  it('listens on one port, and its log is about license managers', async () => {
    const place = createPlace();
    const daemon = startProcess([`--config.file=${place.config}`]);
    const { url } = await withData(daemon);
    expect(await daemon.line('collecting from license managers')).toMatchObject({ level: 'info', sources: 2 });
    expect(await daemon.line(`ready: open ${url}`)).toMatchObject({ vendorLicenses: 2, features: 4 });
    expect(listeningPortsOf(daemon.child.pid)).toEqual([Number(new URL(url).port)]);
    daemon.child.kill();
    expect(await daemon.exit).toBe(0);
    expect(daemon.lines.map((line) => JSON.stringify(line)).join('\n')).not.toMatch(
      /log(?:ged|s)? ?on|ntlm|credential|account|password|port\b|embedded analyzer listening/i,
    );
  });

  it('has no metric of logons and connections, and no alert about them', async () => {
    const { url, sample } = await start(createPlace());
    const complete = (rule: string): Promise<number | undefined> =>
      sample(`license_alerts_complete{alertname="${rule}",analyzer="embedded@${hostname()}"}`);
    await eventually('an evaluation', async () => (await complete('LicenseServerDown')) !== undefined);
    expect(await complete('LicenseAnalyzerAuthFailing')).toBeUndefined();
    const rules = await textOf(url, '/api/v1/rules');
    expect([rules.includes('LicenseSourceDown'), rules.includes('LicenseAnalyzerAuthFailing')]).toEqual([true, false]);
    expect(await textOf(url, '/metrics')).not.toMatch(OF_LOGONS);
  });

  it('also answers others where it is told to listen', async () => {
    const place = createPlace();
    const daemon = run([`--config.file=${place.config}`, '--embedded-analyzer.listen-address=127.0.0.1:0']);
    const { address } = await daemon.line('embedded analyzer listening');
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/analyzer$/);
    const { status, headers } = await fetch(`${address}/api/GetProducts`);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'NTLM']);
    const { url } = await withData(daemon);
    expect(await textOf(url, '/metrics')).not.toMatch(OF_LOGONS);
    const listen = `--embedded-analyzer.listen-address=${new URL(address ?? '').host}`;
    const beside = run(['--once', `--config.file=${place.config}`, listen]);
    expect(await beside.exit).toBe(0);
  });

  it('is refused beside another one on the same storage.path, before it reads anything; --once is not', async () => {
    const place = createPlace();
    await start(place);
    const before = place.site.callsOf('27000@lic1').length;
    const second = run([`--config.file=${place.config}`]);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(
      `storage.path ${place.folder}/state is used by another process; stop it, or set a different storage.path for each process`,
    );
    expect(place.site.callsOf('27000@lic1')).toHaveLength(before);
    const once = run(['--once', `--config.file=${place.config}`]);
    expect(await once.exit).toBe(0);
    expect(once.output()).toMatch(/^license_feature_in_use\{/m);
    expect(place.site.callsOf('27000@lic1').length).toBeGreaterThan(before);
  });

  it('reads sources again on a reload: unchanged ones go on, and a mistake changes nothing', async () => {
    const place = createPlace();
    const { daemon, sample, url } = await start(place);
    await eventually('no reading is near', async () => {
      const sources = JSON.parse(await textOf(url, '/sources/status.json')) as { nextReadAt: number }[];
      return sources.every(({ nextReadAt }) => nextReadAt > Date.now() / 1000 + 20);
    });
    const calls = place.site.callsOf('27000@lic1').length;
    place.declare('name: one, servers: [27000@lic1]', 'name: three, servers: [27000@lic3]');
    daemon.reload();
    await eventually('the new source', async () => (await sample(up('three'))) === 1);
    expect(await sample(up('two'))).toBeUndefined();
    expect([await sample(runs('one')), place.site.callsOf('27000@lic1').length]).toEqual([1, calls]);

    place.declare('name: one, server: [27000@lic1]');
    daemon.reload();
    const refused = await daemon.line('configuration not reloaded, the old one is kept');
    expect(refused['reason']).toBe(
      `${place.folder}/sources.yml:1: sources[0].server: unknown setting, did you mean servers?`,
    );
    expect(await sample(up('three'))).toBe(1);
    expect(await sample('license_exporter_config_last_reload_successful')).toBe(0);
  });

  // the tool has 60 s
  it('ends while a tool hangs, and leaves no process behind', async () => {
    const place = createPlace();
    const { daemon } = await withData(startProcess([`--config.file=${place.config}`]));
    place.site.play('27000@lic3', 'hang');
    place.declare('name: one, servers: [27000@lic1]', 'name: three, servers: [27000@lic3]');
    daemon.child.kill('SIGHUP');
    const hanging = (): boolean => commandLinesOf(daemon.child.pid).some((line) => line.includes('27000@lic3'));
    await eventually('the tool', hanging);
    daemon.child.kill('SIGTERM');
    expect(await daemon.exit).toBe(0);
    // of any parent: an orphan has another one
    expect(commandLinesOf(1).filter((line) => line.includes(place.folder))).toEqual([]);
    expect(daemon.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(readdirSync(join(place.folder, 'state', 'work'))).toEqual([]);
  });

  it('does not mix its history with that of the demo', async () => {
    const place = createPlace();
    const flags = ['--web.listen-address=127.0.0.1:0', '--embedded-analyzer.listen-address=127.0.0.1:0'];
    const demo = run(['demo', `--storage.path=${place.folder}/state`, '--log.format=json', ...flags]);
    await demo.line('listening');
    await eventually('store', () => readdirSync(join(place.folder, 'state')).includes('history.db'));
    demo.stop();
    await demo.exit;
    const daemon = run([`--config.file=${place.config}`]);
    expect(await daemon.exit).toBe(1);
    expect(daemon.output()).toMatch(
      /^the history store \(.*\): it contains history of simulated site .*, not of license managers; move the file away, or set another storage\.path$/m,
    );
    expect(place.site.callsOf('27000@lic1')).toEqual([]);
  });
});

it('doctor reads the sources, and has no steps about a connection or a logon', async () => {
  const place = createPlace();
  const doctor = run(['doctor', `--config.file=${place.config}`]);
  expect(await doctor.exit).toBe(0);
  const steps = [...doctor.output().matchAll(/^[✓!✗–] (\w+)/gm)].map(([, name]) => name);
  expect(steps).toEqual(['configuration', 'endpoints', 'storage', 'web', 'sources']);
  expect(doctor.output()).not.toMatch(/logon|ntlm|credential|GetHttpUserName/i);
});

describe('names of users and hosts, passwords and tokens', () => {
  it('are in no log, page, report or list of processes', async () => {
    const place = createPlace();
    const { site, folder } = place;
    const seen: (string | undefined)[] = [];
    const agent = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end('zzuser may not read with zztoken');
    }).listen(0, '127.0.0.1');
    cleanup.add(() => agent.close());
    await new Promise((resolve) => agent.once('listening', resolve));
    const { port } = agent.address() as AddressInfo;
    writeFileSync(join(folder, 'token'), 'zztoken\n', { mode: 0o600 });
    // lines that are not understood, errors, and answers of the server that name them
    site.print('27000@lic1', `${renderLmstat(siteOf('lic1'), utc)}\nzzuser at zzhost is strange (zzdisplay)\n`);
    site.printErrors('27000@lic1', 'zzuser: zzhost cannot be resolved\n');
    site.print('27000@lic2', 'zzuser zzhost\n');
    site.exitWith('27000@lic2', 1);
    site.delay('27000@lic3', 3);
    const url = `http://127.0.0.1:${port}/observations`;
    place.declare(
      'name: one, servers: [27000@lic1]',
      'name: two, servers: [27000@lic2]',
      'name: three, servers: [27000@lic3]',
      `name: four, manager: json, env: {}, via: {http: '${url}', token_file: token}`,
    );
    const daemon = run([`--config.file=${place.config}`]);
    await eventually('a tool', () => site.callsOf('27000@lic3').length > 0);
    const processes = commandLinesOf(process.pid);
    expect(processes.some((line) => line.includes('27000@lic3'))).toBe(true);
    const { address } = await daemon.line('listening');
    const page = String(address);
    await eventually('data', async () => /^license_feature_in_use\{/m.test(await textOf(page, '/metrics')));
    const doctor = run(['doctor', `--config.file=${place.config}`]);
    const asJson = run(['doctor', '--json', `--config.file=${place.config}`]);
    const check = run(['check-config', place.config]);
    await Promise.all([doctor.exit, asJson.exit, check.exit]);
    const texts: Readonly<Record<string, string>> = {
      metrics: await textOf(page, '/metrics'),
      sources: await textOf(page, '/sources'),
      status: await textOf(page, '/sources/status.json'),
      landing: await textOf(page, '/'),
      log: daemon.output(),
      doctor: doctor.output(),
      json: asJson.output(),
      check: check.output(),
      processes: processes.join('\n'),
    };
    for (const [what, text] of Object.entries(texts))
      expect({ what, found: SECRETS.exec(text)?.[0] }).toEqual({ what });
    // the test would see them
    expect(seen).toContain('Bearer zztoken');
    expect(texts['sources']).toContain('1 line was not understood');
    expect(texts['doctor']).toMatch(/^two: exit: /m);
    expect(texts['doctor']).toMatch(/^four: refused: .* answered 401/m);
    expect(texts['doctor']).toContain('1 of 4 sources were read completely.');
    const { healthy, sources } = JSON.parse(asJson.output().slice(asJson.output().indexOf('{\n'))) as {
      healthy: boolean;
      sources: { name: string; up: boolean; problems: { kind: string }[]; runs: object }[];
    };
    expect(healthy).toBe(false);
    expect(sources.map(({ name, up: isUp, problems }) => [name, isUp, problems.map(({ kind }) => kind)])).toEqual([
      ['one', true, []],
      ['two', false, ['exit']],
      ['three', true, []],
      ['four', false, ['refused']],
    ]);
    expect(sources[0]?.runs).toEqual({ ok: 1 });
  });
});

it('a file that is not what it should be is said alike by check-config, doctor, /sources and the log', async () => {
  const place = createPlace();
  const file = join(place.folder, 'page.html');
  writeFileSync(file, '<!DOCTYPE html>\n<html></html>\n');
  place.declare(
    `name: one, servers: [27000@lic1], license_files: [${file}], options_files: {flexd: ${file}}, debug_log: {path: ${file}, time_zone: UTC}`,
  );
  const kinds = ['a license file', 'an options file', 'a debug log of FlexNet'];
  const said = (text: string) => kinds.filter((kind) => text.includes(`${file} is not ${kind}: `));
  const { daemon, url } = await start(place);
  const doctor = run(['doctor', `--config.file=${place.config}`]);
  const check = run(['check-config', place.config]);
  expect(await check.exit).toBe(0);
  expect(await doctor.exit).not.toBe(0);
  expect(doctor.output()).toContain('0 of 1 sources were read completely.');
  for (const text of [check.output(), doctor.output(), daemon.output(), await textOf(url, '/sources/status.json')]) {
    expect(said(text)).toEqual(kinds);
  }
  // reservations in use are not 0 for want of the file
  expect(await textOf(url, '/metrics')).not.toMatch(/^license_feature_used_reserve\{/m);
});

it('an output with two license servers is a warning of doctor: the figures of each source are good', async () => {
  const place = createPlace();
  const [first = '', second = ''] = ['lic1', 'lic2'].map((host) => renderLmstat(siteOf(host), utc));
  for (const host of ['lic1', 'lic2']) place.site.print(`27000@${host}`, `${first}\n${second}`);
  const doctor = run(['doctor', `--config.file=${place.config}`]);
  expect(await doctor.exit).toBe(0);
  expect(doctor.output()).toMatch(/^! sources +0 of 2 were read completely/m);
  expect(doctor.output()).toContain(
    'The output for 27000@lic1 also has the license servers 27000@lic2, which are not shown.',
  );
});

it.each([
  ['license_files', (file: string) => `license_files: [${file}]`],
  ['options_files', (file: string) => `options_files: {flexd: ${file}}`],
])('a file of %s that does not exist fails in doctor', async (setting, configured) => {
  const place = createPlace();
  const file = join(place.folder, 'none');
  place.declare(`name: one, servers: [27000@lic1], ${configured(file)}`);
  const doctor = run(['doctor', `--config.file=${place.config}`]);
  expect(await doctor.exit).not.toBe(0);
  expect(doctor.output()).toContain(
    `one: missing_tool: the file ${file} does not exist; correct the path in \`${setting}\``,
  );
});

it('lines of a file that are not understood are a warning of doctor', async () => {
  const place = createPlace();
  const file = join(place.folder, 'one.lic');
  writeFileSync(file, 'SERVER lic1 ANY 27000\nhello\n');
  place.declare(`name: one, servers: [27000@lic1], license_files: [${file}]`);
  const doctor = run(['doctor', `--config.file=${place.config}`]);
  await doctor.exit;
  expect(doctor.output()).toMatch(/^! sources +0 of 1 were read completely/m);
  expect(doctor.output()).toContain(
    `of the file ${file}, 1 of 2 statements were understood, the first that was not is in line 2`,
  );
});
