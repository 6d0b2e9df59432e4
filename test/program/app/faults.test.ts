import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { FailureKind } from '../../../src/base/model/failure.ts';
import { quickEngine } from '../../support/end-to-end.ts';
import { startFakeAlertmanager } from '../../support/fake-alertmanager.ts';
import { type Fault, json, startFaulty, status } from '../../support/faulty-analyzer.ts';
import { account, createCleanup, createConfig, eventually, startApp } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

/** How the exporter handles a faulty analyzer: failures are counted, the last good data is kept for a limited time, and polling recovers. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

const everySecond = {
  'poll.products': '* * * * * *',
  'poll.server_down': '* * * * * *',
  'poll.concurrent_users': '* * * * * *',
  'poll.features': '* * * * * *',
};

describe('a faulty analyzer', () => {
  const faults: [string, Fault, FailureKind][] = [
    ['500', status(500), 'status'],
    ['403', status(403), 'status'],
    ['404', status(404), 'status'],
    ['HTML instead of JSON', json('<!doctype html><title>Sign in</title>'), 'parse'],
    ['an empty answer', json(''), 'parse'],
    ['truncated JSON', (_, response, body) => response.end(body.subarray(0, body.length - 20)), 'parse'],
    ['an object instead of an array', json('{"error": "no"}'), 'schema'],
    ['null', json('null'), 'schema'],
    [
      'half a body',
      (_, response, body) => {
        response.writeHead(200, { 'content-length': body.length });
        response.write(body.subarray(0, 20), () => response.destroy());
      },
      'connect',
    ],
    ['a reset', (request) => request.socket.resetAndDestroy(), 'connect'],
    ['no answer', () => undefined, 'timeout'],
    [
      'a trickle',
      (_, response, body) => {
        response.writeHead(200, { 'content-length': body.length });
        let at = 0;
        const timer = setInterval(() => response.write(body.subarray(at, ++at)), 50);
        response.on('close', () => clearInterval(timer));
      },
      'timeout',
    ],
    ['too large an answer', json(`[${'{"Product":"x"},'.repeat(100_000)}{}]`), 'too_large'],
  ];

  it.each(faults)('counts %s', async (_, fault, kind) => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetProducts', fault);
    const app = await startApp(
      createConfig(faulty.url, {
        // other answers have the same: a machine under load needs longer for one than for none
        'analyzer.timeout': kind === 'timeout' ? '4s' : '1m',
        'analyzer.max_response_size': '1MB',
        // only the first poll: at a full minute, the schedule would add a second one
        'poll.products': '0 0 1 1 *',
      }),
    );
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const failures = (await app.metrics())
      .split('\n')
      .filter((line) => line.startsWith('license_exporter_upstream_request_failures_total{endpoint="GetProducts"'));
    expect(failures.filter((line) => !line.endsWith(' 0'))).toEqual([
      `license_exporter_upstream_request_failures_total{endpoint="GetProducts",reason="${kind}"} 1`,
    ]);
    expect(await app.sample('license_up')).toBe(0);
    expect(await app.sample('license_poll_success{endpoint="GetProducts"}')).toBe(0);
    expect(await app.sample('license_poll_success{endpoint="GetConcurrentUsers"}')).toBe(1);
    expect(await app.metrics()).not.toContain('license_vendor_license_max_available{');
    // the line no longer waits for other endpoints
    await app.stop();
    const warning = app.log.entries.find(({ message }) => message === 'poll failed');
    expect(warning?.fields).toMatchObject({ kind, endpoints: ['GetProducts'] });
  });

  it('leaves out bad records, values and unknown fields, and counts them', async () => {
    const faulty = await startFaulty(cleanup);
    const records = [
      {
        Product: 'a;b',
        MaxAvailable: '12',
        Active: null,
        Inactive: -1,
        Mapped: 'x',
        Indeterminate: '',
        IsCurrent: 'true',
        New: {},
      },
      { MaxAvailable: 3 },
      'text',
      null,
    ];
    faulty.break('GetProducts', json(JSON.stringify(records)));
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    expect(await app.sample('license_vendor_license_max_available{vendor_license="a;b"}')).toBe(12);
    const page = await app.metrics();
    for (const name of ['active', 'inactive', 'mapped', 'indeterminate']) {
      expect(page).not.toContain(`license_vendor_license_${name}{vendor_license="a;b"}`);
    }
    const discarded = (reason: string) =>
      app.sample(`license_poll_discarded_values{endpoint="GetProducts",reason="${reason}"}`);
    const reasons = ['nan', 'not_a_number', 'negative', 'bad_record', 'unknown_field'];
    expect(await Promise.all(reasons.map(discarded))).toEqual([1, 2, 1, 3, 1]);
    expect(await app.sample('license_poll_records{endpoint="GetProducts"}')).toBe(1);
  });

  it('keeps the last good data when the answer of GetServerDown is not a list of servers', async () => {
    const faulty = await startFaulty(cleanup);
    const alertmanager = await startFakeAlertmanager(cleanup);
    const app = await startApp(createConfig(faulty.url, { ...everySecond, ...quickEngine([alertmanager.url]) }));
    cleanup.add(() => app.stop());
    const down = 'sim-lic01;sim_cadd';
    const up = () => app.sample(`license_server_up{vendor_license="${down}"}`);
    const polled = () => app.sample('license_poll_success{endpoint="GetServerDown"}');
    const notified = () =>
      alertmanager.requests
        .flatMap(({ at, alerts }) => alerts.map((alert) => ({ at, ...alert })))
        .filter(({ labels }) => labels.alertname === 'LicenseServerDown' && labels.vendor_license === down);
    faulty.break('GetServerDown', json(JSON.stringify([{ Label: down }])));
    await eventually('the server is down', async () => (await up()) === 0);
    await eventually('the alert', () => notified().length > 0);

    for (const text of ['[{"error":"database timeout"}]', `[{"label":"${down}"}]`]) {
      faulty.break('GetServerDown', json(JSON.stringify([{ Label: down }])));
      await eventually('a good poll', async () => (await polled()) === 1);
      faulty.break('GetServerDown', json(text));
      await eventually(`a failed poll: ${text}`, async () => (await polled()) === 0);
      const sent = notified().length;
      // longer than keep_firing_for: an alert that is not kept would be resolved by then
      await eventually('the alert again', () => notified().length > sent + 1);
      expect([await up(), await app.sample('license_up')]).toEqual([0, 0]);
    }
    expect(notified().filter(({ at, endsAt }) => Date.parse(endsAt) <= at)).toEqual([]);
    const warnings = app.log.entries.filter(({ message }) => message === 'poll failed');
    expect(warnings[0]?.fields).toMatchObject({
      endpoints: ['GetServerDown'],
      kind: 'schema',
      reason: 'no record of the answer has a usable Label; the first record has the fields error',
    });
    expect(JSON.stringify(app.log.entries)).not.toContain('database timeout');
  });

  /** An answer of GetProducts with renamed fields. */
  const renamed: Fault = (_, response, body) => {
    const text = body.toString().replace(/"([A-Z])(\w+)":/g, (_all, first, rest) => `"${first.toLowerCase()}${rest}":`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };

  it('keeps every series when GetProducts answers with renamed fields', async () => {
    const faulty = await startFaulty(cleanup);
    const app = await startApp(createConfig(faulty.url, everySecond));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await app.sample('license_up')) === 1);
    const series = async () =>
      (await app.metrics())
        .split('\n')
        .filter((line) => /^license_(vendor_license|feature|server)_/.test(line))
        .map((line) => line.slice(0, line.lastIndexOf(' ')));
    const before = await series();
    faulty.break('GetProducts', renamed);
    await eventually('failure', async () => (await app.sample('license_up')) === 0);
    expect(await app.sample('license_poll_success{endpoint="GetProducts"}')).toBe(0);
    expect(await series()).toEqual(before);
    faulty.break(undefined);
    await eventually('recovery', async () => (await app.sample('license_up')) === 1);
  });

  it('with --once exits with 1 when GetProducts answers with renamed fields', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetProducts', renamed);
    const folder = temporaryFolder();
    const file = join(folder, 'config.yml');
    writeFileSync(join(folder, 'password'), account.password);
    const analyzer = `{url: "${faulty.url}", username: 'CORP\\svc-lic', password_file: password}`;
    writeFileSync(file, `analyzer: ${analyzer}\nstorage: {path: ${folder}/state}\n`);
    const once = run([`--config.file=${file}`, '--once', '--log.format=json']);
    expect(await once.exit).toBe(1);
    expect(once.output()).toContain('\nlicense_up 0\n');
    expect(once.lines.find(({ msg }) => msg === 'poll failed')).toMatchObject({
      kind: 'schema',
      reason: expect.stringMatching(
        /^no record of the answer has a usable Product; the first record has the fields colle/,
      ),
    });
  });

  it('discards records without a name and unknown fields of a mixed answer, and reports them', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetServerDown', json('[{"Label":"a;b","since":1},{"label":"c;d"}]'));
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const discarded = (reason: string) =>
      app.sample(`license_poll_discarded_values{endpoint="GetServerDown",reason="${reason}"}`);
    expect([await app.sample('license_up'), await discarded('bad_record'), await discarded('unknown_field')]).toEqual([
      1, 1, 2,
    ]);
    expect(await app.sample('license_server_up{vendor_license="a;b"}')).toBe(0);
    const warnings = app.log.entries.filter(({ message }) => message.includes('fields that'));
    expect(warnings.map(({ fields }) => fields)).toEqual([
      { endpoint: 'GetServerDown', fields: ['since', 'label'], count: 2 },
    ]);
  });

  it('exposes no time of a server that was never collected', async () => {
    const faulty = await startFaulty(cleanup);
    const records = [
      { Product: 'a;never', CollectionTime: 0, MinLicenseExpiration: 2_147_483_647, IsCurrent: false },
      { Product: 'b;permanent', CollectionTime: 1_790_000_000, MinLicenseExpiration: 0, IsCurrent: true },
    ];
    faulty.break('GetProducts', json(JSON.stringify(records)));
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const of = (name: string, license: string) =>
      app.sample(`license_vendor_license_${name}_timestamp_seconds{vendor_license="${license}"}`);
    expect([await of('last_collection', 'a;never'), await of('min_expiration', 'a;never')]).toEqual([
      undefined,
      undefined,
    ]);
    expect([await of('last_collection', 'b;permanent'), await of('min_expiration', 'b;permanent')]).toEqual([
      1_790_000_000,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it('keeps the last good data until it is too old, and recovers by itself', async () => {
    const faulty = await startFaulty(cleanup);
    const app = await startApp(createConfig(faulty.url, { ...everySecond, 'poll.max_data_age': '4s' }));
    cleanup.add(() => app.stop());
    const users = () => app.sample('license_concurrent_users');
    await eventually('first poll', async () => (await app.sample('license_up')) === 1);
    expect(await users()).toBeGreaterThan(0);

    await faulty.down();
    await eventually('failure', async () => (await app.sample('license_up')) === 0);
    expect(await users()).toBeGreaterThan(0);
    await eventually('absence', async () => (await users()) === undefined);
    // each part has its own age, so they disappear one after the other
    const data = /^license_(feature_in_use|server_up|vendor_license_max_available)\{/m;
    await eventually('absence of everything', async () => !data.test(await app.metrics()));

    await faulty.up();
    await eventually('recovery', async () => (await app.sample('license_up')) === 1);
    await eventually('data', async () => ((await users()) ?? 0) > 0);
    expect(await app.sample('license_poll_success{endpoint="GetExpirationFeatures"}')).toBe(1);
    await eventually('a line about it', () => app.log.entries.some(({ message }) => message === 'poll recovered'));
  });

  it('keeps the data of the other vendor licenses when one fails', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetExpirationFeatures?product=sim-lic01;', status(500));
    const app = await startApp(createConfig(faulty.url, { 'features.request': 'per_vendor_license' }));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    expect(await app.sample('license_up')).toBe(1);
    expect(await app.sample('license_poll_success{endpoint="GetExpirationFeatures"}')).toBe(0);
    const page = await app.metrics();
    const expiring = (license: string) =>
      page
        .split('\n')
        .filter((line) =>
          line.startsWith(`license_feature_min_expiration_timestamp_seconds{vendor_license="${license}`),
        ).length;
    expect([expiring('sim-lic01'), expiring('sim-lic03') > 0]).toEqual([0, true]);
    // the expiry is still known, from GetFeatures
    expect(page).toContain('license_feature_expiration_timestamp_seconds{vendor_license="sim-lic01;sim_cadd"');
  });

  it.each([
    ['refuses', status(400)],
    ['answers with unknown vendor licenses for', json('[[{"Feature":"x","ServerName":"other","Daemon":"d"}]]')],
  ])('sends one request per vendor license when the server %s the request for all', async (_, fault) => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetFeatures?product=%', fault);
    const app = await startApp(createConfig(faulty.url, { 'poll.features': '0 0 1 1 *' }));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    expect(await app.sample('license_up')).toBe(1);
    expect(await app.sample('license_poll_records{endpoint="GetFeatures"}')).toBeGreaterThan(30);
    const asked = faulty.seen.filter((url) => url.includes('GetFeatures'));
    expect(asked).toHaveLength(5);
    expect(app.log.entries.map(({ message }) => message)).toContain('requesting features per vendor license');
  });

  it('decodes a very large answer outside the main thread', async () => {
    const faulty = await startFaulty(cleanup, { vendorLicenses: 4, featuresPerVendorLicense: 500 });
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    expect(await app.sample('license_poll_records{endpoint="GetFeatures"}')).toBe(2000);
  });
});
