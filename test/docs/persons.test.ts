import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import { setAside } from '../../src/base/storage/set-aside.ts';
import { openLogonDatabase } from '../../src/exporter/client/logon-database.ts';
import type { QueryClient } from '../../src/exporter/client/query-client.ts';
import { createLog } from '../../src/main.ts';
import { createUpstreamCache } from '../../src/site/grafana/answers/upstream-cache.ts';
import { PRODUCT, FEATURE as SIMULATED } from '../support/datasource-daemon.ts';
import {
  createCleanup,
  createClient,
  createConfig,
  createTestLog,
  eventually,
  startAnalyzer,
  startApp,
} from '../support/harness.ts';
import { readPage, root } from '../support/markdown.ts';
import {
  type Asking,
  filesIn,
  historyIn,
  licenseUsers,
  namesIn,
  type Person,
  type PersonsSite,
  startPersonsSite,
} from '../support/persons-site.ts';
import { createRunner } from '../support/run.ts';

/** The table of docs/persons.md: each row is held by a check, which names all settings and places of the row. */

const cleanup = createCleanup();
afterAll(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

let site: PersonsSite;
/** The sites whose sources hide names. */
const hiding: Record<'drop' | 'pseudonym', PersonsSite | undefined> = { drop: undefined, pseudonym: undefined };
let withoutPeople: PersonsSite;

const waiting = (page: string): boolean => /^license_people_blocked\{.*\} 1$/m.test(page);
const never = new AbortController().signal;

beforeAll(async () => {
  site = await startPersonsSite(cleanup);
  for (const names of ['drop', 'pseudonym'] as const) hiding[names] = await startPersonsSite(cleanup, {}, names);
  withoutPeople = await startPersonsSite(cleanup, { people: false });
  for (const { get } of [site, withoutPeople, hiding.drop, hiding.pseudonym].filter((one) => one !== undefined))
    await eventually('the first poll', async () => (await get('/-/ready')).startsWith('Ready'));
  await site.refuse(async () => waiting(await site.get('/metrics')));
});

const FEATURE = '/feature?vendor_license=27000%40lica%3Bflexd&feature=feature_1';
const ROWS = '/grafana/rows/users?product=%25&feature=%25';
/** What a reader without rights, or with these, is told everywhere. */
const PATHS = [
  '/',
  '/metrics',
  '/alerts',
  '/sources',
  '/sources/status.json',
  '/rightsizing',
  '/contracts',
  '/reclaim',
  '/runbooks',
  '/api/v1/alerts',
  '/api/v1/rules',
  '/api/v1/attention',
  '/api/v1/rightsizing',
  '/api/v1/contracts',
  '/expirations.csv',
  '/expirations.ics',
  '/vendor-license?name=27000%40lica%3Bflexd',
  FEATURE,
  ROWS,
  '/grafana/rows/features?product=%25',
  '/grafana/rows/attention',
] as const;
async function readBy(asking: Asking, paths: readonly string[] = PATHS): Promise<readonly Person[]> {
  return namesIn((await Promise.all(paths.map((path) => site.get(path, asking)))).join('\n'));
}

const storedIn = (folder: string) => namesIn(Object.values(filesIn(folder)).join('\n'));
const filesWith = (person: Person, { storage } = site): readonly string[] =>
  Object.entries(filesIn(storage)).flatMap(([name, text]) => (namesIn(text).includes(person) ? [name] : []));
/** The tables of the history with names of license users. */
const tablesOf = (one: PersonsSite | undefined): Readonly<Record<string, readonly Person[]>> =>
  Object.fromEntries(
    Object.entries(historyIn(one?.storage ?? ''))
      .map(([table, text]) => [table, namesIn(text)] as const)
      .filter(([, names]) => names.length > 0),
  );
const SEEN = 'names of license users served';

async function printedBy(args: readonly string[]): Promise<string> {
  const command = run(args);
  await command.exit;
  return command.output();
}

interface Check {
  /** The texts in code of the row, in order. */
  readonly proves: readonly string[];
  readonly holds: () => Promise<void>;
}

const checks: Readonly<Record<string, Check>> = {
  'user, host, display, time and handle of checkouts and queued requests; idle time; end of borrowing': {
    proves: [
      ...['observation', 'history.db', 'access.names', '/feature', '/grafana'],
      ...['users.names', 'drop', 'pseudonym'],
    ],
    holds: async () => {
      expect(tablesOf(site)).toEqual({ observation: ['held', 'queued', 'reserved', 'idle'] });
      expect(historyIn(site.storage)['observation']).toMatch(/idlewren[^}]*"status":\{[^}]*"seconds":9000/);
      expect(storedIn(site.storage).filter((one) => licenseUsers.includes(one))).toEqual([]);
      expect((await readBy({ as: 'nobody' })).filter((one) => licenseUsers.includes(one))).toEqual([]);
      for (const path of [FEATURE, ROWS]) {
        expect(await readBy({ as: 'sightlark' }, [path])).toEqual(expect.arrayContaining(['held', 'queued']));
      }
      const others = PATHS.filter((path) => path !== FEATURE && path !== ROWS);
      expect((await readBy({ as: 'sightlark' }, others)).filter((one) => licenseUsers.includes(one))).toEqual([]);
      expect([tablesOf(hiding.drop), tablesOf(hiding.pseudonym)]).toEqual([{}, {}]);

      const other = await startPersonsSite(cleanup);
      other.setDown();
      await other.collect();
      expect(tablesOf(other)['observation']).toContain('held');
      other.leave();
      await other.collect();
      expect(tablesOf(other)['observation']).not.toContain('held');
      expect(tablesOf(other)['observation']).not.toContain('queued');
    },
  },
  'the same, and full names, in answers of the analyzer': {
    proves: ['access.names', 'datasource.cache_ttl: 0s'],
    holds: async () => {
      const analyzer = await startAnalyzer();
      cleanup.add(() => analyzer.stop());
      const storage = temporaryFolder();
      const settings = { 'storage.path': storage, 'access.names': '*', 'datasource.cache_ttl': '0s' };
      const app = await startApp(createConfig(analyzer.url, settings));
      cleanup.add(() => app.stop());
      await eventually('the first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
      const answer = (await (await fetch(`${app.url}${ROWS}`)).json()) as {
        readonly rows: readonly { user: string }[];
      };
      const users = new Set(answer.rows.map(({ user }) => user));
      expect(users.size).toBeGreaterThan(2);
      const everywhere = [...Object.values(filesIn(storage)), await app.metrics(), JSON.stringify(app.log.entries)];
      expect([...users].filter((user) => everywhere.some((text) => text.includes(user)))).toEqual([]);

      await analyzer.stop();
      const failed = await fetch(`${app.url}${ROWS}&user=quillfeather`);
      expect(failed.ok).toBe(false);
      expect([await failed.text(), JSON.stringify(app.log.entries)].flatMap(namesIn)).toEqual([]);

      let [now, count] = [0, 0];
      const getUsers = async () => {
        count += 1;
        return [];
      };
      const cacheOf = (cacheTtl: number) =>
        createUpstreamCache({
          client: { getUsers } as unknown as QueryClient,
          connections: 2,
          cacheTtl,
          now: () => now,
        });
      const [kept, unkept] = [cacheOf(300), cacheOf(0)];
      for (const [cache, at, asked] of [
        [kept, 0, 1],
        [kept, 14, 1],
        [kept, 16, 2],
        [unkept, 16, 3],
        [unkept, 16, 4],
      ] as const) {
        now = at;
        await cache.ask('GetUsers', { product: 'p', feature: 'f' }, never);
        expect([at, count]).toEqual([at, asked]);
      }
    },
  },
  "the same in the embedded analyzer's GetUsers": {
    proves: ['embedded_analyzer.users_file', 'users.names'],
    holds: async () => {
      const analyzer = await startAnalyzer();
      cleanup.add(() => analyzer.stop());
      const { client } = createClient(analyzer.url);
      cleanup.add(() => client.close());
      const answer = await client.getUsers(
        { product: PRODUCT, feature: SIMULATED, format: 'sql', sortdatafield: 'Username' },
        never,
      );
      expect(JSON.stringify(answer)).toContain('userName');
      expect(tablesOf(hiding.drop)).toEqual({});
    },
  },
  'for whom licenses are reserved (JSON sources)': {
    proves: ['observation', 'history.db', 'users.names'],
    holds: async () => {
      expect(tablesOf(site)['observation']).toContain('reserved');
      for (const as of ['sightlark', 'fetchmoss']) expect(await readBy({ as })).not.toContain('reserved');
      expect([tablesOf(hiding.drop), tablesOf(hiding.pseudonym)]).toEqual([{}, {}]);
    },
  },
  'who holds what could come back': {
    proves: ['/reclaim', 'access.reclaim', 'people: off'],
    holds: async () => {
      expect(await readBy({ as: 'fetchmoss' }, ['/reclaim'])).toContain('idle');
      for (const as of ['nobody', 'sightlark']) expect(await readBy({ as }, ['/reclaim'])).not.toContain('idle');
      expect((await fetch(`${withoutPeople.url}/reclaim`, { headers: { 'x-user': 'fetchmoss' } })).status).toBe(404);
      expect(namesIn(await withoutPeople.get('/reclaim', { as: 'fetchmoss' }))).toEqual([]);
      // Works councils: names and idle times remain
      const rows = await withoutPeople.get(ROWS, { as: 'sightlark' });
      expect(namesIn(rows)).toEqual(expect.arrayContaining(['held', 'idle']));
      expect(rows).toMatch(/"application_for":\d/);
      expect(namesIn(await withoutPeople.get(FEATURE, { as: 'sightlark' }))).toContain('held');
    },
  },
  'who is refused a license': {
    proves: ['people: off'],
    holds: async () => {
      expect(waiting(await site.get('/metrics'))).toBe(true);
      for (const as of ['nobody', 'sightlark', 'fetchmoss']) expect(await readBy({ as })).not.toContain('denied');
      expect(Object.values(tablesOf(site)).flat()).not.toContain('denied');
      expect(filesWith('denied')).toEqual([]);
      expect(namesIn(site.logText())).not.toContain('denied');
      expect(await withoutPeople.get('/metrics')).not.toContain('license_people_blocked');
    },
  },
  'numbers of users, and of people who wait': {
    proves: [
      ...['license_concurrent_users', 'license_feature_distinct_users', 'license_vendor_license_distinct_users'],
      ...['license_people_blocked', 'license_reclaimable_licenses'],
      ...['open_sample', 'day_samples', 'imported_samples', 'day', 'own_hours', 'blocked_day', 'history.db'],
      'history export',
      ...['embedded_analyzer.retention.samples', 'embedded_analyzer.retention.history', 'people: off'],
    ],
    holds: async () => {
      const metrics = await site.get('/metrics', { as: 'nobody' });
      const ofUsers = ['license_feature_distinct_users', 'license_vendor_license_distinct_users'];
      const exposedIn = (text: string) => (name: string) => new RegExp(`^${name}[ {]`, 'm').test(text);
      const withPeople = [...ofUsers, 'license_people_blocked', 'license_reclaimable_licenses'];
      expect(withPeople.filter(exposedIn(metrics))).toEqual(withPeople);
      expect(exposedIn(metrics)('license_concurrent_users')).toBe(true);
      expect(withPeople.filter(exposedIn(await withoutPeople.get('/metrics')))).toEqual(ofUsers);
      const exported = await printedBy(['history', 'export', '--format=csv', `--config.file=${site.config}`]);
      expect(exported.split('\r\n')[0]?.split(',')).toContain('users');
      const localTime = createLocalTime('UTC');
      const store = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
      const series = { vendorLicense: 'a;b', feature: 'f', package: '', featureType: 'feature' };
      const waits = [{ cause: 'expired', ended: 'got', episodes: 1, seconds: 60, people: 1 }] as const;
      runAtOnce(store.addBlocked([[series, { day: 20_000, waits }]]));
      const daysOf = () => store.series().flatMap((one) => store.blocked(one, 19_000, 21_000));
      expect(daysOf()).toHaveLength(1);
      runAtOnce(store.prune(20_001, 20_001));
      expect(daysOf()).toEqual([]);
      store.close();
      const database = new DatabaseSync(join(site.storage, 'history.db'), { readOnly: true });
      const columns = (table: string) =>
        database
          .prepare(`PRAGMA table_info(${table})`)
          .all()
          .map(({ name }) => name);
      expect([columns('open_sample'), columns('day_samples'), columns('day'), columns('blocked_day')]).toEqual([
        expect.arrayContaining(['users']),
        expect.arrayContaining(['samples']),
        expect.arrayContaining(['users']),
        expect.arrayContaining(['people']),
      ]);
      database.close();
      // texts of the archive: none is a name of a person
      const schema = readFileSync(join(root, 'src/analyzer/archive/schema.ts'), 'utf8');
      const texts = [...schema.matchAll(/^\s*(\w+) text\b/gm)].map(([, name]) => name);
      expect(new Set(texts)).toEqual(
        new Set([
          ...['name', 'version', 'time_zone', 'history_of', 'vendor_license', 'feature', 'package', 'feature_type'],
          ...['origin', 'cause', 'ended'],
        ]),
      );
    },
  },
  'names in logs that are imported': {
    proves: ['import'],
    holds: async () => {
      const folder = temporaryFolder();
      const config = join(folder, 'c.yml');
      mkdirSync(join(folder, 'state'));
      const text = readFileSync(site.config, 'utf8').replace(site.storage, join(folder, 'state'));
      writeFileSync(config, text);
      expect(namesIn(readFileSync(site.debugLog, 'utf8'))).toEqual(['denied']);
      const printed = await printedBy(['import', site.debugLog, `--config.file=${config}`]);
      expect(printed).toContain('flexd');
      expect(namesIn(printed)).toEqual([]);
      expect(storedIn(join(folder, 'state'))).toEqual([]);
    },
  },
  'key of pseudonyms': {
    proves: ['pseudonym.key', 'datasource.pseudonym_key_file'],
    holds: async () => {
      const { pseudonym } = hiding;
      const key = filesIn(pseudonym?.storage ?? '')['pseudonym.key'] ?? '';
      expect(key.length).toBeGreaterThan(32);
      expect(`${await pseudonym?.get(ROWS, { as: 'sightlark' })}${pseudonym?.logText()}`).not.toContain(key);
      const file = join(temporaryFolder(), 'key');
      writeFileSync(file, 'a long random key of answers', { mode: 0o600 });
      const settings = { 'datasource.pseudonymise': true, 'datasource.pseudonym_key_file': file };
      const hashed = await startPersonsSite(cleanup, settings);
      await eventually('rows', async () => (await hashed.get(ROWS, { as: 'sightlark' })).includes('"licenses"'));
      const rows = await hashed.get(ROWS, { as: 'sightlark' });
      expect([namesIn(rows), rows.includes('random key')]).toEqual([[], false]);
    },
  },
  'who has seen names and prices': {
    proves: ['user', 'log.level: warn'],
    holds: async () => {
      await readBy({ as: 'sightlark' }, [FEATURE]);
      expect(site.log.entries).toContainEqual({
        level: 'info',
        message: SEEN,
        fields: { user: 'sightlark', page: '/feature', names: expect.any(Number) },
      });
      const lines: string[] = [];
      const log = createLog(
        { level: 'warn', format: 'json' },
        { isTerminal: false, write: (line) => lines.push(line) },
      );
      log.info({ user: 'sightlark' }, SEEN);
      expect(lines).toEqual([]);
    },
  },
  'users of the web config': {
    proves: [],
    holds: async () => {
      const authorization = `Basic ${Buffer.from('webkeeper:secret').toString('base64')}`;
      expect((await fetch(`${site.url}/`, { headers: { authorization } })).status).toBe(200);
      expect(namesIn(readFileSync(site.webConfig, 'utf8'))).toEqual(['webUser']);
      expect([filesWith('webUser'), namesIn(site.logText()).includes('webUser')]).toEqual([[], false]);
      expect(await readBy({ as: 'sightlark' })).not.toContain('webUser');
    },
  },
  'users and groups that a proxy names': {
    proves: [],
    holds: async () => {
      expect(await readBy({ as: 'nobody', groups: 'groupheath' }, [ROWS])).toContain('held');
      await readBy({ as: 'sightlark' });
      expect([...filesWith('proxyUser'), ...filesWith('group')]).toEqual([]);
      const others = site.log.entries.filter(({ message }) => message !== SEEN);
      expect(namesIn(JSON.stringify(others))).not.toContain('proxyUser');
      expect(namesIn(site.logText())).not.toContain('group');
    },
  },
  'addresses of clients': {
    proves: [],
    holds: async () => {
      await readBy({ as: 'sightlark', from: '127.0.0.9' });
      expect([filesWith('address'), namesIn(site.logText()).includes('address')]).toEqual([[], false]);
      expect(await readBy({ as: 'sightlark' })).not.toContain('address');
    },
  },
  'names of owners': {
    proves: ['alert-state.json', 'messages.json', 'owners'],
    holds: async () => {
      for (const path of ['/metrics', '/alerts', '/api/v1/alerts'])
        expect(await readBy({ as: 'nobody' }, [path])).toContain('owner');
      await eventually('both files', async () => filesWith('owner').length === 2);
      expect([...filesWith('owner')].sort()).toEqual(['alert-state.json', 'messages.json']);
    },
  },
  'addresses of mails': {
    proves: ['messages.json'],
    holds: async () => {
      const own = await startPersonsSite(cleanup);
      own.mail.answer('keep and cut');
      await eventually('a mail on its way', async () => filesWith('mail', own).join() === 'messages.json');
      expect(namesIn(own.logText())).not.toContain('mail');
      const said = await Promise.all(['/metrics', '/alerts', '/api/v1/alerts'].map((path) => own.get(path)));
      expect(namesIn(said.join())).not.toContain('mail');
      own.mail.refuseAddress((address) =>
        address.startsWith('lampwick') ? { code: 550, text: `5.1.1 <${address}> unknown` } : undefined,
      );
      own.mail.answer('accept');
      await eventually('a file without it', async () => filesWith('mail', own).length === 0);
      const withAddress = own.log.entries.filter((entry) => namesIn(JSON.stringify(entry)).includes('mail'));
      expect(withAddress.map(({ message }) => message)).toEqual(['address refused by the mail server']);
    },
  },
  'account of the analyzer': {
    proves: ['logons.db'],
    holds: async () => {
      const analyzer = await startAnalyzer();
      cleanup.add(() => analyzer.stop());
      const storage = temporaryFolder();
      const app = await startApp(createConfig(analyzer.url, { 'storage.path': storage }));
      await eventually('the first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
      await app.stop();
      const path = join(storage, 'logons.db');
      const accounts = (): readonly unknown[] => {
        const database = new DatabaseSync(path);
        const rows = database.prepare('SELECT DISTINCT account FROM logons').all();
        database.close();
        return rows.map(({ account }) => account);
      };
      expect(accounts()).toEqual(['corp\\svc-lic']);
      const database = new DatabaseSync(path);
      const days = (count: number): number => Date.now() - count * 86_400_000;
      for (const [account, at] of [
        ['of 29 days', days(29)],
        ['of 31 days', days(31)],
      ] as const)
        database.prepare('INSERT INTO logons VALUES (?, ?, ?, ?)').run(account, 'f', '{"messages":[]}', at);
      database.close();
      openLogonDatabase(path, '00').close();
      expect([...accounts()].sort()).toEqual(['corp\\svc-lic', 'of 29 days']);
    },
  },
  'accounts and addresses that ask the embedded analyzer': {
    proves: ['embedded_analyzer.users_file', 'request', 'logon refused', 'log.level: error'],
    holds: async () => {
      const folder = temporaryFolder();
      const hashing = run(['analyzer', 'hash-password', 'svc-lic'], { input: 'S3cret-pass!\n' });
      await hashing.exit;
      writeFileSync(join(folder, 'users'), hashing.output(), { mode: 0o600 });
      writeFileSync(join(folder, 'site.json'), '{"version": 1, "vendor_licenses": []}');
      for (const [command, serves, listening] of [
        ['analyzer', 'site: {vendor_licenses: 1, features: 2}', 'listening'],
        ['serve', 'sources: [{name: doc, manager: json, via: {file: site.json}}]', 'embedded analyzer listening'],
      ] as const) {
        const own = `listen_address: "127.0.0.1:0", domain: CORP, users_file: users, ${serves}`;
        const text = `embedded_analyzer: {${own}}\nweb: {listen_address: "127.0.0.1:0"}\nlog: {format: json}\n`;
        writeFileSync(join(folder, 'c.yml'), `${text}storage: {path: ${folder}/${command}}\n`);
        const daemon = run([command, `--config.file=${folder}/c.yml`]);
        const { address } = await daemon.line(listening);
        const clientOf = (username: string) => {
          const credentials = { username, domain: 'CORP', workstation: '', password: 'S3cret-pass!' };
          const { client } = createClient(String(address), { credentials });
          cleanup.add(() => client.close());
          return client;
        };
        await clientOf('svc-lic').getHttpUserName({}, never);
        await expect(clientOf('guesser').getHttpUserName({}, never)).rejects.toThrow();
        const line = { address: '127.0.0.1' };
        expect(await daemon.line('request')).toMatchObject({ ...line, level: 'info', user: 'CORP\\svc-lic' });
        expect(await daemon.line('logon refused')).toMatchObject({ ...line, level: 'warn', user: 'guesser' });
        daemon.stop();
        await daemon.exit;
      }
    },
  },
  'output of a license manager': {
    proves: ['capture', 'try-source', 'capture', 'try-source'],
    holds: async () => {
      const captured = await printedBy(['capture', 'cad', `--config.file=${site.config}`]);
      expect(captured).toContain('license-exporter capture 1');
      expect(namesIn(captured)).toEqual([]);
      const file = join(temporaryFolder(), 'lmstat.txt');
      writeFileSync(file, `${site.lmstat()}\n  quillfeather did what nobody understands\n`);
      expect(namesIn(await printedBy(['try-source', file]))).toEqual(['held']);
    },
  },
  copies: {
    proves: ['backup', 'storage.path', 'before-restore-TIME', 'NAME.damaged-DATE'],
    holds: async () => {
      const folder = temporaryFolder();
      const backup = join(folder, 'backup');
      await printedBy(['backup', backup, `--config.file=${site.config}`]);
      expect(namesIn(historyIn(backup)['observation'] ?? '')).toContain('held');
      const state = join(folder, 'state');
      mkdirSync(state);
      copyFileSync(join(backup, 'history.db'), join(state, 'history.db'));
      const config = join(folder, 'c.yml');
      writeFileSync(config, readFileSync(site.config, 'utf8').replace(site.storage, state));
      await printedBy(['restore', backup, `--config.file=${config}`]);
      const before = readdirSync(state).find((name) => name.startsWith('before-restore-')) ?? '';
      expect(namesIn(historyIn(join(state, before))['observation'] ?? '')).toContain('held');
      setAside({ path: join(state, 'history.db'), reason: 'test', lost: 'nothing' }, createTestLog());
      expect(readdirSync(state)).toContainEqual(expect.stringMatching(/^history\.db\.damaged-/));
    },
  },
};

/** The cells of each row, by the datum. */
const rows = new Map(
  (/\| datum \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(readPage('docs/persons.md'))?.[1] ?? '')
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, datum = '', ...cells]) => [datum, cells.join(' ')] as const),
);

describe('personal data', () => {
  it('has a check for each row, and a row for each check', () => {
    expect([...rows.keys()]).toEqual(Object.keys(checks));
  });

  it.each(Object.entries(checks))('%s: as the page says', async (datum, { proves, holds }) => {
    const named = [...(rows.get(datum) ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(named).toEqual(proves);
    await holds();
  });
});
