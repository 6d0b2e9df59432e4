import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Fault, startFaulty } from '../../support/faulty-analyzer.ts';
import { type Cleanup, createCleanup, createConfig, eventually, startApp } from '../../support/harness.ts';

/** A daemon whose analyzer renames a field. */

const cleanup: Cleanup = createCleanup();
afterEach(() => cleanup.run());

const rename =
  (from: string, to: string): Fault =>
  (_, response, body) =>
    response.end(body.toString().replaceAll(`"${from}":`, `"${to}":`));

const MISSING = 'license_poll_field_missing{endpoint="GetFeatures",field="InUse"}';
const everySecond = { 'poll.features': '* * * * * *' };

it('says on /metrics, on pages and in alerts that a renamed field is not known, until it returns', async () => {
  const faulty = await startFaulty(cleanup);
  const config = createConfig(faulty.url, { ...everySecond, 'alerting.rules': { LicenseFieldMissing: { for: '0s' } } });
  const app = await startApp(config);
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const name = /^license_vendor_license_data_known\{vendor_license="([^"]+)",data="usage"\} 1$/m.exec(
    await app.metrics(),
  )?.[1];
  const known = (data: string) => `license_vendor_license_data_known{vendor_license="${name}",data="${data}"}`;
  expect([await app.sample(MISSING), await app.sample(known('usage'))]).toEqual([undefined, 1]);
  faulty.break('GetFeatures', rename('InUse', 'inuse'));
  await eventually('missing', async () => (await app.sample(MISSING)) === 1);
  expect([
    await app.sample(known('usage')),
    await app.sample(known('features')),
    await app.sample('license_up'),
  ]).toEqual([0, 0, 1]);
  expect(await app.metrics()).not.toContain('\nlicense_feature_in_use{');
  await eventually('alert', async () =>
    (await (await fetch(`${app.url}/api/v1/alerts`)).text()).includes('"LicenseFieldMissing"'),
  );
  const page = await (await fetch(`${app.url}/vendor-license?name=${encodeURIComponent(String(name))}`)).text();
  expect(page).toContain('GetFeatures does not have InUse in any record now');
  faulty.break(undefined);
  await eventually('returned', async () => (await app.sample(MISSING)) === undefined);
  expect(await app.sample(known('usage'))).toBe(1);
});

it('knows the fields of before a restart', async () => {
  const storage = mkdtempSync(join(tmpdir(), 'license-exporter-fields-'));
  cleanup.add(() => rmSync(storage, { recursive: true }));
  const faulty = await startFaulty(cleanup);
  const settings = { 'storage.path': storage };
  const first = await startApp(createConfig(faulty.url, settings));
  await eventually('first poll', async () => (await fetch(`${first.url}/-/ready`)).ok);
  await first.stop();
  expect(readFileSync(join(storage, 'fields.json'), 'utf8')).toContain('"LogInUse"');
  faulty.break('GetFeatures', rename('LogInUse', 'logInUse'));
  const next = await startApp(createConfig(faulty.url, settings));
  cleanup.add(() => next.stop());
  await eventually('first poll', async () => (await fetch(`${next.url}/-/ready`)).ok);
  expect(await next.sample(MISSING.replace('InUse', 'LogInUse'))).toBe(1);
});
