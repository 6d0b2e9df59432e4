import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { QueryClient } from '../../../src/exporter/client/query-client.ts';
import { connectTo, logOn } from '../../support/connection.ts';
import { createCleanup, createClient, eventually } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

const never = new AbortController().signal;
const HISTORY_PROBLEM = 'the embedded analyzer cannot use its history, only the live endpoints work';
const PASSWORD = 'pässword & Co';

/** The line of a user, as the program prints it. */
async function hash(name: string, password = PASSWORD): Promise<string> {
  const hashing = run(['analyzer', 'hash-password', name], { input: `${password}\nignored\n` });
  expect(await hashing.exit).toBe(0);
  return hashing.output();
}

interface Place {
  readonly folder: string;
  readonly usersFile: string;
  readonly args: readonly string[];
}

async function prepare(): Promise<Place> {
  const folder = temporaryFolder();
  const usersFile = join(folder, 'users');
  writeFileSync(usersFile, `# who may ask\n\n${await hash('svc')}`, { mode: 0o600 });
  const config = join(folder, 'config.yml');
  writeFileSync(
    config,
    `embedded_analyzer:
  listen_address: 127.0.0.1:0
  domain: CORP
  users_file: users
  site: {vendor_licenses: 3, features: 10, history_days: 20}
storage: {path: ${folder}/state}
log: {format: json}
`,
  );
  return { folder, usersFile, args: ['analyzer', `--config.file=${config}`] };
}

function clientOf(url: string, username = 'svc', password = PASSWORD): QueryClient {
  const credentials = { username, domain: 'CORP', workstation: '', password };
  // no test of this file is about a timeout: one run in CI took longer than the 10 s of other tests
  const { client } = createClient(url, { credentials, timeout: 300 });
  cleanup.add(() => client.close());
  return client;
}

describe('analyzer', () => {
  it.each(['analyzer', 'demo'])('says in a sentence that the port is taken for %s', async (command) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    cleanup.add(() => taken.close());
    const { port } = taken.address() as AddressInfo;
    const { args } = await prepare();
    const second = run([command, ...args.slice(1), `--embedded-analyzer.listen-address=127.0.0.1:${port}`]);
    expect(await second.exit).toBe(1);
    expect(second.output().split('\n').slice(-2)).toEqual([
      `the analyzer cannot listen on 127.0.0.1:${port}: the address is in use; set embedded_analyzer.listen_address`,
      '',
    ]);
    expect(second.output()).not.toMatch(/^\s+at /m);
  });

  it('serves the Query API alone, writes who asked what, and keeps its history over a restart', async () => {
    const { folder, args } = await prepare();
    const first = run(args);
    const { address } = await first.line('listening');
    const client = clientOf(String(address));
    expect(await client.getHttpUserName({}, never)).toBe('CORP\\svc');
    const { records: products } = await client.getProducts({}, never);
    expect(products).toHaveLength(3);
    const whose = { product: products[0]?.product ?? '', feature: '%' };
    const days = async (of: QueryClient): Promise<number[]> => [...((await of.getHistory(whose, never))[0]?.at ?? [])];
    await eventually('20 days of the past', async () => (await days(client)).length === 21);
    const { user, method, path, status, bytes } = await first.line('request');
    expect([user, method, path, status]).toEqual(['CORP\\svc', 'GET', '/analyzer/api/GetHttpUserName', 200]);
    expect(bytes).toBe(8);
    const before = await days(client);
    first.stop();
    expect(await first.exit).toBe(0);
    // closed: nothing else is left of the history
    expect(readdirSync(join(folder, 'state')).sort()).toEqual(['history.db', 'lock.db']);

    const second = run(args);
    const again = await second.line('listening');
    expect(await days(clientOf(String(again.address)))).toEqual(before);
    expect(second.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('reads its users again on a reload, and keeps them when the file is bad', async () => {
    const { usersFile, args } = await prepare();
    const analyzer = run(args);
    const { address } = await analyzer.line('listening');
    const url = String(address);
    await expect(clientOf(url, 'new').getHttpUserName({}, never)).rejects.toMatchObject({ kind: 'auth' });
    const refused = await analyzer.line('logon refused');
    expect(refused).toMatchObject({
      level: 'warn',
      user: 'new',
      address: '127.0.0.1',
      count: 1,
      reasons: { 'unknown-user': 1 },
    });
    const good = readFileSync(usersFile, 'utf8');
    writeFileSync(usersFile, `${good}${await hash('New')}`);
    analyzer.reload();
    expect((await analyzer.line('configuration reloaded')).users).toBe(2);
    // the identity is what the client calls itself
    expect(await clientOf(url, 'new').getHttpUserName({}, never)).toBe('CORP\\new');

    writeFileSync(usersFile, `${good}nonsense\n`);
    analyzer.reload();
    const { reason } = await analyzer.line('configuration not reloaded, the old one is kept');
    expect(reason).toContain(`${usersFile}:4: embedded_analyzer.users_file: is not in the form name:nt-hash`);
    expect(reason).not.toContain('nonsense');
    expect(await clientOf(url, 'new').getHttpUserName({}, never)).toBe('CORP\\new');
    expect(analyzer.output()).not.toContain(PASSWORD);

    const wrong = () => clientOf(url, 'new', 'wrong').getHttpUserName({}, never);
    for (let i = 0; i < 2; i += 1) await expect(wrong()).rejects.toMatchObject({ kind: 'auth' });
    analyzer.stop();
    expect(await analyzer.exit).toBe(0);
    // within a minute of the line before, so they wait for the end
    const lines = analyzer.lines.filter(({ msg }) => msg === 'logon refused');
    expect(lines.map(({ count, reasons }) => [count, reasons])).toEqual([
      [1, { 'unknown-user': 1 }],
      [2, { 'bad-password': 2 }],
    ]);
  });

  it('speaks HTTPS with a certificate', async () => {
    const { folder, args } = await prepare();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], { stdio: 'ignore' });
    const tls = [`--embedded-analyzer.tls.cert-file=${cert}`, `--embedded-analyzer.tls.key-file=${key}`];
    const analyzer = run([...args, ...tls, '--embedded-analyzer.channel-binding=require']);
    const { address } = await analyzer.line('listening');
    expect(address).toMatch(/^https:/);
    const unbound = connectTo(String(address));
    cleanup.add(() => unbound.close());
    expect((await logOn(unbound, '/analyzer/api/GetHttpUserName', PASSWORD)).status).toBe(401);
    expect((await analyzer.line('logon refused')).reasons).toEqual({ 'channel-binding': 1 });
    const doctor = run(
      [
        'doctor',
        `--analyzer.url=${address}`,
        '--analyzer.username=CORP\\svc',
        '--analyzer.tls.ca-file',
        cert,
        '--analyzer.tls.server-name=localhost',
      ],
      {
        env: { LICENSE_EXPORTER_ANALYZER_PASSWORD: PASSWORD },
      },
    );
    expect(await doctor.exit).toBe(0);
    expect(doctor.output()).toContain('logon     CORP\\svc');
  });

  it('goes on without history when its storage path cannot be used, and says why', async () => {
    const { folder, args } = await prepare();
    writeFileSync(join(folder, 'occupied'), '');
    const analyzer = run([...args, `--storage.path=${folder}/occupied`]);
    const { address } = await analyzer.line('listening');
    const { reason } = await analyzer.line(HISTORY_PROBLEM);
    expect(reason).toBe(
      `the history store (${folder}/occupied/history.db): it cannot be opened; the directory must exist and be writable`,
    );
    const client = clientOf(String(address));
    const { records } = await client.getProducts({}, never);
    expect(records).toHaveLength(3);
    const asked = client.getHistory({ product: '%', feature: '%' }, never);
    await expect(asked).rejects.toMatchObject({ kind: 'status', code: '500' });
  });

  it('is refused when another process has its storage path', async () => {
    const { folder, args } = await prepare();
    const first = run(args);
    await first.line('listening');
    const second = run(args);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(
      `storage.path ${folder}/state is used by another process; stop it, or set a different storage.path for each process`,
    );
  });

  it('goes on without recording when its store is full', async () => {
    const { folder, args } = await prepare();
    const analyzer = run([...args, '--embedded-analyzer.store-max-size=128KiB']);
    const { address } = await analyzer.line('listening');
    const { reason } = await analyzer.line(HISTORY_PROBLEM);
    expect(reason).toContain('the disk, or embedded_analyzer.store_max_size, is full');
    const client = clientOf(String(address));
    // what is recorded can be read
    const [trend] = await client.getHistory({ product: '%', feature: '%' }, never);
    expect(trend?.at.length).toBeGreaterThan(0);
    expect((await client.getFeatures({ product: '%' }, never)).records.length).toBeGreaterThan(0);
    expect(statSync(join(folder, 'state/history.db')).size).toBeLessThanOrEqual(128 * 1024);
  });
});
