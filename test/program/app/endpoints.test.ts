import { afterEach, describe, expect, it } from 'vitest';
import { type Faulty, json, startFaulty, status } from '../../support/faulty-analyzer.ts';
import { type Cleanup, createCleanup, createConfig, eventually, startApp } from '../../support/harness.ts';

/** How the exporter handles empty answers, and endpoints that do not exist. */

const cleanup: Cleanup = createCleanup();
afterEach(() => cleanup.run());

const rarely = '0 0 1 1 *';

async function start(faulty: Faulty, settings: Parameters<typeof createConfig>[1] = {}) {
  const app = await startApp(createConfig(faulty.url, settings));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  return app;
}

const success = (endpoint: string): string => `license_poll_success{endpoint="${endpoint}"}`;
const stateOf = (endpoint: string, state: string): string =>
  `license_endpoint_state{endpoint="${endpoint}",state="${state}"}`;

describe('an empty answer', () => {
  it('for all features is followed by one request per vendor license', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetFeatures?product=%', json('[[]]'));
    const app = await start(faulty, { 'poll.features': rarely });
    expect(await app.sample('license_up')).toBe(1);
    expect(await app.sample('license_poll_records{endpoint="GetFeatures"}')).toBeGreaterThan(30);
    expect(await app.metrics()).toContain('license_feature_in_use{');
    const logged = app.log.entries.find(({ message }) => message === 'requesting features per vendor license');
    expect(logged?.fields.reason).toMatch(
      /^the answer contains no features of "sim-.*", but GetProducts says that it is/,
    );
  });

  it('that lacks one vendor license is followed by one request per vendor license', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetFeatures?product=%', (_, response, body) => {
      const [records] = JSON.parse(body.toString().replaceAll('NaN', '""')) as [{ ServerName: string }[]];
      response.end(JSON.stringify([records.filter(({ ServerName }) => ServerName !== 'sim-lic02')]));
    });
    const app = await start(faulty, { 'poll.features': rarely });
    expect(await app.metrics()).toMatch(/^license_feature_in_use\{vendor_license="sim-lic02;/m);
    expect([await app.sample('license_up'), await app.sample(success('GetFeatures'))]).toEqual([1, 1]);
  });

  it('for all features and for each vendor license is a failed poll', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetFeatures', json('[[]]'));
    const app = await start(faulty, { 'poll.features': rarely });
    expect([await app.sample('license_up'), await app.sample(success('GetFeatures'))]).toEqual([0, 0]);
    // the line no longer waits for other endpoints
    await app.stop();
    const warning = app.log.entries.find(({ message }) => message === 'poll failed');
    expect(warning?.fields).toMatchObject({ endpoints: ['GetFeatures'], kind: 'schema', code: 'CONTRADICTION' });
  });

  it('of GetProducts is a failed poll that keeps the last good data', async () => {
    const faulty = await startFaulty(cleanup);
    const app = await start(faulty, { 'poll.products': '* * * * * *' });
    const up = 'license_server_up{vendor_license="sim-lic01;sim_cadd"}';
    expect([await app.sample('license_up'), await app.sample(up)]).toEqual([1, 1]);
    faulty.break('GetProducts', json('[]'));
    await eventually('failure', async () => (await app.sample(success('GetProducts'))) === 0);
    // the analyzer may have lost its data: no server is known to be up
    expect([await app.sample('license_up'), await app.sample(up)]).toEqual([0, undefined]);
    expect(await app.sample('license_poll_records{endpoint="GetProducts"}')).toBe(4);
    faulty.break(undefined);
    await eventually('recovery', async () => (await app.sample('license_up')) === 1);
  });
});

describe('an endpoint', () => {
  it('that the analyzer does not have does not affect license_up when it is switched off', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetConcurrentUsers', status(404));
    const waiting = await start(faulty, { 'poll.concurrent_users': rarely });
    expect([await waiting.sample('license_up'), await waiting.sample(success('GetConcurrentUsers'))]).toEqual([0, 0]);
    faulty.seen.length = 0;
    const app = await start(faulty, { 'poll.concurrent_users': 'off' });
    expect(await app.sample('license_up')).toBe(1);
    expect(await app.sample(stateOf('GetConcurrentUsers', 'off'))).toBe(1);
    const page = await app.metrics();
    expect(page).not.toMatch(/^license_poll_.*GetConcurrentUsers/m);
    expect(page).not.toMatch(/^license_concurrent_users/m);
    expect(faulty.seen.filter((url) => url.includes('GetConcurrentUsers'))).toEqual([]);
  });

  it('that is off has no data in Grafana, and the error says why', async () => {
    const app = await start(await startFaulty(cleanup), { 'poll.server_down': 'off', 'poll.expirations': 'off' });
    const down = await fetch(`${app.url}/grafana/rows/server_down`);
    expect(down.status).toBe(503);
    expect(await down.json()).toMatchObject({
      error: { message: 'GetServerDown is not polled: it is off in the section poll' },
    });
    // GetFeatures has expiries too
    const expirations = await fetch(`${app.url}/grafana/rows/expirations?product=%25`);
    expect([expirations.status, ((await expirations.json()) as { rows: unknown[] }).rows.length > 30]).toEqual([
      200,
      true,
    ]);
    expect(await app.metrics()).not.toContain('license_server_up{');
  });
});

describe('expiries of packages and components', () => {
  const name = 'license_feature_min_expiration_timestamp_seconds';
  const typesOf = (page: string): readonly string[] => {
    const lines = page.split('\n').filter((line) => line.startsWith(`${name}{`));
    return [...new Set(lines.map((line) => /feature_type="(\w+)"/.exec(line)?.[1] ?? ''))].sort();
  };
  const ofFeatures = (page: string): readonly string[] =>
    page.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes('feature_type="feature"'));

  it('are exposed, and those of features do not change', async () => {
    const faulty = await startFaulty(cleanup, { vendorLicenses: 10 });
    const page = await (await start(faulty)).metrics();
    expect(typesOf(page)).toEqual(['component', 'feature', 'package']);
    const without = await (await start(faulty, { 'expiration.search': 'none' })).metrics();
    expect(typesOf(without)).toEqual(['feature']);
    expect(ofFeatures(page)).toEqual(ofFeatures(without));
  });

  it('are left out when the analyzer rejects the search level', async () => {
    const faulty = await startFaulty(cleanup, { vendorLicenses: 10 });
    faulty.break('search=2', status(400));
    const app = await start(faulty);
    expect([await app.sample('license_up'), await app.sample(success('GetExpirationFeatures'))]).toEqual([1, 1]);
    expect(typesOf(await app.metrics())).toEqual(['feature']);
  });
});
