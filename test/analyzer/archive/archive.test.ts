import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Archive } from '../../../src/analyzer/archive/archiving.ts';
import { connectArchive } from '../../../src/analyzer/archive/connection.ts';
import type { ExchangeOptions } from '../../../src/analyzer/archive/exchange.ts';
import { blockedColumns, dayColumns, hourColumns } from '../../../src/analyzer/archive/rows.ts';
import { prepareSchema } from '../../../src/analyzer/archive/schema.ts';
import type { Sample, Series } from '../../../src/analyzer/history/sample.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createLocalTime, dateText } from '../../../src/base/model/local-time.ts';
import { UNCOUNTED } from '../../../src/base/model/uncounted.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { archivableOf, exchangeOnce, exchangeOptions } from '../../support/archive-peer.ts';
import { createCertificate } from '../../support/certificate.ts';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { type Postgresql, startPostgresql } from '../../support/start-postgresql.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const shared = createCleanup();
afterAll(() => shared.run());

const localTime = createLocalTime('UTC');
const ORIGIN = 'license managers';
const DAY = 20_000;
const cad: Series = { vendorLicense: 'lic1;vend', feature: 'cad', package: '', featureType: 'feature' };
const odd: Series = { vendorLicense: 'lic1;vend', feature: 'a "b" {c}, \\d\ne', package: "p'", featureType: 'ü' };

const sample = (day: number, hour: number, changes: Partial<Sample> = {}): Sample => ({
  at: localTime.startOf(day) + hour * 3600,
  seconds: 3600,
  available: 10,
  inUse: hour % 7,
  reserved: 1,
  users: 2,
  denials: hour === 9 ? 3 : 0,
  ...changes,
});
const wholeDay = (day: number, changes: Partial<Sample> = {}): readonly Sample[] =>
  Array.from({ length: 24 }, (_, hour) => sample(day, hour, changes));

/** A history with some sealed days. */
function openHistory(isArchived: boolean | undefined = true, path?: string): Store {
  const store = openStore({ path, localTime, origin: ORIGIN, maxSize: 2 ** 30, isArchived });
  runAtOnce(store.seal(DAY + 10));
  return store;
}
const fill = (store: Store, series: Series, day: number, changes: Partial<Sample> = {}): void =>
  runAtOnce(store.add([{ series, day, samples: wholeDay(day, changes) }], ['past', 'x']));

const known = (store: Store) =>
  [...store.series()]
    .sort((a, b) => (a.feature < b.feature ? -1 : 1))
    .map((one) => ({
      feature: one.feature,
      totals: store.sealedTotals(one),
      hours: store.sealedHours(one, DAY, DAY + 10),
      imported: store.imported(one).map(({ form, first, last }) => ({ form, first, last })),
    }));

describe.runIf(peer('postgres', 'initdb', 'psql', 'openssl'))('an archive in PostgreSQL', () => {
  let archive: Postgresql;
  beforeAll(async () => {
    archive = await startPostgresql(shared);
  });

  const exchange = (name: string, store: Store, options: Partial<ExchangeOptions> = {}) =>
    exchangeOnce({ ...exchangeOptions(archive, name), ...options }, { store, localTime, origin: ORIGIN });

  it('gives a new disk all that it has: figures, hours and origins', async () => {
    const store = openHistory();
    fill(store, cad, DAY);
    fill(store, cad, DAY + 1, { inUse: undefined, denials: undefined });
    fill(store, odd, DAY + 1, { available: UNCOUNTED });
    const log = { key: 'a', form: 'FlexNet debug log', name: 'a.log', at: 0, seconds: 0, asOfNow: false };
    const logged = wholeDay(DAY + 2, { available: undefined, whole: { peak: 9, licenseSeconds: 5000 } });
    const sums = { key: 'b', form: 'Query API', name: 'other', at: 0, seconds: 86_400, asOfNow: false };
    const unknown = { available: undefined, reserved: undefined, users: undefined, denials: 4, inUse: undefined };
    const sum = sample(DAY + 3, 0, { ...unknown, seconds: 86_400, whole: { peak: 7, licenseSeconds: 9000 } });
    runAtOnce(store.import([{ series: cad, day: DAY + 2, samples: logged }], log));
    runAtOnce(store.import([{ series: cad, day: DAY + 3, samples: [sum] }], sums));
    expect(await exchange('whole', store)).toEqual({ taken: 0, given: 5 });
    // what was given need not come back, and is given once
    expect(await exchange('whole', store)).toEqual({ taken: 0, given: 0 });

    const replaced = openHistory();
    expect(await exchange('whole', replaced)).toEqual({ taken: 5, given: 0 });
    expect(known(replaced)).toEqual(known(store));
    expect(replaced.archive?.waiting()).toBe(0);
    expect(await exchange('another site', openHistory())).toEqual({ taken: 0, given: 0 });
  });

  it('has plain columns for other programs', async () => {
    const store = openHistory();
    fill(store, cad, DAY);
    fill(store, odd, DAY, { available: UNCOUNTED });
    await exchange('columns', store);
    const of = `FROM license_exporter.series JOIN license_exporter.analyzer a ON a.id = analyzer AND name = 'columns'`;
    const days = `SELECT feature, day, origin, seconds, peak, peak_at AT TIME ZONE 'UTC', license_seconds, denials, available,
      uncounted, reserved, users ${of} JOIN license_exporter.day ON day.series = series.id ORDER BY feature DESC`;
    expect(archive.query(days).split('\n').slice(0, 1)).toEqual([
      'cad|2024-10-04|live|86400|6|2024-10-04 06:00:00|237600|3|10|f|1|2',
    ]);
    expect(
      archive.query(
        `SELECT uncounted, available IS NULL ${of} AND package = 'p''' JOIN license_exporter.day ON day.series = series.id`,
      ),
    ).toBe('t|t');
    const hours = `SELECT hour, at AT TIME ZONE 'UTC', origin, hour.seconds, peak, license_seconds, denials, available, reserved
      ${of} AND feature = 'cad' JOIN license_exporter.hour ON hour.series = series.id WHERE hour = 9`;
    expect(archive.query(hours)).toBe('9|2024-10-04 09:00:00|live|3600|2|7200|3|10|1');
  });

  it('keeps samples of a day that it does not change, and drops those of a day that it completes', async () => {
    const [one, other] = [openHistory(), openHistory()];
    fill(one, cad, DAY);
    fill(other, cad, DAY, { inUse: 9 });
    runAtOnce(other.add([{ series: cad, day: DAY + 1, samples: [sample(DAY + 1, 3)] }], ['past', 'x']));
    runAtOnce(one.add([{ series: cad, day: DAY + 1, samples: [sample(DAY + 1, 4)] }], ['past', 'x']));
    await exchange('pair', one);
    await exchange('pair', other);
    const [stored] = one.series();
    expect(stored && one.read(stored, DAY)).toHaveProperty('samples');
    await exchange('pair', one);
    expect(known(one)).toEqual(known(other));
    expect(stored && one.read(stored, DAY)).toHaveProperty('samples');
    expect(stored && one.read(stored, DAY + 1)).toMatchObject({ hours: [{ index: 3 }, { index: 4 }] });
  });

  it('gets the days again when it is another one, or one that was restored', async () => {
    const store = openHistory();
    fill(store, cad, DAY);
    await exchange('restored', store);
    archive.query('CREATE SCHEMA second AUTHORIZATION licenses');
    expect(await exchange('restored', store, { schema: 'second' })).toEqual({ taken: 0, given: 1 });
    expect(await exchange('restored', store)).toEqual({ taken: 1, given: 1 });
    archive.query(`DELETE FROM license_exporter.day WHERE series IN (SELECT series.id FROM license_exporter.series
      JOIN license_exporter.analyzer a ON a.id = analyzer WHERE name = 'restored');
      UPDATE license_exporter.analyzer SET change = 0 WHERE name = 'restored'`);
    expect(await exchange('restored', store)).toEqual({ taken: 0, given: 1 });
    const [stored] = store.series();
    expect(stored && store.read(stored, DAY)).toHaveProperty('samples');
  });

  it('gets all days when it is configured again, and a history without it marks none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-archive-'));
    cleanup.add(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'history.db');
    const reopen = (isArchived: boolean | undefined, day: number, series = cad): Store => {
      const store = openHistory(isArchived, path);
      fill(store, series, day);
      return store;
    };
    const first = reopen(true, DAY);
    await exchange('again', first);
    first.close();
    reopen(false, DAY + 1).close();
    const store = reopen(true, DAY + 2);
    cleanup.add(() => store.close());
    expect(store.archive?.waiting()).toBe(1);
    expect(await exchange('again', store)).toEqual({ taken: 1, given: 3 });
    expect(await exchange('again', openHistory())).toEqual({ taken: 3, given: 0 });
  });

  it('waits with days that are not over here, and with those that are forgotten', async () => {
    const store = openHistory();
    fill(store, cad, DAY);
    fill(store, cad, DAY + 9);
    await exchange('tomorrow', store);
    const late = openStore({ path: undefined, localTime, origin: ORIGIN, maxSize: 2 ** 30, isArchived: true });
    runAtOnce(late.seal(DAY + 9));
    const options = exchangeOptions(archive, 'tomorrow');
    await exchangeOnce(options, { store: late, localTime, origin: ORIGIN, firstDay: DAY + 1 });
    expect(known(late).flatMap(({ totals }) => totals)).toEqual([]);
    // keeps the series of which only the archive knows
    runAtOnce(late.prune(DAY + 1, DAY + 1));
    runAtOnce(late.seal(DAY + 10));
    await exchangeOnce(options, { store: late, localTime, origin: ORIGIN, firstDay: DAY + 1 });
    expect(known(late).flatMap(({ totals }) => totals.map(({ day }) => day))).toEqual([DAY + 9]);
  });

  it('gives thousands of days page by page, also after interruptions, to a new disk and to one that follows', async () => {
    const [store, following, replaced] = [openHistory(), openHistory(), openHistory()];
    fill(store, cad, DAY);
    await exchange('pages', store);
    await exchange('pages', following);
    const days = Array.from({ length: 1200 }, (_, i) => DAY - 1 - i);
    for (const series of [cad, odd])
      runAtOnce(
        store.add(
          days.map((day) => ({ series, day, samples: [sample(day, day % 24)] })),
          ['past', 'x'],
        ),
      );
    expect(await exchange('pages', store)).toEqual({ taken: 0, given: 2400 });
    const options = exchangeOptions(archive, 'pages');
    for (const other of [following, replaced]) {
      for (const fault of [{ write: 2 }, { query: 5 }])
        await expect(exchangeOnce(options, { store: other, localTime, origin: ORIGIN }, fault)).rejects.toThrow();
      const { taken } = await exchange('pages', other);
      // what the first attempts have taken is not taken again
      expect(taken).toBeGreaterThan(0);
      expect(taken).toBeLessThan(1500);
      const of = (one: Store) => known(one).map(({ totals }) => totals);
      expect(of(other)).toEqual(of(store));
    }
  });

  it('has the columns that are documented', async () => {
    await exchange('schema', openHistory());
    const columns = (table: string): string =>
      archive.query(`SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'license_exporter'
        AND table_name = '${table}' ORDER BY ordinal_position`);
    const shown = { timestamptz: 'timestamp with time zone' } as Readonly<Record<string, string>>;
    const listed = (documented: Readonly<Record<string, { readonly type: string }>>): string =>
      Object.entries(documented)
        .map(([name, { type }]) => `${name}|${shown[type] ?? type}`)
        .join('\n');
    expect(columns('day')).toBe(listed(dayColumns));
    expect(columns('hour')).toBe(listed(hourColumns));
    expect(columns('blocked_day')).toBe(listed(blockedColumns));
  });

  it('is made once by several that begin at the same time', async () => {
    archive.query('CREATE SCHEMA twice AUTHORIZATION licenses');
    const stores = Array.from({ length: 4 }, () => openHistory());
    for (const store of stores) fill(store, cad, DAY);
    await Promise.all(stores.map((store, i) => exchange(`twin ${i % 2}`, store, { schema: 'twice' })));
    expect(archive.query('SELECT version FROM twice.archive')).toBe('2');
    expect(archive.query('SELECT count(*) FROM twice.day')).toBe('2');
  });

  it('answers the example of the documentation, and a question about hours, to a reader', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/history.md'), 'utf8');
    const [admin = '', reader = '', example = '', ...others] = [...page.matchAll(/^```sql\n([^`]+)```$/gm)].map(
      ([, sql = '']) => sql,
    );
    expect(others).toEqual([]);
    // an administrator makes the user and the database; here they exist already
    expect(admin).toMatch(/^CREATE USER licenses PASSWORD 'change me';\nCREATE DATABASE monitoring OWNER licenses;\n$/);
    archive.query(reader);
    const store = openHistory();
    fill(store, cad, DAY);
    const current = Math.floor(Date.now() / 86_400_000) - 3;
    runAtOnce(store.seal(current + 1));
    fill(store, cad, current);
    await exchange('examples', store);
    // other tests have analyzers too
    const ask = (sql: string): readonly string[] => archive.query(`SET ROLE reader;\n${sql}`).split('\n');
    expect(ask(example)).toContain('examples|lic1;vend|cad|10|6|3|1');
    const hours = ask(`SELECT a.name, date_trunc('month', h.day)::date, round(sum(h.license_seconds) / 3600),
        round(sum(h.license_seconds) FILTER (WHERE h.hour BETWEEN 8 AND 17) / 3600)
      FROM license_exporter.analyzer a
      JOIN license_exporter.series s ON s.analyzer = a.id
      JOIN license_exporter.hour h ON h.series = s.id
      GROUP BY a.name, h.day`);
    expect(hours).toContain(`examples|${dateText(DAY).slice(0, 7)}-01|66|27`);
  });

  /** Exchanges an empty history in the background, until the test ends. */
  function startArchiving(
    name: string,
    options: Partial<ExchangeOptions> = {},
    onProblem: (error: unknown) => void = () => undefined,
  ): Archive {
    const told = { onProblem, onRecovery: () => undefined, onExchanged: () => undefined };
    const all = { ...exchangeOptions(archive, name), ...options, ...told, now: () => Date.now() / 1000 };
    const used = new Archive(all, archivableOf({ store: openHistory(), localTime, origin: ORIGIN }));
    cleanup.add(() => used.stop());
    used.start();
    return used;
  }

  /** Why an archive cannot be used. */
  async function problemOf(options: Partial<ExchangeOptions>, name = 'problem'): Promise<string> {
    const problems: unknown[] = [];
    const used = startArchiving(name, options, (error) => void problems.push(error));
    await eventually(
      'a problem',
      () => used.health().problem !== undefined || used.health().lastSuccessAt !== undefined,
    );
    expect(problems).toHaveLength(used.health().problem === undefined ? 0 : 1);
    return used.health().problem ?? '';
  }

  it('says why it cannot be used, and what to do', async () => {
    expect(await problemOf({ password: () => 'wrong' })).toBe(
      'the archive rejects the password of licenses; correct storage.archive.password_file',
    );
    expect(await problemOf({ password: () => undefined })).toBe(
      'the archive requires a password; set storage.archive.password_file',
    );
    expect(await problemOf({ database: 'none' })).toBe(
      'there is no database none; create it, or correct storage.archive.url',
    );
    expect(await problemOf({ schema: 'forbidden' })).toBe(
      'licenses may not do that in the schema forbidden; let an administrator run: CREATE SCHEMA forbidden AUTHORIZATION licenses',
    );
    expect(await problemOf({ port: 9 })).toMatch(
      /^nothing listens on 127\.0\.0\.1:9 \(ECONNREFUSED\); start the archive/,
    );
    expect(await problemOf({ host: 'no-such-host.invalid' })).toMatch(/storage\.archive\.url/);
    const tls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false };
    expect(await problemOf({ tls })).toBe(
      'the archive has no TLS; enable it there, or add ?sslmode=disable to storage.archive.url',
    );
    archive.query('CREATE SCHEMA newer AUTHORIZATION licenses');
    await exchange('problem', openHistory(), { schema: 'newer' });
    archive.query('UPDATE newer.archive SET version = 99');
    expect(await problemOf({ schema: 'newer' })).toBe(
      'the schema newer was made by a newer version of license-exporter; use that version, or set another storage.archive.schema',
    );
    archive.query(
      'CREATE SCHEMA other AUTHORIZATION licenses; CREATE TABLE other.archive (version integer); GRANT ALL ON other.archive TO licenses',
    );
    expect(await problemOf({ schema: 'other' })).toBe(
      'the schema other has other tables of these names; set another storage.archive.schema',
    );
  });

  it('does not mix the history of two time zones or origins', async () => {
    await exchange('mixed', openHistory());
    archive.query(`UPDATE license_exporter.analyzer SET time_zone = 'Europe/Berlin' WHERE name = 'mixed'`);
    expect(await problemOf({}, 'mixed')).toBe(
      'the archive has the days of this analyzer in the time zone Europe/Berlin, not UTC; change embedded_analyzer.time_zone back, or set another analyzer.name',
    );
    archive.query(
      `UPDATE license_exporter.analyzer SET time_zone = 'UTC', history_of = 'a simulated site' WHERE name = 'mixed'`,
    );
    expect(await problemOf({}, 'mixed')).toBe(
      'under this name the archive has history of a simulated site, not of license managers; set another analyzer.name',
    );
  });

  it('is left at once when the program stops, also while it does not answer', async () => {
    const blocker = await connectArchive(exchangeOptions(archive, 'stuck'));
    await prepareSchema(blocker, exchangeOptions(archive, 'stuck'));
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE schema.analyzer');
    const used = startArchiving('stuck');
    await eventually(
      'a query that waits',
      () => archive.query(`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`) === '1',
    );
    await used.stop();
    blocker.close();
    expect(used.health().problem).toBeUndefined();
  });

  it('is left at once when the program stops, also while nothing answers an attempt to connect', async () => {
    // the attempt never times out
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    cleanup.add(() => vi.useRealTimers());
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => silent.close());
    const connected = new Promise<Socket>((resolve) => silent.once('connection', resolve));
    const used = startArchiving('silent', { port: (silent.address() as AddressInfo).port });
    const socket = await connected;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume();
    await used.stop();
    await closed;
    expect(used.health().problem).toBeUndefined();
  });

  it('serves the program over TLS; while it is down, only a gauge and an alert tell', async () => {
    const certificate = createCertificate(cleanup);
    const database = await startPostgresql(cleanup, certificate);
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-archive-'));
    cleanup.add(() => rmSync(folder, { recursive: true }));
    const features = [{ feature: 'cad', count: 20, in_use: 7, expires: 'permanent' }];
    const document = { version: 1, vendor_licenses: [{ server: 'lic1', daemon: 'vend', features }] };
    writeFileSync(join(folder, 'observations.json'), JSON.stringify(document));
    await database.stop();
    const app = await startCollectingApp(
      cleanup,
      [{ name: 'lic1', manager: 'json', via: { file: join(folder, 'observations.json') } }],
      {
        'analyzer.name': 'a site',
        'storage.archive.url': `${database.url}?sslmode=verify-full`,
        'storage.archive.password_file': database.passwordFile,
        'storage.archive.tls.ca_file': certificate.certFile,
      },
    );
    await eventually('a failed exchange', async () => (await app.sample('license_history_archive_up')) === 0);
    expect(await app.sample('license_history_archive_last_success_timestamp_seconds')).toBeUndefined();
    await eventually('its features', async () =>
      /^license_feature_in_use\{.*feature="cad".*\} 7$/m.test(await app.metrics()),
    );
    expect(await (await fetch(`${app.url}/sources`)).text()).toContain('nothing listens on');
    await database.start();
    await eventually('an exchange', async () => (await app.sample('license_history_archive_up')) === 1);
    expect(await app.sample('license_history_archive_waiting_days')).toBe(0);
    expect(database.query('SELECT name, time_zone, history_of FROM license_exporter.analyzer')).toBe(
      'a site|UTC|license managers',
    );
    expect(
      database.query(
        "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND usename = 'licenses'",
      ),
    ).toMatch(/[01]/);
    expect(JSON.stringify(app.log.entries)).not.toContain(database.password);
  });
});
