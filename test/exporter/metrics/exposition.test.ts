import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createOwners, noOwners } from '../../../src/base/model/owners.ts';
import { type Snapshot, WHOLE } from '../../../src/base/model/snapshot.ts';
import { recordFields } from '../../../src/base/query-api/records.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import { catalogue } from '../../../src/exporter/metrics/catalogue.ts';
import {
  createExposition,
  type Exposition,
  type ExpositionOptions,
  type Page,
  type PageRequest,
} from '../../../src/exporter/metrics/exposition.ts';
import { renderGauges } from '../../../src/exporter/metrics/family.ts';
import { assembleGzip, combineChecksums, deflateEnd, deflateText } from '../../../src/exporter/metrics/gzip.ts';
import { collectors, type Enabled, isEnabled } from '../../../src/exporter/metrics/metric.ts';
import { acceptsGzip, chooseFormat } from '../../../src/exporter/metrics/negotiation.ts';
import { buildRows } from '../../../src/exporter/metrics/rows.ts';
import type { SelfMetrics } from '../../../src/exporter/metrics/self.ts';
import { isSaturated } from '../../support/alert-views.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { forecast, startOf } from '../../support/forecasts.ts';
import {
  allCollectors,
  answer,
  complete,
  createSnapshot,
  expiration,
  feature,
  good,
  NOW,
  product,
  type Scenario,
  scenario,
} from '../../support/scenario.ts';
import { selfMetricsOf } from '../../support/self-metrics.ts';

const silent: SelfMetrics = {
  observeRequest: () => undefined,
  setReload: () => undefined,
  isReloadRefused: () => false,
  setSeries: () => undefined,
  render: async () => '',
  changes: () => 0,
};

const policy = { ...everything, usageWhenNotCurrent: 'withhold' } as const;

let latest: Inventory | undefined;
beforeEach(() => {
  latest = undefined;
});

/** Commits and renders a snapshot. */
async function commit(exposition: Exposition, snapshot: Snapshot): Promise<void> {
  latest = deriveInventoryNow(snapshot, NOW, policy);
  await exposition.read(latest);
}

function create(options: Partial<ExpositionOptions> = {}): Exposition {
  return createExposition({
    metrics: { collectors: collectors, maxSeries: 500_000 },
    self: silent,
    owners: () => noOwners,
    isSaturated,
    rightsizing: () => undefined,
    latest: () => latest,
    isOutdated: () => false,
    renew: async () => undefined,
    ...options,
  });
}

async function read(exposition: Exposition, collect: readonly string[] = []): Promise<string> {
  const { body } = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect });
  return Buffer.concat(Buffer.isBuffer(body) ? [body] : await Array.fromAsync<Uint8Array>(body)).toString();
}

const namesOf = (page: string): Set<string> => new Set(page.match(/^license_[a-z_]+/gm) ?? []);

it('a long name is cut in the same way in all series, so that they can be joined', async () => {
  const exposition = create({ metrics: { collectors: allCollectors, maxSeries: 500_000 } });
  const names = ['a', 'b'].map((end) => `${'n'.repeat(99_999)}${end}`);
  const features = names.map((name) => feature({ feature: name, inUse: 1 }));
  const expirations = names.map((name) => expiration({ feature: name }));
  await commit(
    exposition,
    createSnapshot({
      products: good(answer([complete('GetProducts')])),
      down: good(answer([])),
      features: { 'lic01;cdslmd': good(answer(features)) },
      expirations: { 'lic01;cdslmd': good(answer(expirations)) },
    }),
  );
  const page = await read(exposition);
  expect(Math.max(...page.split('\n').map((line) => Buffer.byteLength(line)))).toBeLessThan(3000);
  const labelsOf = (metric: string): readonly (string | undefined)[] =>
    page
      .split('\n')
      .filter((line) => line.startsWith(`${metric}{`))
      .map((line) => /[{,]feature="([^"]*)"/.exec(line)?.[1]);
  const labels = labelsOf('license_feature_in_use');
  expect(new Set(labels).size).toBe(2);
  expect(labels[0]).toMatch(/^n{981}…[0-9a-f]{16}$/);
  expect(labelsOf('license_feature_info')).toEqual(labels);
  expect(labelsOf('license_feature_expiration_timestamp_seconds')).toEqual(labels);
});

it('counts saturated features of each vendor license, and none where no share is known', async () => {
  const exposition = create();
  const counted = [
    { feature: 'full', inUse: 20, maxAvailable: 20 },
    { feature: 'free', inUse: 1, maxAvailable: 20 },
    { feature: 'single', inUse: 1, maxAvailable: 1 },
    { feature: 'unknown', inUse: undefined, maxAvailable: 20 },
    { serverName: 'lic02', daemon: 'mlm', inUse: 0, maxAvailable: 5 },
    { serverName: 'lic03', daemon: 'undef', inUse: 7, maxAvailable: 99_999 },
  ];
  const names = ['lic01;cdslmd', 'lic02;mlm', 'lic03;undef'];
  const products = good(answer(names.map((name) => product({ product: name }))));
  await commit(exposition, createSnapshot({ products, features: { '': good(answer(counted.map(feature))) } }));
  const samples = (await read(exposition)).match(/^license_vendor_license_saturated_features.*$/gm);
  expect(samples).toEqual([
    'license_vendor_license_saturated_features{vendor_license="lic01;cdslmd"} 1',
    'license_vendor_license_saturated_features{vendor_license="lic02;mlm"} 0',
  ]);
});

describe('renderGauges', () => {
  const value = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.nat(),
    fc.constantFrom(0, -0, 1e15, 1e21, Number.POSITIVE_INFINITY, Number.NaN, undefined),
  );

  it('equals a simple renderer, and is parsed to the same labels and values', () => {
    const label = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('a"b', 'back\\', 'line\nfeed', 'p,y:q', '\\n'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(label, label, value), { maxLength: 20 }), (samples) => {
        const rows = buildRows(
          ['x', 'y'],
          samples.map(([x, y]) => [x, y]),
        );
        const page = [...renderGauges([{ name: 'n', help: 'h', type: 'gauge', rows, value: (i) => samples[i]?.[2] }])]
          .map(({ bytes }) => bytes.toString())
          .join('');
        const shown = samples.filter(([, , v]) => v !== undefined && !Number.isNaN(v));
        const escaped = (text: string) => text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));
        const lines = shown.map(
          ([x, y, v]) =>
            `n{x="${escaped(x)}",y="${escaped(y)}"} ${v === Number.POSITIVE_INFINITY ? '+Inf' : v === Number.NEGATIVE_INFINITY ? '-Inf' : String(v)}`,
        );
        expect(page).toBe(lines.length === 0 ? '' : `# HELP n h\n# TYPE n gauge\n${lines.join('\n')}\n`);
      }),
    );
  });

  it('makes chunks of about a megabyte, which together are the whole', () => {
    const count = 60_000;
    const rows = buildRows(
      ['x'],
      Array.from({ length: count }, (_, i) => [`value-${i}`.padEnd(40, '.')]),
    );
    const chunks = [...renderGauges([{ name: 'n', help: 'h', type: 'gauge', rows, value: (i) => i }])];
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.reduce((sum, { samples }) => sum + samples, 0)).toBe(count);
    const lines = Buffer.concat(chunks.map(({ bytes }) => bytes))
      .toString()
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(count + 2);
    expect(lines.at(-1)).toMatch(/ 59999$/);
  });

  it('contains no help text that the two formats escape differently', () => {
    expect(Object.values(catalogue).filter(({ help }) => /[\\"\n]/.test(help))).toEqual([]);
  });
});

describe('gzip', () => {
  it('combines checksums', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), (texts) => {
        const whole = Buffer.concat(texts);
        const checksums = texts.map((text) => ({ crc: crc32(text), length: text.length }));
        expect(combineChecksums(checksums)).toEqual({ crc: crc32(whole), length: whole.length });
      }),
    );
  });

  it('joins pieces in any order to one stream', async () => {
    const texts = ['', 'a', 'x'.repeat(200_000), 'ünï'.repeat(999)].map((text) => Buffer.from(text));
    const pieces = await Promise.all(texts.map(deflateText));
    const order = [2, 0, 3, 1, 2];
    const body = assembleGzip(
      order.flatMap((i) => pieces[i] ?? []).map((piece) => ({ ...piece, pieces: [piece] })),
      deflateEnd(Buffer.from('end')),
    );
    expect(
      gunzipSync(Buffer.concat(body)).equals(
        Buffer.concat([...order.map((i) => texts[i] ?? Buffer.alloc(0)), Buffer.from('end')]),
      ),
    ).toBe(true);
  });
});

describe('negotiation', () => {
  const prometheus =
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
  it.each([
    [undefined, 'text'],
    ['*/*', 'text'],
    [prometheus, 'openmetrics'],
    ['text/plain;version=0.0.4;q=1,*/*;q=0.1', 'text'],
    ['application/openmetrics-text;version=0.0.1', 'text'],
    ['application/openmetrics-text;q=0', 'text'],
    ['application/openmetrics-text; version=1.0.0; q=0.2, text/plain; q=0.9', 'text'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text'],
  ])('%s', (accept, format) => {
    expect(chooseFormat(accept)).toBe(format);
  });

  it.each([
    [undefined, false],
    ['gzip', true],
    ['deflate, gzip;q=0.5', true],
    ['gzip;q=0', false],
    ['*', true],
    ['gzip;q=0, *', false],
    ['identity', false],
  ])('gzip with %s', (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected);
  });
});

describe('the page', () => {
  it('shows before any poll that nothing is up', async () => {
    expect(await read(create())).toContain('license_up 0\n');
  });

  const everyField: Scenario = {
    ...scenario,
    products: good({
      ...answer([complete('GetProducts'), complete('GetProducts')], { bad_record: 1 }),
      fields: [{ owner: 'lic01;cdslmd', names: Object.keys(recordFields.GetProducts) }],
    }),
    features: { 'lic01;cdslmd': good(answer([complete('GetFeatures')])) },
    expirations: {
      'lic01;cdslmd': good(answer([complete('GetExpirationFeatures'), expiration({ feature: 'only an expiry' })])),
    },
  };

  it('shows the default collectors, and each other one if it is on', async () => {
    const shown = async (enabled: Enabled) => {
      const rows = [{ ...forecast(), needed: 7 }];
      const rightsizing = () => ({ computedAt: NOW, durationSeconds: 9, rows, startOf });
      const exposition = create({ metrics: { collectors: enabled, maxSeries: 500_000 }, rightsizing });
      await commit(exposition, createSnapshot(everyField));
      return namesOf(await read(exposition));
    };
    const expected = (enabled: Enabled) =>
      Object.entries(catalogue)
        .filter(([, metric]) => isEnabled(metric, enabled))
        .map(([name]) => name)
        // without an engine, there are no alerts; no field is missing
        .filter((name) => !/^license_(exporter|upstream|alert|poll_field_missing)/.test(name))
        .sort();
    const off = Object.fromEntries(Object.keys(collectors).map((name) => [name, false])) as Enabled;
    expect([...(await shown(collectors))].sort()).toEqual(expected(collectors));
    expect([...(await shown(allCollectors))].sort()).toEqual(expected(allCollectors));
    for (const name of Object.keys(collectors)) {
      const only = { ...off, [name]: true };
      expect([...(await shown(only))].sort()).toEqual(expected(only));
    }
  });

  it('names the owners of vendor licenses and of features, also of those that have only an expiry', async () => {
    const owners = createOwners([
      { vendorLicense: 'lic01;*', feature: 'expired', labels: { owner: 'bob' } },
      { vendorLicense: 'lic01;*', feature: 'base', labels: { owner: 'ada' } },
      { vendorLicense: 'LIC01;cdslmd', feature: '*', labels: { owner: 'cad', site: 'paris' } },
    ]);
    const exposition = create({ owners: () => owners });
    await commit(exposition, createSnapshot(scenario));
    const page = await read(exposition);
    const ownersIn = (name: string): readonly (readonly string[])[] =>
      [
        ...page.matchAll(
          new RegExp(`^${name}\\{.*vendor_license="([^"]+)"(?:,feature="([^"]*)")?.*,(owner=.*)\\} 1$`, 'gm'),
        ),
      ]
        .map(([, vendorLicense = '', of = '', labels = '']) => [vendorLicense, of, labels])
        .filter(([vendorLicense]) => vendorLicense?.startsWith('lic0'));
    expect(ownersIn('license_vendor_license_info')).toEqual([
      ['lic01;cdslmd', '', 'owner="cad",site="paris"'],
      ['lic02;mgcld', '', 'owner="",site=""'],
    ]);
    expect(ownersIn('license_feature_info')).toContainEqual(['lic01;cdslmd', 'base', 'owner="ada",site="paris"']);
    expect(ownersIn('license_feature_info')).toContainEqual(['lic02;mgcld', 'twice', 'owner="",site=""']);
    expect(ownersIn('license_feature_expiration_info')).toEqual([
      ['lic01;cdslmd', 'expired', 'owner="bob",site="paris"'],
    ]);
  });

  it.each([500_000, 40])('counts its series by metric, with at most %i', async (maxSeries) => {
    const self = selfMetricsOf({ processMetrics: true });
    self.observeRequest({ endpoint: 'GetProducts', seconds: 1, bytes: 2 });
    const rightsizing = () => ({ computedAt: NOW, durationSeconds: 9, rows: [{ ...forecast(), needed: 7 }], startOf });
    const exposition = create({ self, rightsizing, metrics: { collectors, maxSeries } });
    await commit(exposition, createSnapshot(scenario));
    const lines = (await read(exposition)).match(/^\w+(?=[{ ])/gm) ?? [];
    const counted = Map.groupBy(lines, (name) => name.replace(/_seconds_(?:sum|count)$/, '_seconds'));
    const counts = await exposition.seriesByMetric();
    expect(Object.fromEntries(counts.map(({ metric, series }) => [metric, series]))).toEqual(
      Object.fromEntries([...counted].map(([metric, series]) => [metric, series.length])),
    );
    expect(counts.map(({ series }) => series)).toEqual(counts.map(({ series }) => series).toSorted((a, b) => b - a));
  });

  it('can be requested in blocks, each with the state of polling', async () => {
    const exposition = create();
    await commit(exposition, createSnapshot(scenario));
    const names = namesOf(await read(exposition, ['site', 'vendor_licenses']));
    expect(names).toContain('license_concurrent_users');
    expect(names).toContain('license_server_up');
    expect(names).toContain('license_up');
    expect(names).not.toContain('license_feature_in_use');
    const wrong = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: ['wrong'] });
    expect([wrong.status, String(wrong.body)]).toEqual([
      400,
      'unknown collect[] value: wrong; valid values are vendor_licenses, site, expirations, features, history, rightsizing.\n',
    ]);
  });

  it('leaves out the same rows every time if there are too many, and reports it', async () => {
    let reported: [number, boolean] = [0, false];
    const self: SelfMetrics = {
      ...silent,
      setSeries: (...args) => {
        reported = args;
      },
    };
    const features = (inUse: number) => ({
      [WHOLE]: good(
        answer(Array.from({ length: 50 }, (_, i) => feature({ feature: `f${String(i).padStart(2, '0')}`, inUse }))),
      ),
    });
    const exposition = create({ metrics: { collectors, maxSeries: 400 }, self });
    await commit(exposition, createSnapshot({ features: features(1) }));
    const first = await read(exposition);
    await commit(exposition, createSnapshot({ features: features(2) }));
    const second = await read(exposition);
    const rows = (page: string) =>
      [...page.matchAll(/^license_feature_in_use\{.*feature="(f\d\d)"/gm)].map(([, name]) => name);
    expect(rows(first).length).toBeGreaterThan(5);
    expect(rows(first).length).toBeLessThan(30);
    expect(rows(first)).toEqual(rows(first).toSorted());
    expect(rows(first)[0]).toBe('f00');
    expect(rows(second)).toEqual(rows(first));
    expect(reported[1]).toBe(true);
    expect(reported[0]).toBeLessThanOrEqual(400);
  });

  it('is an error while the newest inventory cannot be rendered, and recovers automatically', async () => {
    let isBroken = false;
    const setSeries = (): void => {
      if (isBroken) throw new Error('a bug');
    };
    const exposition = create({ self: { ...silent, setSeries } });
    await commit(exposition, createSnapshot(scenario));
    isBroken = true;
    await expect(commit(exposition, createSnapshot(scenario))).rejects.toThrow('a bug');
    const page = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
    expect([page.status, String(page.body)]).toEqual([
      500,
      'The metrics cannot be rendered; see the log for the error.\n',
    ]);
    isBroken = false;
    await commit(exposition, createSnapshot(scenario));
    expect(await read(exposition)).toContain('license_feature_in_use{');
  });

  describe('shares answers', () => {
    const whole = { accept: undefined, acceptEncoding: 'gzip', collect: [] };

    /** The end of the page counts how often it was rendered. */
    function createCounting() {
      const clock = { ms: 0, changes: 0 };
      let rendered = 0;
      const self: SelfMetrics = {
        ...silent,
        changes: () => clock.changes,
        render: async () => {
          rendered += 1;
          return `rendered ${rendered}\n`;
        },
      };
      const exposition = create({ self, nowMs: () => clock.ms });
      const ask = async (request: Partial<PageRequest> = {}): Promise<string> => {
        const { body } = await exposition.page({ ...whole, ...request });
        return gunzipSync(Buffer.concat(body as Uint8Array[])).toString();
      };
      return { clock, exposition, ask };
    }
    const end = (page: string): string => page.slice(page.lastIndexOf('rendered'));

    it('of one second, by all scrapes of the same form', async () => {
      const { clock, exposition } = createCounting();
      await commit(exposition, createSnapshot(scenario));
      const first = await exposition.page(whole);
      clock.ms = 999;
      expect((await exposition.page(whole)).body).toBe(first.body);
      clock.ms = 1000;
      expect((await exposition.page(whole)).body).not.toBe(first.body);
    });

    it('until a commit, a failed request or a reload, which show at once', async () => {
      const { clock, exposition } = createCounting();
      await commit(exposition, createSnapshot(scenario));
      const page = async () => gunzipSync((await exposition.page(whole)).body as Buffer).toString();
      expect(end(await page())).toBe('rendered 1\n');
      expect(end(await page())).toBe('rendered 1\n');
      await commit(exposition, createSnapshot({ ...scenario, users: good(12_345) }));
      const after = await page();
      expect(end(after)).toBe('rendered 2\n');
      expect(after).toContain('license_concurrent_users 12345\n');
      clock.changes += 1;
      expect(end(await page())).toBe('rendered 3\n');
    });

    it('not with another format, encoding or choice of blocks', async () => {
      const { exposition, ask } = createCounting();
      await commit(exposition, createSnapshot(scenario));
      const site = await ask({ collect: ['site'] });
      expect(site).toContain('license_concurrent_users');
      expect(site).not.toContain('license_feature_in_use');
      expect(await ask({ collect: ['features'] })).toContain('license_feature_in_use');
      const plain = await read(exposition, ['site']);
      expect(plain).toBe(site);
      const { body, headers } = await exposition.page({ ...whole, accept: 'application/openmetrics-text' });
      expect(headers['content-type']).toMatch(/^application\/openmetrics-text/);
      expect(gunzipSync(body as Buffer).toString()).toContain('# EOF');
    });

    it('but not an error of the renderer', async () => {
      let isBroken = true;
      const render = async (): Promise<string> => {
        if (isBroken) throw new Error('a bug');
        return 'end\n';
      };
      const exposition = create({ self: { ...silent, render }, nowMs: () => 0 });
      await commit(exposition, createSnapshot(scenario));
      await expect(exposition.page(whole)).rejects.toThrow('a bug');
      isBroken = false;
      expect((await exposition.page(whole)).status).toBe(200);
    });
  });

  describe('keeps the bytes of a page', () => {
    // parts of a page are not joined, so they are those of the blocks
    const part = { accept: undefined, acceptEncoding: 'gzip', collect: ['features'] };
    const textOf = ({ body }: Page): string => gunzipSync(Buffer.concat(body as Uint8Array[])).toString();
    const fail = (): never => {
      throw new Error('a bug');
    };
    const withInUse = (inUse: number): Snapshot =>
      createSnapshot({ features: { [WHOLE]: good(answer([feature({ inUse })])) } });

    it('while it is sent', async () => {
      const exposition = create();
      await commit(exposition, withInUse(1));
      const first = await exposition.page(part);
      const text = textOf(first);
      for (let inUse = 2; inUse < 6; inUse += 1) await commit(exposition, withInUse(inUse));
      expect(textOf(first)).toBe(text);
      expect(textOf(await exposition.page(part))).toContain('} 5\n');
    });

    it('after newer ones that could not be rendered', async () => {
      const exposition = create();
      await commit(exposition, withInUse(1));
      for (let inUse = 2; inUse < 4; inUse += 1) {
        const broken = deriveInventoryNow(withInUse(inUse), NOW, policy);
        Object.defineProperty(broken, 'history', { get: () => fail() });
        await expect(exposition.read(broken)).rejects.toThrow('a bug');
      }
      await commit(exposition, withInUse(4));
      expect(textOf(await exposition.page(part))).toContain('} 4\n');
    });
  });

  it('has its length in the headers, and creates a long plain page while it is sent', async () => {
    const exposition = create();
    const records = Array.from({ length: 4000 }, (_, i) => feature({ feature: `f${i}`.padEnd(80, '.') }));
    await commit(exposition, createSnapshot({ features: { [WHOLE]: good(answer(records)) } }));
    const { body, headers } = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
    expect(body).not.toBeInstanceOf(Buffer);
    expect(Array.isArray(body)).toBe(false);
    const text = Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>));
    expect(String(text.length)).toBe(headers['content-length']);
    expect(text.length).toBeGreaterThan(8 * 1024 * 1024);
    const zipped = await exposition.page({ accept: undefined, acceptEncoding: 'gzip', collect: [] });
    expect(gunzipSync(zipped.body as Buffer).equals(text)).toBe(true);
  });

  it('is an error if there is no longer an inventory', async () => {
    const exposition = create();
    await commit(exposition, createSnapshot(scenario));
    latest = undefined;
    expect((await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] })).status).toBe(500);
  });

  it('is rendered again before it answers if a part of it is too old by now, and an error if it stays so', async () => {
    let old: Inventory | undefined;
    const renewed: string[] = [];
    const exposition = create({
      isOutdated: (inventory) => inventory === old,
      renew: async () => {
        renewed.push('renewed');
        if (renewed.length > 1) await commit(exposition, createSnapshot({}));
      },
    });
    await commit(exposition, createSnapshot(scenario));
    expect(await read(exposition)).toContain('license_feature_in_use{');
    old = latest;
    const answered = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
    expect([answered.status, renewed.length]).toEqual([500, 1]);
    expect(await read(exposition)).not.toContain('license_feature_in_use{');
    expect(renewed).toHaveLength(2);
  });
});
