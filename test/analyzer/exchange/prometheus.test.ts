import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { csvText, openMetricsText } from '../../../src/analyzer/exchange/export-history.ts';
import { importPrometheus } from '../../../src/analyzer/exchange/import-prometheus.ts';
import { Names } from '../../../src/analyzer/exchange/names.ts';
import type { DayOfSamples, Sample, Series } from '../../../src/analyzer/history/sample.ts';
import { openStore } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { createCleanup } from '../../support/harness.ts';
import { findProgram } from '../../support/peers.ts';
import { createRunner } from '../../support/run.ts';
import { seed } from '../../support/seed.ts';
import { startPeer } from '../../support/start-peer.ts';

/** History into a real Prometheus, and out of it again. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { temporaryFolder } = createRunner(cleanup);

const SLOT = 300;
const localTime = createLocalTime('Europe/Berlin');
/** Days with a change of the clocks among them. */
const first = localTime.dayOf(Date.parse('2026-03-28T12:00Z') / 1000);
const until = first + 3;

const featuresOf = (vendorLicense: string, ...names: readonly string[]): Series[] =>
  names.map((feature) => ({ vendorLicense, feature, package: '', featureType: 'feature' }));
const all = [
  ...featuresOf('27000@lic1;vend', 'cad', 'a "b" \\ c'),
  { vendorLicense: '27000@lic1;vend', feature: 'cad', package: 'suite', featureType: 'component' },
  ...featuresOf('27000@lic2;other', 'Größe ✓'),
];

const figure = fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined, freq: 4 });

/** Samples of a day with times in which nothing is known. */
const dayOfSamples = (start: number, end: number): fc.Arbitrary<Sample[]> =>
  fc
    .array(
      fc.record({
        slots: fc.integer({ min: 1, max: 30 }),
        isKnown: fc.boolean(),
        available: figure,
        inUse: figure,
        users: figure,
        denials: fc.integer({ min: 0, max: 2 }),
        more: fc.integer({ min: 0, max: 2 }),
      }),
      { minLength: 20 },
    )
    .map((parts) => {
      const samples: Sample[] = [];
      let at = start;
      for (const { slots, isKnown, denials, more, ...known } of parts) {
        const { inUse } = known;
        const peak = inUse === undefined || more === 0 ? undefined : inUse + more;
        for (let i = 0; i < slots && at < end; i += 1, at += SLOT) {
          const whole = peak === undefined || i % 3 > 0 ? undefined : { peak, licenseSeconds: undefined };
          if (isKnown) samples.push({ at, seconds: SLOT, ...known, reserved: undefined, denials, whole });
        }
      }
      return samples;
    });

const days: readonly DayOfSamples[] = all.flatMap((series, i) =>
  Array.from({ length: until - first }, (_, d) => {
    const day = first + d;
    const [samples = []] = fc.sample(dayOfSamples(localTime.startOf(day), localTime.startOf(day + 1)), {
      seed: seed + 10 * i + d,
      numRuns: 1,
    });
    return { series, day, samples };
  }),
);

function exported(text: typeof openMetricsText | typeof csvText, some = days): string {
  const store = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
  runAtOnce(store.add(some, ['', '']));
  const options = { store, localTime, series: store.series(), from: first, until };
  const whole = [...text(options)].join('');
  store.close();
  return whole;
}

/** The most that was in use, slot by slot. */
const peaks = (samples: readonly Sample[]): [number, number | undefined][] =>
  samples.flatMap(({ at, inUse, whole }) => (inUse === undefined ? [] : [[at, whole?.peak ?? inUse]]));

const known = (samples: readonly Sample[], name: 'inUse' | 'available' | 'users'): [number, number][] =>
  samples.flatMap((sample) => (sample[name] === undefined ? [] : [[sample.at, sample[name]]]));

describe('an export to Prometheus', () => {
  it('has the peak of a slot of which the beginning is not known', () => {
    const [series] = all as [Series];
    const start = localTime.startOf(first);
    const unknown = { available: undefined, reserved: undefined, users: undefined, denials: undefined, seconds: SLOT };
    const samples = [
      { ...unknown, at: start, inUse: undefined, whole: { peak: 7, licenseSeconds: 90 } },
      { ...unknown, at: start + SLOT, inUse: 2 },
      { ...unknown, at: start + 2 * SLOT, inUse: undefined, whole: { peak: 9, licenseSeconds: 90 } },
    ];
    const lines = exported(openMetricsText, [{ series, day: first, samples }]).split('\n');
    expect(
      lines.filter((line) => line.startsWith('license_feature_in_use{')).map((line) => line.split('} ')[1]),
    ).toEqual([`7 ${(start + SLOT - 1.002).toFixed(3)}`, `2 ${(start + SLOT - 0.001).toFixed(3)}`]);
  });

  it('becomes blocks whose samples are those of the history, gaps are gaps, and comes back as it was', async () => {
    const folder = temporaryFolder();
    const text = join(folder, 'history.om');
    const data = join(folder, 'data');
    mkdirSync(data);
    writeFileSync(text, exported(openMetricsText));
    execFileSync(findProgram('promtool') ?? 'promtool', ['tsdb', 'create-blocks-from', 'openmetrics', text, data], {
      stdio: 'pipe',
    });
    writeFileSync(join(folder, 'p.yml'), 'scrape_configs: []\n');
    const { url } = await startPeer(cleanup, 'prometheus', [
      `--config.file=${folder}/p.yml`,
      `--storage.tsdb.path=${data}`,
      '--storage.tsdb.retention.time=100y',
      '--web.listen-address=127.0.0.1:0',
    ]);

    const query = `license_feature_in_use{feature="cad",package=""}`;
    const from = localTime.startOf(first);
    const end = localTime.startOf(until) - 1;
    const response = await fetch(
      `${url}/api/v1/query_range?query=${encodeURIComponent(query)}&start=${from}&end=${end}&step=${SLOT}`,
    );
    const { data: answer } = (await response.json()) as { data: { result: { values: [number, string][] }[] } };
    const cad = days.filter(({ series }) => series === all[0]).flatMap(({ samples }) => samples);
    expect(answer.result.flatMap(({ values }) => values.map(([at, value]) => [at, Number(value)]))).toEqual(
      known(cad, 'inUse'),
    );

    const found: DayOfSamples[] = [];
    await importPrometheus({
      server: { url: `${url}/`, authorization: undefined },
      localTime,
      names: new Names({ known: all, server: undefined, servers: [] }),
      from: first,
      until,
      write: (some) => found.push(...some),
      onProgress: () => undefined,
    });
    for (const series of all) {
      const own = days.filter((one) => one.series === series).flatMap(({ samples }) => samples);
      const back = found
        .filter((one) => JSON.stringify(one.series) === JSON.stringify(series))
        .flatMap(({ samples }) => samples);
      for (const name of ['inUse', 'available', 'users'] as const) expect(known(back, name)).toEqual(known(own, name));
      expect(peaks(back)).toEqual(peaks(own));
      // the first one after a gap is not known: the counter may have counted meanwhile
      const at = new Map(own.map((sample) => [sample.at, sample]));
      for (const { at: time, denials } of back) {
        const isKnown = at.has(time) && at.has(time - SLOT);
        expect([time, denials]).toEqual([time, isKnown ? at.get(time)?.denials : undefined]);
      }
    }
  });
});

it('CSV has a line for each moment, and an empty cell for what is not known', () => {
  const [head, ...lines] = exported(csvText).replace('\ufeff', '').trimEnd().split('\r\n');
  expect(head).toBe('time,vendor_license,feature,package,feature_type,in_use,available,reserved,users,denials,peak');
  expect(lines).toHaveLength(days.reduce((sum, { samples }) => sum + samples.length, 0));
  const [sample] = days[0]?.samples ?? [];
  const peak = sample?.whole?.peak ?? sample?.inUse;
  const cells = [sample?.inUse, sample?.available, undefined, sample?.users, sample?.denials, peak]
    .map((one) => one ?? '')
    .join(',');
  const time = new Date((sample?.at ?? 0) * 1000).toISOString().replace('.000', '');
  expect(lines[0]).toBe(`${time},"27000@lic1;vend",cad,,feature,${cells}`);
});

describe('a server with the API of Prometheus', () => {
  /** Answers each query by its first metric. */
  async function startServer(answer: (path: string, body: URLSearchParams) => { status?: number; body: unknown }) {
    const asked: { path: string; authorization: string | undefined }[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        const path = request.url ?? '';
        asked.push({ path, authorization: request.headers.authorization });
        const { status = 200, body } = answer(path, new URLSearchParams(text));
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => new Promise((resolve) => server.close(resolve)));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prom`, asked };
  }

  const importFrom = async (url: string, names: Names): Promise<DayOfSamples[]> => {
    const found: DayOfSamples[] = [];
    await importPrometheus({
      server: { url, authorization: 'Bearer abc' },
      localTime,
      names,
      from: first,
      until: first + 1,
      write: (some) => found.push(...some),
      onProgress: () => undefined,
    });
    return found;
  };

  it('can have the series of flexlm_exporter, whose apps are daemons', async () => {
    const start = localTime.startOf(first);
    const { url, asked } = await startServer((path, body) => {
      if (path.endsWith('/series')) return { body: { data: [{ app: 'eda', name: 'vend', version: 'v11' }] } };
      const query = body.get('query') ?? '';
      const value = query.includes('flexlm_feature_used') ? '3' : '9';
      const result = query.includes('flexlm_')
        ? [{ metric: { app: 'eda', name: 'CAD' }, values: [[start + SLOT, value]] }]
        : [];
      return { body: { data: { resultType: 'matrix', result } } };
    });
    const names = new Names({ known: all, server: undefined, servers: [] });
    expect(await importFrom(url, names)).toEqual([
      {
        series: all[0],
        day: first,
        samples: [
          {
            at: start + SLOT,
            seconds: SLOT,
            available: 9,
            inUse: 3,
            reserved: undefined,
            users: undefined,
            denials: undefined,
          },
        ],
      },
    ]);
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer abc']));
    expect(asked.every(({ path }) => path.startsWith('/prom/api/v1/'))).toBe(true);
  });

  it.each<[string, { status?: number; body: unknown }, string]>([
    ['refuses', { status: 401, body: { error: 'no token' } }, '401 no token; pass --authorization-file'],
    ['fails', { status: 503, body: { error: 'overloaded' } }, '503 overloaded'],
    ['is another server', { body: { hello: 'world' } }, 'the answer has another form'],
  ])('that %s is named with the reason', async (_, answer, reason) => {
    const { url } = await startServer(() => answer);
    await expect(importFrom(url, new Names({ known: all, server: undefined, servers: [] }))).rejects.toThrow(
      `${url} does not answer as Prometheus does: ${reason}`,
    );
  });
});
