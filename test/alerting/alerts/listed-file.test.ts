import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Listed } from '../../../src/alerting/alerts/listed.ts';
import { createListedFile } from '../../../src/alerting/alerts/listed-file.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import type { Stamp } from '../../../src/base/storage/stamp.ts';
import { policy } from '../../support/alert-views.ts';
import { deriveInventoryNow } from '../../support/derived-inventory.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';
import { answer, createSnapshot, feature, good, NOW, product, type Scenario } from '../../support/scenario.ts';

/** The file of what was listed. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const STAMP: Stamp = { wall: NOW, uptime: 5000, boot: 'b1' };

function start(path?: string, names: readonly [string, ...string[]] = ['lic:443'], stamp = STAMP) {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-listed-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const path_ = path ?? join(folder, 'state/listed.json');
  const log = createTestLog();
  const writes = createFileWrites('listed.json', log);
  const file = createListedFile(path_, names, { stamp: () => stamp, writes, log });
  const load = async (): Promise<Listed> => {
    const listed = new Listed();
    await file.load(listed);
    return listed;
  };
  return { folder, path: path_, log, writes, file, load };
}

const productsOf = (...names: readonly string[]) => good(answer(names.map((name) => product({ product: name }))));
const down = good(answer([]));
const odd = 'größe "\t\n\u2028';
const full: Scenario = {
  products: productsOf('lic01;cdslmd', 'lic02;mgcld'),
  down,
  features: { '': good(answer([feature({ feature: odd }), feature({ feature: 'gone' })])) },
};
const less: Scenario = {
  products: productsOf('lic01;cdslmd'),
  down,
  features: { '': good(answer([feature({ feature: odd, maxAvailable: 7, licenseExpiration: NOW + 2 * 86_400 })])) },
};

const see = (listed: Listed, scenario: Scenario, at: number) =>
  runAtOnce(listed.observe(deriveInventoryNow(createSnapshot(scenario), NOW, policy), at, policy));

/** A memory with everything: something missed, a number that changed. */
function createListed(): Listed {
  const listed = new Listed();
  see(listed, full, NOW);
  see(listed, less, NOW + 86_400);
  return listed;
}

describe('the file of what was listed', () => {
  it('gives back what was saved', async () => {
    const { path, file, load, log } = start();
    expect((await load()).since).toBeUndefined();
    await file.finish(createListed());
    const listed = await load();
    const name = { version: '1.0', package: '', featureType: 'feature' };
    expect(listed.vendorLicenses.get('lic01;cdslmd')?.features.get(odd)?.versions).toEqual([
      { ...name, licenses: 7, expiration: NOW + 2 * 86_400 },
    ]);
    const later = NOW + 86_400 + 60;
    const { missed, drops } = see(listed, less, later);
    expect(listed.since).toBe(NOW);
    expect(missed).toEqual([
      { vendorLicense: 'lic01;cdslmd', feature: 'gone', missedAt: NOW + 86_400 },
      { vendorLicense: 'lic02;mgcld', feature: '', missedAt: NOW + 86_400 },
    ]);
    expect(drops).toEqual([{ vendorLicense: 'lic01;cdslmd', feature: odd, before: 10, licenses: 7 }]);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ v: 1, analyzer: 'lic:443' });
    expect(log.entries).toEqual([]);
  });

  it('is not written again because it was read', async () => {
    const { path, file } = start();
    await file.finish(createListed());
    const again = start(path);
    expect(await again.file.keep(await again.load(), NOW)).toBe(false);
  });

  it('remembers what had expired: it is not missed after a restart', async () => {
    const { file, load } = start();
    const listed = new Listed();
    see(listed, less, NOW + 2 * 86_400 + 900);
    await file.finish(listed);
    const without = { ...less, features: { '': good(answer([feature({ feature: 'other' })])) } };
    const { missed, listingOf } = see(await load(), without, NOW + 3 * 86_400);
    expect([missed, listingOf('lic01;cdslmd', odd)]).toEqual([[], 'expired']);
  });

  it('remembers which endpoint listed a feature', async () => {
    const { file, load } = start();
    await file.finish(createListed());
    const features = (await load()).vendorLicenses.get('lic01;cdslmd')?.features;
    expect([...(features?.values() ?? [])].map(({ name, isReported }) => [name, isReported])).toEqual([
      ['gone', true],
      [odd, true],
    ]);
  });

  it('is written only for a change, and at most once a minute', async () => {
    const { file, path } = start();
    const listed = new Listed();
    await file.keep(listed, NOW);
    await file.finish(listed);
    expect(existsSync(path)).toBe(false);
    see(listed, full, NOW);
    expect(await file.keep(listed, NOW)).toBe(true);
    // nothing has changed, so this only waits
    await file.finish(listed);
    expect(existsSync(path)).toBe(true);
    see(listed, full, NOW + 30);
    expect(await file.keep(listed, NOW + 300)).toBe(false);
    see(listed, less, NOW + 310);
    expect([await file.keep(listed, NOW + 311), await file.keep(listed, NOW + 320)]).toEqual([true, false]);
    see(listed, full, NOW + 330);
    expect([await file.keep(listed, NOW + 340), await file.keep(listed, NOW + 371)]).toEqual([false, true]);
    await file.finish(listed);
  });

  it('is written again after the disk refused it', async () => {
    const { file, folder, path, writes } = start();
    const listed = createListed();
    writeFileSync(join(folder, 'state'), 'not a directory');
    await file.finish(listed);
    expect(writes.problem()).toContain('after a restart, what has vanished meanwhile');
    rmSync(join(folder, 'state'));
    expect(await file.keep(listed, NOW + 60)).toBe(true);
    await file.finish(listed);
    expect([existsSync(path), writes.problem()]).toEqual([true, undefined]);
  });

  it('is not used for another analyzer, and the log says so', async () => {
    const { path, file } = start();
    await file.finish(createListed());
    const other = start(path, ['paris', 'other:443']);
    expect((await other.load()).since).toBeUndefined();
    expect(other.log.entries).toEqual([
      {
        level: 'warn',
        message: 'what was listed is of another analyzer and is not used',
        fields: { file: path, of: 'lic:443', analyzer: 'paris' },
      },
    ]);
    expect((await start(path, ['paris', 'lic:443']).load()).since).toBe(NOW);
  });

  it('is as old as it is although the clock was set since', async () => {
    const { path, file } = start();
    await file.finish(createListed());
    const now: Stamp = { wall: NOW + 10_800 + 60, uptime: 5060, boot: 'b1' };
    const listed = await start(path, ['lic:443'], now).load();
    expect([listed.since, listed.vendorLicenses.get('lic02;mgcld')?.missedAt]).toEqual([
      NOW + 10_800,
      NOW + 86_400 + 10_800,
    ]);
  });

  const head = '"v":1,"analyzer":"lic:443","since":1800000000';
  const otherForm = 'it has lists of another form';
  const of = (sample: string, version = '["1","","feature",10,1800000000]'): string => {
    const text = `{"name":"a;b","features":[{"name":"x","isReported":true,"samples":[${sample}],"versions":[${version}]}]}`;
    return `{${head},"vendorLicenses":[${JSON.stringify(text)}]}`;
  };
  it.each([
    ['nothing', '', 'it is not complete JSON'],
    ['the lists of an earlier version', `{${head},"vendorLicenses":[["a;b",0]],"features":[]}`, otherForm],
    ['no lists', `{${head}}`, otherForm],
    ['half a list', `{${head},"vendorLicenses":["{\\"name\\":\\"x"]}`, otherForm],
    ['no number', of('[1800000000,null]'), otherForm],
    ['a time without its number', of('[1800000000]'), otherForm],
    ['a version without its expiry', of('[1800000000,10]', '["1","","feature",10,null]'), otherForm],
  ])('that holds %s is set aside, and the next save makes a new one', async (_, content, reason) => {
    const { path, file, load, log } = start();
    mkdirSync(join(path, '..'));
    writeFileSync(path, content);
    expect((await load()).since).toBeUndefined();
    expect(log.entries.map(({ fields }) => fields.reason)).toEqual([reason]);
    expect(
      readdirSync(join(path, '..')).filter((name) => /^listed\.json\.damaged-\d{8}T\d{6}Z$/.test(name)),
    ).toHaveLength(1);
    await file.finish(createListed());
    expect((await load()).since).toBe(NOW);
  });
});
