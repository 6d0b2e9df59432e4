import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createProcessClock } from '../../support/process-clock.ts';
import { createRunner } from '../../support/run.ts';
import { startSink } from '../../support/start-alertmanager.ts';

/**
 * A start on files of version 0.2.0 (commit e1e77952), as its daemon wrote them: 140 days of history of two sources that report
 * JSON documents, advice, alerts that fire and one that is pending, and what a webhook was told of them. `backup` is one of them by
 * its own command, and `logons` the count of another daemon whose password was rejected.
 */
const archive = join(import.meta.dirname, 'fixtures/storage-of-0.2.0.tar.gz');

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, startProcess, temporaryFolder } = createRunner(cleanup);

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
  readonly activeAt: string;
}

/** The files, and the environment of a process a minute after they were written. */
function unpack() {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', archive, '-C', folder, '--no-same-owner']);
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const saved = read('state/alert-state.json') as { readonly savedAt: string; readonly alerts: readonly Alert[] };
  const clock = createProcessClock(folder);
  clock.set((Date.parse(saved.savedAt) - Date.now()) / 1000 + 60);
  return { folder, read, saved, env: clock.env, config: join(folder, 'config.yml') };
}

const nameOf = ({ labels, state, activeAt }: Alert): string =>
  `${labels.alertname} ${labels.severity} of ${labels.vendor_license} ${state} since ${activeAt}`;

/** What advice is about, and from how many days it was computed. */
const adviceOf = (advice: unknown): readonly string[] =>
  (advice as readonly Record<string, unknown>[])
    .map(({ product, feature, bought, days }) => `${feature} of ${product}: ${bought} bought, ${days} days`)
    .sort();

describe('a start on the files of 0.2.0', () => {
  it('goes on with its alerts and messages, keeps the history, and computes its advice again', async () => {
    const { folder, read, saved, env, config } = unpack();
    const sink = await startSink(cleanup);
    writeFileSync(join(folder, 'hook'), sink.url);
    const key = readFileSync(join(folder, 'state/pseudonym.key'), 'utf8');
    const daemon = startProcess([`--config.file=${config}`, '--web.listen-address=127.0.0.1:0'], { env });
    const url = String((await daemon.line('listening')).address);
    const json = async (path: string) => (await (await fetch(url + path)).json()) as { readonly data: unknown };
    expect(await daemon.line('alerts restored')).toMatchObject({ alerts: saved.alerts.length });

    expect(await daemon.line('advice on the number of licenses computed')).toMatchObject({ features: 4 });
    const { data: advice } = await json('/api/v1/rightsizing');
    expect(adviceOf(advice)).toEqual(adviceOf(read('advice.json').data));

    const seen = new Set<string>();
    await eventually('ten evaluations', async () => {
      const page = await (await fetch(`${url}/metrics`)).text();
      seen.add(/^license_alerts_evaluated_timestamp_seconds.* (.+)$/m.exec(page)?.[1] ?? '');
      return seen.size > 10;
    });
    const { alerts } = (await json('/api/v1/alerts')).data as { readonly alerts: readonly Alert[] };
    const firing = saved.alerts.filter(({ state }) => state === 'firing');
    expect(firing.length).toBe(3);
    expect(alerts.map(nameOf)).toEqual(expect.arrayContaining(firing.map(nameOf)));
    const pending = alerts.find(({ labels: { alertname } }) => alertname === 'LicenseExpiringSoon');
    expect(pending).toMatchObject({ state: 'pending', labels: { expires: '2026-12-03' } });
    // it has waited as long as before
    expect(Date.parse(pending?.activeAt ?? '')).toBeLessThan(Date.parse(saved.savedAt));
    expect(sink.notified).toEqual([]);

    daemon.child.kill('SIGTERM');
    expect(await daemon.exit).toBe(0);
    expect(readFileSync(join(folder, 'state/pseudonym.key'), 'utf8')).toBe(key);
    const range = ['--first-day=2026-07-14', '--last-day=2026-11-26'];
    const exporting = run(['history', 'export', '--format=csv', '--feature=cad', ...range, `--config.file=${config}`]);
    expect(await exporting.exit).toBe(0);
    const rows = exporting.printed().trim().split('\n').slice(1);
    expect(rows.at(0)).toMatch(/^2026-07-1[34]T.*,cad,,feature,2,20,0,1,,2\r?$/);
    expect(new Set(rows.map((row) => row.slice(0, 10))).size).toBeGreaterThan(130);
  });

  it.each([
    [`embedded@${hostname()}`, 'alerts restored', { alerts: 4 }],
    [
      'other:443',
      'saved alerts are of another analyzer and are not used',
      { of: 'other:443', analyzer: `embedded@${hostname()}` },
    ],
  ])(
    'without analyzer.name, goes on with alerts only if they are its own: those of %s',
    async (analyzer, message, fields) => {
      const { folder, saved, env, config } = unpack();
      writeFileSync(join(folder, 'state/alert-state.json'), JSON.stringify({ ...saved, analyzer }));
      writeFileSync(config, readFileSync(config, 'utf8').replace('analyzer: {name: site}\n', ''));
      writeFileSync(join(folder, 'hook'), 'http://127.0.0.1:9/');
      const daemon = startProcess([`--config.file=${config}`, '--web.listen-address=127.0.0.1:0'], { env });
      expect(await daemon.line(message)).toMatchObject(fields);
    },
  );

  it('sends no logon while a rejected one of 0.2.0 counts', async () => {
    const { folder, env } = unpack();
    let logons = 0;
    const analyzer = createServer(({ headers }, response) => {
      if (headers.authorization !== undefined) logons += 1;
      response.writeHead(401, { 'WWW-Authenticate': 'NTLM' }).end();
    });
    await new Promise<void>((resolve) => analyzer.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => {
      analyzer.closeAllConnections();
      analyzer.close();
    });
    writeFileSync(join(folder, 'password'), 'wrong-pass', { mode: 0o600 });
    const address = `http://127.0.0.1:${(analyzer.address() as AddressInfo).port}/analyzer`;
    const account = ['--analyzer.username=CORP\\svc-lic', `--analyzer.password-file=${join(folder, 'password')}`];
    const places = [`--storage.path=${join(folder, 'logons')}`, '--web.listen-address=127.0.0.1:0'];
    const daemon = startProcess([`--analyzer.url=${address}`, ...account, ...places, '--log.format=json'], { env });
    const { reason } = await daemon.line('the analyzer rejects the credentials');
    expect(reason).toContain('no logon is sent until 2026-11-30T07:36:5');
    await daemon.line('poll failed');
    expect(logons).toBe(0);
  });
});

describe('a backup of 0.2.0', () => {
  it('is restored, and its history is converted', async () => {
    const { folder } = unpack();
    const storage = join(folder, 'new');
    mkdirSync(storage);
    const config = join(folder, 'restore.yml');
    const analyzer = '{time_zone: Europe/Berlin, sources: [{name: lic1, manager: json, via: {file: lic1.json}}]}';
    writeFileSync(config, `storage: {path: new}\nembedded_analyzer: ${analyzer}\n`);
    const restoring = run(['restore', join(folder, 'backup'), `--config.file=${config}`]);
    expect(await restoring.exit).toBe(0);
    const database = new DatabaseSync(join(storage, 'history.db'), { readOnly: true });
    cleanup.add(() => database.close());
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 6 });
    expect(statSync(join(storage, 'pseudonym.key')).mode & 0o777).toBe(0o600);
  });
});
