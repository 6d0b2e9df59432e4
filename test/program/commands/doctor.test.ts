import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ntHash } from '../../../src/base/ntlm/primitives.ts';
import { endpointNames } from '../../../src/base/query-api/endpoints.ts';
import { type Fault, json, startFaulty, status } from '../../support/faulty-analyzer.ts';
import { account, createCleanup, startAnalyzer } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

interface Diagnosis {
  readonly analyzer: string;
  readonly identity?: string;
  readonly healthy: boolean;
  readonly steps: {
    readonly step: string;
    readonly result: string;
    readonly finding: string;
    readonly remedy: string[];
    readonly exit?: number;
  }[];
  readonly endpoints: {
    readonly endpoint: string;
    readonly result: string;
    readonly reason?: string;
    readonly unknown?: string[];
    readonly missing?: string[];
  }[];
}

async function start(): Promise<{ url: string; verdicts: boolean[] }> {
  const verdicts: boolean[] = [];
  const users = () => [{ name: account.username, ntHash: ntHash(account.password) }];
  const gate = { domain: 'CORP', users, onVerdict: ({ ok }: { ok: boolean }) => void verdicts.push(ok) };
  const analyzer = await startAnalyzer({}, { gate });
  cleanup.add(() => analyzer.stop());
  return { url: analyzer.url, verdicts };
}

function configure(url: string, password: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'password'), password, { mode: 0o600 });
  const file = join(folder, 'config.yml');
  writeFileSync(
    file,
    `analyzer: {url: "${url}", username: 'CORP\\svc-lic', password_file: password}\nstorage: {path: ${folder}/state}\nweb: {listen_address: "127.0.0.1:0"}\n`,
  );
  return file;
}

describe('doctor', () => {
  it('calls every endpoint and says that each answers as specified', async () => {
    const { url } = await start();
    const doctor = run(['doctor', `--config.file=${configure(url, account.password)}`]);
    expect(await doctor.exit).toBe(0);
    const output = doctor.output();
    expect(output).toContain(`analyzer  ${url}\nlogon     CORP\\svc-lic\n`);
    for (const name of endpointNames) expect(output).toMatch(new RegExp(`^${name} +ok +\\d+ ms`, 'm'));
    expect(output).toMatch(/^GetProducts +ok +\d+ ms +4 +values dropped: \d+ nan$/m);
    expect(output).toContain('Every endpoint answers as specified.');
  });

  it('sends no second logon after a rejected one, nor does the next doctor', async () => {
    const { url, verdicts } = await start();
    const file = configure(url, 'wrong');
    const diagnose = async (): Promise<Diagnosis> => {
      const doctor = run(['doctor', '--json', `--config.file=${file}`]);
      expect(await doctor.exit).toBe(5);
      return JSON.parse(doctor.output()) as Diagnosis;
    };
    const { healthy, identity, endpoints, steps } = await diagnose();
    expect([healthy, identity, endpoints.length]).toEqual([false, undefined, 11]);
    const failed = endpoints.filter(({ result }) => result === 'failed');
    expect(failed.map(({ endpoint }) => endpoint)).toEqual(['GetHttpUserName']);
    expect(failed[0]?.reason).toMatch(/^auth \(NTLM_CREDENTIALS_REJECTED\): /);
    expect(endpoints.filter(({ result }) => result === 'not asked')).toHaveLength(10);
    expect(verdicts).toEqual([false]);
    expect(steps.find(({ result }) => result === 'failed')).toEqual({
      step: 'logon',
      result: 'failed',
      finding: expect.stringMatching(/^the analyzer rejected the logon: /),
      remedy: [expect.stringMatching(/^check analyzer.username and the password/)],
      exit: 5,
    });
    const again = await diagnose();
    expect(again.endpoints.find(({ endpoint }) => endpoint === 'GetHttpUserName')?.reason).toMatch(/^auth_suspended/);
    expect(verdicts).toEqual([false]);
  });

  it('counts the logons of an analyzer that is a source with those of the daemon, as --once does', async () => {
    const { url, verdicts } = await start();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'password'), 'wrong', { mode: 0o600 });
    const client = `{url: "${url}", username: 'CORP\\svc-lic', password_file: password}`;
    writeFileSync(
      join(folder, 'config.yml'),
      `storage: {path: ${folder}/state}\nweb: {listen_address: "127.0.0.1:0"}\nembedded_analyzer: {sources: [{name: other, manager: query-api, via: {analyzer: ${client}}}]}\n`,
    );
    for (const args of [['doctor'], ['doctor'], ['--once']]) {
      const command = run([...args, `--config.file=${folder}/config.yml`]);
      expect(await command.exit).not.toBe(0);
    }
    expect(verdicts).toEqual([false]);
  });

  it('reports how another server deviates, what is dropped, and what was not called', async () => {
    const bodies: Record<string, string> = {
      GetHttpUserName: 'OTHER\\someone',
      GetConcurrentUsers: '3',
      GetProducts: '[{"Product":"a;b","Active":"many","IsCurrent":true,"Icon":1},{"MaxAvailable":-1}]',
      GetServerDown: `[{"Label":"a;${'b'.repeat(2000)}"}]`,
      GetFeatures: '[[]]',
      GetExpirationFeatures: '<html>',
    };
    // one that asks for no logon
    const server = createServer(({ url = '' }, response) => {
      const body = bodies[url.replace(/\?.*$/, '').replace(/^.*\//, '')];
      response.writeHead(body === undefined ? 500 : 200).end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanup.add(() => server.close());
    const { port } = server.address() as AddressInfo;
    const doctor = run(['doctor', `--config.file=${configure(`http://127.0.0.1:${port}/analyzer`, 'x')}`]);
    expect(await doctor.exit).toBe(1);
    const remarks = (name: string): string => new RegExp(`^${name} +(.*)$`, 'm').exec(doctor.output())?.[1] ?? '';
    expect(doctor.output()).toContain('logon     OTHER\\someone');
    expect(remarks('GetProducts')).toMatch(
      /^deviates .* 2 +no record has CollectionTime, .*; missing: CollectionTime, /,
    );
    expect(remarks('GetProducts')).toContain(
      '; other type: Active: string; extra: Icon; values dropped: 1 not_a_number, 1 bad_record',
    );
    expect(remarks('GetConcurrentUsers')).toMatch(/^ok/);
    expect(remarks('GetServerDown')).toMatch(/^ok .* cut in labels of \/metrics: 1 name$/);
    expect(remarks('GetExpirationFeatures')).toMatch(
      /^failed .* parse \(ANSWER_HTML\): the answer is an HTML page, not JSON: /,
    );
    expect(remarks('GetHeatMap')).toMatch(/^not asked +GetFeatures lists no feature$/);
    expect(doctor.output()).toContain('Not every endpoint gives an answer that license-exporter accepts.');
  });

  /** GetFeatures with other names of fields that identify nothing. */
  const renamed =
    (from: string, to: string): Fault =>
    (_, response, body) =>
      response.end(body.toString().replaceAll(`"${from}":`, `"${to}":`));

  it.each<[what: string, part: string, fault: Fault, exit: number, line: RegExp]>([
    [
      'an endpoint that is missing and can be',
      'GetConcurrentUsers',
      status(404),
      0,
      /^GetConcurrentUsers +absent .*status \(404\): .*; the analyzer does not have this endpoint: set poll.concurrent_users: off$/m,
    ],
    [
      'an endpoint that must not be missing',
      'GetServerDown',
      status(404),
      1,
      /^GetServerDown +failed .*status \(404\)/m,
    ],
    [
      'features that all at once yields none of',
      'GetFeatures?product=%',
      json('[[]]'),
      0,
      /^GetFeatures +ok .*product=%: the answer contains no features of "sim-.*; requested per vendor license, as the exporter does/m,
    ],
    [
      'no features at all',
      'GetFeatures',
      json('[[]]'),
      1,
      /^GetFeatures +failed .*schema: the answer contains no features of/m,
    ],
    [
      'a search level that is refused',
      'search=2',
      status(400),
      0,
      /^GetExpirationFeatures +ok .*search=2: .*; requested without it, as the exporter does/m,
    ],
    [
      'fields of another name that identify nothing',
      'GetFeatures',
      renamed('LicenseModel', 'Model'),
      0,
      /^GetFeatures +deviates .* \d+ +no record has LicenseModel, .*; missing: LicenseModel; extra: Model; /m,
    ],
    [
      'a field of another name that a source may not know',
      'GetFeatures',
      renamed('MaxInUse', 'PeakInUse'),
      0,
      /^GetFeatures +deviates .* no record has MaxInUse, .* add GetFeatures.MaxInUse to analyzer.absent_fields; extra: PeakInUse; /m,
    ],
    [
      'a field of another name on which nothing rests',
      'GetFeatures',
      renamed('ActiveUse', 'UseActive'),
      0,
      /^GetFeatures +ok .* extra: UseActive; not known by the source: ActiveUse$/m,
    ],
    [
      'no vendor license',
      'GetProducts',
      json('[]'),
      0,
      /^GetProducts +ok .*accepts that after 3 such polls over at least 15 min$/m,
    ],
    ['a number of users that is not known', 'GetConcurrentUsers', json('NaN'), 0, /^GetConcurrentUsers +ok .*NaN: /m],
    ['no identity', 'GetHttpUserName', status(404), 0, /^GetHttpUserName +deviates .*the logon itself was accepted$/m],
  ])('agrees with the exporter about %s', async (_, part, fault, exit, line) => {
    const faulty = await startFaulty(cleanup);
    faulty.break(part, fault);
    const doctor = run(['doctor', `--config.file=${configure(faulty.url, 'x')}`]);
    expect([await doctor.exit, doctor.output()]).toEqual([exit, expect.stringMatching(line)]);
    expect(doctor.output()).toContain(
      exit === 0 ? '' : 'Not every endpoint gives an answer that license-exporter accepts.',
    );
  });

  it('does not call endpoints that are off', async () => {
    const faulty = await startFaulty(cleanup);
    const off = ['server-down', 'concurrent-users', 'features', 'expirations'].map((name) => `--poll.${name}=off`);
    const doctor = run(['doctor', `--config.file=${configure(faulty.url, 'x')}`, ...off]);
    expect(await doctor.exit).toBe(0);
    expect(doctor.output()).toMatch(
      /^GetServerDown +not asked +poll.server_down is off: servers that are down are not detected$/m,
    );
    expect([...new Set(faulty.seen.map((url) => /Get\w+/.exec(url)?.[0]))]).toEqual(['GetHttpUserName', 'GetProducts']);
  });

  it('names what it cannot reach, and what it did not check therefore', async () => {
    const file = configure('http://127.0.0.1:1/analyzer', 'x');
    const doctor = run(['doctor', `--config.file=${file}`]);
    expect(await doctor.exit).toBe(3);
    const [configuration, tcp, remedy, tls] = doctor.output().split('\n');
    expect(configuration).toBe(`✓ configuration  ${file}`);
    expect(tcp).toBe('✗ TCP            nothing listens on 127.0.0.1:1 (ECONNREFUSED)');
    expect(remedy).toBe(`${' '.repeat(17)}start the analyzer there, or correct host and port in analyzer.url`);
    expect(tls).toBe('– TLS            not checked, because TCP failed');
    expect(doctor.output()).toContain('✓ storage ');
    expect(doctor.output()).not.toContain('GetUsers');
    expect(doctor.output()).toContain('Correct TCP first, and run doctor again.\n');
  });

  it('reports every problem of the configuration, and the steps that need one', async () => {
    const file = configure('http://127.0.0.1:1/analyzer', 'x');
    appendFileSync(file, 'pol: {}\nlog: {level: loud}\n');
    const doctor = run(['doctor', '--json', `--config.file=${file}`]);
    expect(await doctor.exit).toBe(2);
    const { analyzer, healthy, steps, endpoints } = JSON.parse(doctor.output()) as Diagnosis;
    expect([analyzer, healthy, endpoints]).toEqual([null, false, []]);
    const [configuration, ...others] = steps;
    expect([configuration?.finding, ...(configuration?.remedy ?? [])]).toEqual([
      expect.stringMatching(/config\.yml:4: pol: unknown setting, did you mean poll\?$/),
      expect.stringMatching(/config\.yml:5: log\.level: /),
    ]);
    expect(new Set(others.map(({ result }) => result))).toEqual(new Set(['not checked']));
  });

  it('looks at the embedded analyzer with --demo, without any configuration', async () => {
    const doctor = run(['doctor', '--demo', '--json']);
    expect(await doctor.exit).toBe(0);
    const { healthy, identity, endpoints } = JSON.parse(doctor.output()) as Diagnosis;
    expect([healthy, identity]).toEqual([true, 'ANALYZER\\exporter']);
    expect(endpoints.map(({ endpoint }) => endpoint)).toEqual([...endpointNames]);
  });

  it('names what the source of an analyzer cannot know, which is no deviation', async () => {
    const doctor = run(['doctor', '--demo', '--json', '--embedded-analyzer.site.knowledge=flexnet']);
    expect(await doctor.exit).toBe(0);
    const { endpoints } = JSON.parse(doctor.output()) as Diagnosis;
    expect(endpoints.filter(({ result }) => result !== 'ok')).toEqual([]);
    const { unknown, missing } = endpoints.find(({ endpoint }) => endpoint === 'GetFeatures') ?? {};
    // in all records, and in those of features that nobody uses
    expect(unknown).toEqual(expect.arrayContaining(['UsedReserve', 'MaxQueued', 'ActiveUse', 'LicenseExpiration']));
    expect([unknown?.includes('InUse'), missing]).toEqual([false, []]);
  });
});
