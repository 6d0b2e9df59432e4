import { afterEach, describe, expect, it, vi } from 'vitest';
import { QueryError } from '../../../src/base/model/failure.ts';
import { historyPart, type PolledAnswers, type Snapshot, WHOLE } from '../../../src/base/model/snapshot.ts';
import { sectionDefaults } from '../../../src/base/settings/table.ts';
import type { QueryClient } from '../../../src/exporter/client/query-client.ts';
import { createSelection } from '../../../src/exporter/inventory/selection.ts';
import { createPoller, type Poller, type PollerOptions } from '../../../src/exporter/poll/poller.ts';
import type { PollingConfig } from '../../../src/exporter/poll/settings.ts';
import { poll as pollSection } from '../../../src/exporter/poll/settings.ts';
import { createTestLog } from '../../support/harness.ts';
import { answer, expiration, feature, product } from '../../support/scenario.ts';

type Client = QueryClient<PolledAnswers>;

/** Scheduling and retries, with a simulated clock and client. All other tests use a real analyzer. */

interface Site {
  products: string[];
  /** Unusable records of GetProducts. */
  badProducts: number;
  /** Calls that fail, by endpoint or by endpoint and product. */
  failing: Set<string>;
  /** With this HTTP status. */
  status: number;
  /** Calls whose answer has no records. */
  empty: Set<string>;
  calls: string[];
}

function createSite(...products: string[]): Site & { client: Client } {
  const site: Site = { products, badProducts: 0, failing: new Set(), status: 500, empty: new Set(), calls: [] };
  const call = async <T>(endpoint: string, detail: string, value: T): Promise<T> => {
    const name = detail === '' ? endpoint : `${endpoint} ${detail}`;
    site.calls.push(name);
    if (site.failing.has(endpoint) || site.failing.has(name))
      throw new QueryError('status', `the analyzer answered ${site.status}`, { code: String(site.status) });
    const isEmpty = site.empty.has(endpoint) || site.empty.has(name);
    const none = endpoint === 'GetProducts' ? answer<never>([]) : answer<never>([]);
    return isEmpty ? (none as T) : value;
  };
  const client = {
    getProducts: () =>
      call(
        'GetProducts',
        '',
        answer(
          site.products.map((name) => product({ product: name })),
          { bad_record: site.badProducts },
        ),
      ),
    getServerDown: () => call('GetServerDown', '', answer([])),
    getConcurrentUsers: () => call('GetConcurrentUsers', '', 3),
    getFeatures: ({ product: name }: { product: string }) =>
      call(
        'GetFeatures',
        name,
        answer(site.products.map((p) => feature({ serverName: p.split(';')[0] ?? '', daemon: 'd' }))),
      ),
    getExpirationFeatures: ({ product: name }: { product: string }) =>
      call('GetExpirationFeatures', name, answer([expiration()])),
    getHistory: ({ product: name }: { product: string }) => call('GetHistory', name, []),
  } as unknown as Client;
  return Object.assign(site, { client });
}

let poller: Poller | undefined;
afterEach(async () => {
  await poller?.stop();
  vi.useRealTimers();
});

const poll: PollingConfig['poll'] = { ...sectionDefaults(pollSection), startOffset: 0 };
const everything: PollingConfig = {
  analyzer: { timeout: 30, concurrency: 4 },
  poll,
  features: { request: 'auto' },
  expiration: { search: 'none' },
  history: { features: [] },
  metrics: { collectors: { history: true } },
  shard: { index: 0 },
};

type Changes = Partial<Omit<PollerOptions, 'client' | 'config'>> & Partial<PollingConfig>;

function create(site: { client: Client }, changes: Changes = {}): Poller {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 18, 9, 0, 30) });
  poller = createPoller({
    client: site.client,
    config: { ...everything, ...changes },
    selection: createSelection({ shard: { index: 0, total: 1 }, include: [], exclude: [] }),
    now: () => Date.now() / 1000,
    clockAhead: () => 0,
    log: createTestLog(),
    onCommit: () => undefined,
    ...changes,
  });
  return poller;
}

const count = (site: Site, name: string): number => site.calls.filter((call) => call.startsWith(name)).length;
const parts = (snapshot: Snapshot, endpoint: 'GetExpirationFeatures' | 'GetFeatures' | 'GetHistory') => [
  ...(snapshot.endpoints[endpoint]?.parts.keys() ?? []),
];

it('keeps how far the clock of the analyzer is ahead beside each list of products', async () => {
  let ahead = 7200;
  const { start, latest } = create(createSite('a;d'), { clockAhead: () => ahead });
  await start();
  const kept = () => {
    const reading = latest().endpoints.GetProducts?.parts.get(WHOLE);
    return reading?.ok === true ? reading.value.clockAhead : undefined;
  };
  expect(kept()).toBe(7200);
  ahead = 0;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(kept()).toBe(0);
});

it('reports vendor licenses that GetProducts no longer lists, once', async () => {
  const site = createSite('a;d', 'b;d', 'C;d');
  const log = createTestLog();
  const running = create(site, { log });
  await running.start();
  site.products = ['a;d', 'c;d'];
  await vi.advanceTimersByTimeAsync(180_000);
  const gone = log.entries.filter(({ message }) => message.includes('no longer lists'));
  expect(gone.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { endpoint: 'GetProducts', vendor_licenses: ['b;d'], count: 1 }],
  ]);
});

it('keeps asking for vendor licenses that a list with an unusable record lacks', async () => {
  const site = createSite('a;d', 'b;d');
  const log = createTestLog();
  const running = create(site, { log });
  await running.start();
  site.products = ['a;d'];
  site.badProducts = 1;
  await vi.advanceTimersByTimeAsync(180_000);
  expect(log.entries.filter(({ message }) => message.includes('no longer lists'))).toEqual([]);
  expect(parts(running.latest(), 'GetExpirationFeatures')).toEqual(['a;d', 'b;d']);
  site.badProducts = 0;
  await vi.advanceTimersByTimeAsync(180_000);
  expect(log.entries.filter(({ message }) => message.includes('no longer lists'))).toHaveLength(1);
});

it('asks for all features at once again after a short fault, later each time', async () => {
  const site = createSite('a;d', 'b;d');
  const log = createTestLog();
  const running = create(site, { log });
  await running.start();
  const asked = async (minutes: number): Promise<readonly string[]> => {
    site.calls.length = 0;
    await vi.advanceTimersByTimeAsync(minutes * 60_000);
    return site.calls.filter((call) => call.startsWith('GetFeatures'));
  };
  const [whole, each] = [['GetFeatures %'], ['GetFeatures a;d', 'GetFeatures b;d']] as const;
  expect(await asked(5)).toEqual(whole);
  site.failing.add('GetFeatures %');
  expect(await asked(5)).toEqual([...whole, ...each]);
  expect(log.entries.find(({ message }) => message.includes('per vendor license'))).toMatchObject({
    level: 'warn',
    fields: { endpoint: 'GetFeatures', retry: 900 },
  });
  expect(await asked(10)).toEqual([...each, ...each]);
  // the fault goes on: the next attempts are after 30 and 60 minutes
  expect(await asked(5)).toEqual([...whole, ...each]);
  expect(await asked(25)).toEqual(Array.from({ length: 5 }, () => each).flat());
  expect(await asked(5)).toEqual([...whole, ...each]);
  site.failing.clear();
  expect(await asked(55)).toEqual(Array.from({ length: 11 }, () => each).flat());
  expect(await asked(15)).toEqual([...whole, ...whole, ...whole]);
  expect(log.entries.filter(({ message }) => message.includes('per vendor license'))).toHaveLength(1);
  expect(log.entries.filter(({ message }) => message.includes('at once again'))).toHaveLength(1);
});

it('does not take an answer for all features as whole while GetProducts fails', async () => {
  const site = createSite('a;d', 'b;d');
  const running = create(site);
  await running.start();
  site.failing.add('GetFeatures %');
  await vi.advanceTimersByTimeAsync(300_000);
  site.failing.clear();
  site.failing.add('GetProducts');
  // the retry, which an answer without any feature meets
  site.empty.add('GetFeatures %');
  await vi.advanceTimersByTimeAsync(900_000);
  expect(parts(running.latest(), 'GetFeatures')).toEqual(['a;d', 'b;d']);
  site.calls.length = 0;
  await vi.advanceTimersByTimeAsync(300_000);
  expect(site.calls.filter((call) => call.startsWith('GetFeatures'))).toEqual(['GetFeatures a;d', 'GetFeatures b;d']);
});

it('fails GetFeatures of all vendor licenses if no record names its owner', async () => {
  const site = createSite('a;d');
  const client = {
    ...site.client,
    getFeatures: async () => answer([feature({ serverName: 'a', daemon: '' })]),
  };
  const running = create({ client: client as Client }, { features: { request: 'all' } });
  await running.pollOnce();
  expect(running.latest().endpoints.GetFeatures?.parts.get(WHOLE)).toMatchObject({
    ok: false,
    failure: {
      kind: 'schema',
      message: expect.stringMatching(/^no record of the answer has both ServerName and Daemon/),
    },
  });
});

describe('the poller', () => {
  it('has a state of every endpoint from the start, as not yet good', () => {
    const { endpoints } = create(createSite('a;d')).latest();
    expect(Object.keys(endpoints).sort()).toEqual([
      'GetConcurrentUsers',
      'GetExpirationFeatures',
      'GetFeatures',
      'GetProducts',
      'GetServerDown',
    ]);
    expect(endpoints.GetFeatures).toEqual({ interval: 300, maxAge: 900, parts: new Map() });
    expect(endpoints.GetProducts?.maxAge).toBe(300);
  });

  it('polls at once, then on schedule', async () => {
    const site = createSite('a;d', 'b;d');
    await create(site).start();
    expect(site.calls.sort()).toEqual([
      'GetConcurrentUsers',
      'GetExpirationFeatures a;d',
      'GetExpirationFeatures b;d',
      'GetFeatures %',
      'GetProducts',
      'GetServerDown',
    ]);
    await vi.advanceTimersByTimeAsync(9 * 60_000);
    expect(count(site, 'GetProducts')).toBe(10);
    expect(count(site, 'GetFeatures')).toBe(2);
    expect(count(site, 'GetExpirationFeatures')).toBe(4);
  });

  it('delays scheduled polls by its offset', async () => {
    const site = createSite('a;d');
    await create(site, { poll: { ...poll, startOffset: 7 } }).start();
    await vi.advanceTimersByTimeAsync(36_000);
    expect(count(site, 'GetProducts')).toBe(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(count(site, 'GetProducts')).toBe(2);
  });

  /** Minutes after the start in which a call is made. */
  const minutesOf = async (site: Site, call: string, minutes: number): Promise<number[]> => {
    const times: number[] = [];
    for (let second = 0; second < minutes * 60 + 20; second += 1) {
      const before = count(site, call);
      await vi.advanceTimersByTimeAsync(1000);
      if (count(site, call) > before) times.push(Math.round((second + 1) / 60));
    }
    return times;
  };

  it('retries a failed part alone after 1, 2 and 5 minutes and then every 5, until it is good', async () => {
    const site = createSite('a;d', 'b;d');
    site.failing.add('GetExpirationFeatures b;d');
    await create(site).start();
    expect(await minutesOf(site, 'GetExpirationFeatures b;d', 25)).toEqual([1, 2, 5, 7, 8, 9, 12, 17, 22]);
    // once more at 9:07, when everything is requested
    expect(count(site, 'GetExpirationFeatures a;d')).toBe(2);
    site.failing.clear();
    expect(await minutesOf(site, 'GetExpirationFeatures b;d', 10)).toEqual([1]);
    expect(poller?.latest().endpoints.GetExpirationFeatures?.lastSuccess).toBeDefined();
  });

  it('requests one part every minute if all fail, and the others when it is good', async () => {
    const site = createSite('a;d', 'b;d', 'c;d');
    site.failing.add('GetExpirationFeatures');
    await create(site, { poll: { ...poll, expirations: '0 8 * * *' } }).start();
    await vi.advanceTimersByTimeAsync(125_000);
    expect(count(site, 'GetExpirationFeatures')).toBe(9);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(count(site, 'GetExpirationFeatures')).toBe(11);
    await vi.advanceTimersByTimeAsync(120_000);
    site.failing.clear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(count(site, 'GetExpirationFeatures')).toBe(18);
    const readings = [...(poller?.latest().endpoints.GetExpirationFeatures?.parts.values() ?? [])];
    expect(readings.map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it('requests a new vendor license at once, and drops one that is gone', async () => {
    const site = createSite('a;d');
    const running = create(site);
    await running.start();
    site.products = ['a;d', 'new;d'];
    await vi.advanceTimersByTimeAsync(60_000);
    expect(count(site, 'GetExpirationFeatures new;d')).toBe(1);
    expect(count(site, 'GetExpirationFeatures a;d')).toBe(1);
    expect(parts(running.latest(), 'GetExpirationFeatures')).toEqual(['a;d', 'new;d']);
    site.products = ['new;d'];
    await vi.advanceTimersByTimeAsync(60_000);
    expect(parts(running.latest(), 'GetExpirationFeatures')).toEqual(['new;d']);
  });

  it('accepts an empty GetProducts after 15 minutes, and not while another endpoint names a vendor license', async () => {
    const site = createSite('a;d');
    const running = create(site);
    const reading = () => running.latest().endpoints.GetProducts?.parts.get(WHOLE);
    await running.start();
    for (const call of ['GetProducts', 'GetFeatures']) site.empty.add(call);
    await vi.advanceTimersByTimeAsync(30 * 60_000);
    expect(reading()).toMatchObject({
      ok: false,
      failure: { kind: 'schema', message: expect.stringContaining('GetExpirationFeatures has features of "a;d"') },
      last: { value: { records: [{ product: 'a;d' }] } },
    });
    expect(parts(running.latest(), 'GetExpirationFeatures')).toEqual(['a;d']);
    // at 10:07 that is requested again
    site.empty.add('GetExpirationFeatures');
    await vi.advanceTimersByTimeAsync(50 * 60_000);
    expect(reading()).toMatchObject({
      ok: false,
      failure: { message: expect.stringMatching(/so far 14 within 13 min/) },
    });
    await vi.advanceTimersByTimeAsync(3 * 60_000);
    expect(reading()).toMatchObject({ ok: true, value: { records: [] } });
    expect(Object.keys(running.latest().endpoints).sort()).toEqual([
      'GetConcurrentUsers',
      'GetProducts',
      'GetServerDown',
    ]);
  });

  it('accepts an empty GetProducts at once if it is requested only once', async () => {
    const running = create(createSite());
    await running.pollOnce();
    expect(running.latest().endpoints.GetProducts?.parts.get(WHOLE)).toMatchObject({ ok: true });
    await running.stop();
    const daemon = create(createSite());
    await daemon.start();
    expect(daemon.latest().endpoints.GetProducts?.parts.get(WHOLE)).toMatchObject({
      ok: false,
      failure: { kind: 'schema' },
    });
  });

  it.each(['GetFeatures %', 'GetFeatures'])('keeps the last good features if %s is empty', async (call) => {
    const site = createSite('a;d', 'b;d');
    const running = create(site);
    await running.start();
    site.empty.add(call);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(parts(running.latest(), 'GetFeatures')).toEqual(['a;d', 'b;d']);
    const reading = running.latest().endpoints.GetFeatures?.parts.get('a;d');
    if (call === 'GetFeatures %') expect(reading).toMatchObject({ ok: true });
    else {
      const last = { value: { records: [{ serverName: 'a' }] } };
      expect(reading).toMatchObject({ ok: false, failure: { kind: 'schema' }, last });
    }
  });

  it('keeps the last good expiries when they suddenly disappear', async () => {
    const site = createSite('a;d', 'b;d');
    const running = create(site);
    await running.start();
    site.empty.add('GetExpirationFeatures b;d');
    await vi.advanceTimersByTimeAsync(8 * 60_000);
    const { parts: readings } = running.latest().endpoints.GetExpirationFeatures ?? {};
    expect(readings?.get('a;d')).toMatchObject({ ok: true });
    expect(readings?.get('b;d')).toMatchObject({
      ok: false,
      failure: { kind: 'schema', code: 'CONTRADICTION' },
      last: { value: { records: [{}] } },
    });
  });

  it('does not poll what is off, and drops its data', async () => {
    const site = createSite('a;d');
    const before = create(site);
    await before.start();
    await before.stop();
    site.calls.length = 0;
    const running = create(site, {
      initial: before.latest(),
      poll: { ...poll, serverDown: 'off', concurrentUsers: 'off', features: 'off' },
    });
    await running.start();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect([...new Set(site.calls)].sort()).toEqual(['GetExpirationFeatures a;d', 'GetProducts']);
    expect(Object.keys(running.latest().endpoints).sort()).toEqual(['GetExpirationFeatures', 'GetProducts']);
    expect(running.latest().off).toEqual(['GetServerDown', 'GetConcurrentUsers', 'GetFeatures']);
  });

  it('marks an endpoint as absent after 5 minutes, retries hourly, and polls it again when it answers', async () => {
    const site = createSite('a;d', 'b;d');
    site.status = 404;
    for (const call of ['GetConcurrentUsers', 'GetExpirationFeatures', 'GetServerDown']) site.failing.add(call);
    const log = createTestLog();
    const running = create(site, { log });
    await running.start();
    const absent = () =>
      Object.entries(running.latest().endpoints).flatMap(([name, { isAbsent }]) => (isAbsent === true ? [name] : []));
    expect(absent()).toEqual([]);
    await vi.advanceTimersByTimeAsync(6 * 60_000 + 30_000);
    // GetServerDown is never absent
    expect(absent().sort()).toEqual(['GetConcurrentUsers', 'GetExpirationFeatures']);
    site.calls.length = 0;
    await vi.advanceTimersByTimeAsync(57 * 60_000);
    expect([count(site, 'GetConcurrentUsers'), count(site, 'GetExpirationFeatures')]).toEqual([0, 0]);
    site.failing.clear();
    await vi.advanceTimersByTimeAsync(2.5 * 60_000);
    expect(absent()).toEqual([]);
    expect(count(site, 'GetExpirationFeatures')).toBe(2);
    site.calls.length = 0;
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(count(site, 'GetConcurrentUsers')).toBe(5);
    const logged = log.entries.filter(({ message }) => message.startsWith('the analyzer does not have this endpoint'));
    expect(logged.map(({ fields }) => fields.endpoint).sort()).toEqual(['GetConcurrentUsers', 'GetExpirationFeatures']);
  });

  it('keeps absent endpoints over a reload', async () => {
    const site = createSite('a;d');
    site.status = 404;
    site.failing.add('GetConcurrentUsers');
    const before = create(site);
    await before.start();
    await vi.advanceTimersByTimeAsync(7 * 60_000);
    const initial = before.latest();
    await before.stop();
    site.calls.length = 0;
    const running = create(site, { initial, now: () => initial.at + 60 });
    await running.start();
    expect([count(site, 'GetConcurrentUsers'), running.latest().endpoints.GetConcurrentUsers?.isAbsent]).toEqual([
      0,
      true,
    ]);
  });

  it('polls the others on schedule while the first pass over one hangs', async () => {
    const site = createSite('a;d', 'b;d', 'c;d');
    const hanging = (_: unknown, signal: AbortSignal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const client = { ...site.client, getExpirationFeatures: hanging, getConcurrentUsers: hanging };
    void create({ client: client as unknown as Client }, { analyzer: { timeout: 30, concurrency: 2 } }).start();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect([count(site, 'GetProducts'), count(site, 'GetFeatures')]).toEqual([11, 3]);
  });

  it('requests everything that failed when GetProducts recovers', async () => {
    const site = createSite('a;d');
    for (const endpoint of ['GetProducts', 'GetFeatures', 'GetExpirationFeatures']) site.failing.add(endpoint);
    const running = create(site, { features: { request: 'all' } });
    await running.start();
    await vi.advanceTimersByTimeAsync(8 * 60_000);
    site.failing.clear();
    await vi.advanceTimersByTimeAsync(60_000);
    for (const endpoint of ['GetFeatures', 'GetExpirationFeatures'] as const) {
      expect([endpoint, ...(running.latest().endpoints[endpoint]?.parts.values() ?? [])]).toMatchObject([
        endpoint,
        { ok: true },
      ]);
    }
  });

  it.each([
    ['only GetFeatures fails', ['GetFeatures %'], 'a;d'],
    ['GetProducts fails too', ['GetFeatures %', 'GetProducts'], WHOLE],
  ])('changes the form of GetFeatures only while GetProducts is good: %s', async (_, failing, part) => {
    const site = createSite('a;d');
    const running = create(site);
    await running.start();
    for (const call of failing) site.failing.add(call);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(parts(running.latest(), 'GetFeatures')).toEqual([part]);
  });

  it('keeps the last good value of a part that fails', async () => {
    const site = createSite('a;d');
    const running = create(site);
    await running.start();
    site.failing.add('GetConcurrentUsers');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(running.latest().endpoints.GetConcurrentUsers?.parts.get(WHOLE)).toMatchObject({
      ok: false,
      failure: { kind: 'status' },
      last: { value: 3 },
    });
  });

  it('does not request a name that matches others too', async () => {
    const site = createSite('a%;d', 'ab;d');
    const running = create(site, { features: { request: 'per_vendor_license' } });
    await running.start();
    for (const endpoint of ['GetFeatures', 'GetExpirationFeatures'] as const) {
      expect(running.latest().endpoints[endpoint]?.parts.get('a%;d')).toMatchObject({
        ok: false,
        failure: { kind: 'ambiguous_name' },
      });
      expect(running.latest().endpoints[endpoint]?.parts.get('ab;d')).toMatchObject({ ok: true });
    }
    expect(count(site, 'GetFeatures a%;d')).toBe(0);
  });

  it('does not request what belongs to other shards', async () => {
    const site = createSite('lic01;cdslmd', 'lic02;mgcld');
    const running = create(site, {
      selection: createSelection({ shard: { index: 2, total: 3 }, include: [], exclude: [] }),
      shard: { index: 1 },
    });
    await running.start();
    expect(parts(running.latest(), 'GetExpirationFeatures')).toEqual(['lic02;mgcld']);
    expect(running.latest().endpoints.GetConcurrentUsers).toBeUndefined();
    expect(count(site, 'GetConcurrentUsers')).toBe(0);
  });

  it('polls the configured history', async () => {
    const site = createSite('a;d');
    const question = { product: 'a;d', feature: 'f', package: '', featureType: '' };
    const running = create(site, { history: { features: [{ ...question, vendorLicense: question.product }] } });
    await running.start();
    expect(parts(running.latest(), 'GetHistory')).toEqual([historyPart(question)]);
  });

  it('reports each unknown field once, when it first appears', async () => {
    const site = createSite('a;d');
    let fields = ['label', 'since'];
    const client = { ...site.client, getServerDown: async () => answer([], {}, fields) } as unknown as Client;
    const log = createTestLog();
    const running = create({ client }, { log });
    const reported = () =>
      log.entries.filter(({ message }) => message.includes('fields')).map(({ level, fields: shown }) => [level, shown]);
    const first = ['warn', { endpoint: 'GetServerDown', fields: ['label', 'since'], count: 2 }];
    await running.pollOnce();
    await running.pollOnce();
    expect(reported()).toEqual([first]);
    fields = ['since', 'Until'];
    await running.pollOnce();
    fields = ['label'];
    await running.pollOnce();
    expect(reported()).toEqual([first, ['warn', { endpoint: 'GetServerDown', fields: ['Until'], count: 1 }]]);
  });

  it('says once which name is cut in labels', async () => {
    const site = createSite('a;d');
    const records = [feature({ serverName: 'a', daemon: 'd' }), feature({ feature: 'n'.repeat(2000), daemon: 'd' })];
    const client = { ...site.client, getFeatures: async () => answer(records, { long_name: 1 }) } as unknown as Client;
    const log = createTestLog();
    const running = create({ client }, { log });
    await running.pollOnce();
    await running.pollOnce();
    const said = log.entries.filter(({ message }) => message.includes('labels')).map(({ fields }) => fields);
    expect(said).toEqual([{ endpoint: 'GetFeatures', count: 1, field: 'feature', begins: 'n'.repeat(60) }]);
  });

  it('does not accept features without an owner', async () => {
    const site = createSite('a;d');
    const client = {
      ...site.client,
      getFeatures: async () => answer([feature({ serverName: '', daemon: '' })]),
    } as unknown as Client;
    const running = create({ client }, { features: { request: 'all' } });
    await running.pollOnce();
    const reading = running.latest().endpoints.GetFeatures?.parts.get(WHOLE);
    expect(reading).toMatchObject({ ok: false, failure: { kind: 'schema' } });
  });

  it('limits the number of concurrent requests', async () => {
    let running = 0;
    let peak = 0;
    const site = createSite(...Array.from({ length: 30 }, (_, i) => `p${i};d`));
    const client = {
      ...site.client,
      getExpirationFeatures: async () => {
        running += 1;
        peak = Math.max(peak, running);
        // longer than GetFeatures, which is requested at the same time
        for (let i = 0; i < 10; i += 1) await Promise.resolve();
        running -= 1;
        return answer([]);
      },
    } as unknown as Client;
    // one slot is reserved for requests about the whole site
    await create({ client }, { analyzer: { timeout: 30, concurrency: 4 } }).start();
    expect(peak).toBe(3);
  });

  it('supports a schedule that runs once a year', async () => {
    const site = createSite('a;d');
    const names = ['products', 'serverDown', 'concurrentUsers', 'features', 'expirations', 'history'];
    const yearly = { ...poll, ...Object.fromEntries(names.map((name) => [name, '0 0 1 1 *'])) };
    const slow = {
      ...site.client,
      // on the clock of the test
      getServerDown: () => new Promise((resolve) => setTimeout(() => resolve(answer([])), 5000)),
    };
    const polling = create({ client: slow as unknown as Client }, { poll: yearly });
    const started = polling.start();
    await vi.advanceTimersByTimeAsync(6000);
    await started;
    expect(polling.latest().endpoints.GetServerDown?.parts.get(WHOLE)?.ok).toBe(true);
  });

  it('ends a pass at its deadline', async () => {
    const site = createSite('a;d');
    const client = {
      ...site.client,
      getServerDown: (_: unknown, signal: AbortSignal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    } as unknown as Client;
    const polling = create({ client });
    const started = polling.start();
    await vi.advanceTimersByTimeAsync(61_000);
    await started;
    expect(polling.latest().endpoints.GetServerDown?.parts.get(WHOLE)).toMatchObject({
      ok: false,
      failure: { kind: 'timeout' },
    });
  });
});

describe('what has changed at an analyzer in this process', () => {
  async function startOwn(options: Changes = {}) {
    const site = createSite('a;d', 'b;d');
    const commits: Snapshot[] = [];
    const log = createTestLog();
    const running = create(site, {
      features: { request: 'per_vendor_license' },
      onCommit: (snapshot) => commits.push(snapshot),
      log,
      ...options,
    });
    await running.start();
    site.calls.length = 0;
    commits.length = 0;
    return { site, running, commits, log };
  }

  /** Holds the calls of an endpoint back until they are released. */
  function hold(site: Site & { client: Client }, method: 'getServerDown' | 'getExpirationFeatures'): (() => void)[] {
    const gates: (() => void)[] = [];
    const held = site.client[method].bind(site.client) as (...call: unknown[]) => Promise<unknown>;
    Object.assign(site.client, {
      [method]: async (...call: unknown[]) => {
        await new Promise<void>((resolve) => gates.push(resolve));
        return held(...call);
      },
    });
    return gates;
  }

  const messagesOf = ({ entries }: ReturnType<typeof createTestLog>) =>
    entries.map(({ message }) => message).filter((message) => message !== 'poll ended');
  const featuresAsked = ({ calls }: Site) => calls.filter((call) => call.startsWith('GetFeatures'));

  it('is polled at once, in one commit, and nothing else', async () => {
    const { site, running, commits } = await startOwn();
    await running.pollChanged(['b;d']);
    expect(site.calls).toEqual([
      'GetProducts',
      'GetServerDown',
      'GetConcurrentUsers',
      'GetFeatures b;d',
      'GetExpirationFeatures b;d',
    ]);
    expect(commits).toEqual([running.latest()]);
  });

  it('is polled with what GetProducts lists for the first time', async () => {
    const { site, running, commits } = await startOwn();
    site.products.push('c;d');
    await running.pollChanged([]);
    expect(parts(running.latest(), 'GetFeatures')).toEqual(['a;d', 'b;d', 'c;d']);
    expect(featuresAsked(site)).toEqual(['GetFeatures c;d']);
    expect(commits.map((snapshot) => parts(snapshot, 'GetFeatures'))).toEqual([['a;d', 'b;d', 'c;d']]);
  });

  it('is left out by the next scheduled poll, and only by that', async () => {
    const { site, running } = await startOwn();
    await running.pollChanged(['b;d']);
    site.calls.length = 0;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(site.calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(site.calls.sort()).toEqual(['GetConcurrentUsers', 'GetProducts', 'GetServerDown']);
    await vi.advanceTimersByTimeAsync(180_000);
    expect(featuresAsked(site)).toEqual(['GetFeatures a;d']);
    site.calls.length = 0;
    await vi.advanceTimersByTimeAsync(300_000);
    expect(featuresAsked(site)).toEqual(['GetFeatures a;d', 'GetFeatures b;d']);
  });

  it('is left out only if it does not become too old', async () => {
    const { site, running } = await startOwn({ poll: { ...poll, maxDataAge: 400 } });
    await running.pollChanged(['b;d']);
    site.calls.length = 0;
    // nobody polls GetFeatures for the next five minutes
    await vi.advanceTimersByTimeAsync(300_000);
    expect(featuresAsked(site)).toEqual(['GetFeatures a;d', 'GetFeatures b;d']);
  });

  it('is polled again by the schedule if that failed, and not by what changes elsewhere', async () => {
    const { site, running } = await startOwn();
    site.failing.add('GetServerDown').add('GetFeatures a;d');
    await running.pollChanged(['a;d']);
    site.failing.clear();
    site.calls.length = 0;
    await running.pollChanged(['b;d']);
    expect(featuresAsked(site)).toEqual(['GetFeatures b;d']);
    site.failing.add('GetServerDown');
    await running.pollChanged([]);
    site.failing.clear();
    site.calls.length = 0;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(site.calls).toContain('GetServerDown');
    expect(site.calls).not.toContain('GetProducts');
  });

  it('leaves history to its schedule', async () => {
    const question = { product: 'a;d', feature: 'f', package: '', featureType: '' };
    const { site, running } = await startOwn({
      history: { features: [{ ...question, vendorLicense: question.product }] },
      poll: { ...poll, history: '1 * * * *' },
    });
    await running.pollChanged(['a;d']);
    expect(count(site, 'GetHistory')).toBe(0);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(count(site, 'GetHistory')).toBe(1);
  });

  it('requests what had failed when GetProducts recovers', async () => {
    const { site, running } = await startOwn();
    site.failing.add('GetProducts').add('GetFeatures a;d');
    await running.pollChanged(['a;d']);
    site.failing.clear();
    site.calls.length = 0;
    await running.pollChanged(['b;d']);
    await vi.advanceTimersByTimeAsync(0);
    expect(featuresAsked(site).sort()).toEqual(['GetFeatures a;d', 'GetFeatures b;d']);
  });

  it('is polled together when many collections end at the same time', async () => {
    const { site, running, commits, log } = await startOwn();
    await Promise.all(['a;d', 'b;d', 'a;d', 'b;d'].map((name) => running.pollChanged([name])));
    expect([count(site, 'GetProducts'), featuresAsked(site)]).toEqual([
      2,
      ['GetFeatures a;d', 'GetFeatures a;d', 'GetFeatures b;d'],
    ]);
    expect(commits).toHaveLength(2);
    expect(commits.at(-1)).toBe(running.latest());
    expect(messagesOf(log)).toEqual([]);
  });

  it('is not polled for a while after that has taken long, and then together', async () => {
    const { site, running } = await startOwn();
    const gates = hold(site, 'getServerDown');
    const first = running.pollChanged(['a;d']);
    await vi.advanceTimersByTimeAsync(10);
    gates[0]?.();
    await first;
    site.calls.length = 0;
    const others = ['a;d', 'b;d'].map((name) => running.pollChanged([name]));
    await vi.advanceTimersByTimeAsync(0);
    expect([site.calls, gates.length]).toEqual([[], 1]);
    // twenty times as long
    await vi.advanceTimersByTimeAsync(200);
    expect(gates).toHaveLength(2);
    gates[1]?.();
    await Promise.all(others);
    expect(featuresAsked(site)).toEqual(['GetFeatures a;d', 'GetFeatures b;d']);
  });

  it('waits for a pass that runs, and a scheduled one waits for it', async () => {
    const { site, running, log } = await startOwn({ poll: { ...poll, products: '30 * * * * *' } });
    const gates = hold(site, 'getServerDown');
    await vi.advanceTimersByTimeAsync(30_000);
    const polled = running.pollChanged([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(gates).toHaveLength(1);
    gates[0]?.();
    await vi.advanceTimersByTimeAsync(1000);
    expect(gates).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(58_000);
    // the scheduled pass of 9:02 neither runs nor is reported as skipped
    expect(gates).toHaveLength(2);
    gates[1]?.();
    await polled;
    await vi.advanceTimersByTimeAsync(0);
    expect(messagesOf(log)).toEqual([]);
    // what was polled after 9:01 is left out at 9:02
    expect([count(site, 'GetServerDown'), gates.length]).toEqual([2, 2]);
  });

  it('holds back no commit of what the schedule polls meanwhile', async () => {
    const { site, running, commits } = await startOwn();
    const gates = hold(site, 'getExpirationFeatures');
    const polled = running.pollChanged(['a;d']);
    await vi.advanceTimersByTimeAsync(150_000);
    expect(gates).toHaveLength(1);
    expect(commits.length).toBeGreaterThanOrEqual(3);
    gates[0]?.();
    await polled;
  });

  it('is neither polled nor committed after the stop', async () => {
    const { site, running, commits } = await startOwn();
    const gates = hold(site, 'getServerDown');
    const polled = running.pollChanged(['a;d']);
    await vi.advanceTimersByTimeAsync(0);
    site.calls.length = 0;
    const stopped = running.stop();
    gates[0]?.();
    await Promise.all([polled, stopped]);
    await running.pollChanged(['a;d']);
    // the one that ran
    expect([site.calls, commits]).toEqual([['GetServerDown'], []]);
  });

  it('can be polled after a reader of the snapshot has failed', async () => {
    let isBroken = true;
    const seen: Snapshot[] = [];
    const { running } = await startOwn();
    await running.stop();
    const other = create(createSite('a;d'), {
      features: { request: 'per_vendor_license' },
      onCommit: (snapshot) => {
        if (isBroken) throw new Error('broken');
        seen.push(snapshot);
      },
    });
    await expect(other.pollChanged(['a;d'])).rejects.toThrow('broken');
    isBroken = false;
    await other.pollChanged(['a;d']);
    expect(seen).toEqual([other.latest()]);
  });
});
