import { describe, expect, it } from 'vitest';
import { managerCodes } from '../../../src/analyzer/sources/manager-codes.ts';
import type { SourceSettings } from '../../../src/analyzer/sources/source-settings.ts';
import { createTransportHost } from '../../../src/analyzer/sources/transport/transport-host.ts';
import type { PoolObservation } from '../../../src/base/model/observation/observation.ts';
import { SourceFailure } from '../../../src/base/model/observation/source-failure.ts';
import { sourceSettings } from '../../support/source-settings.ts';

/** Another analyzer, whose answers are written here. */

const product = (name: string, more: object = {}): object => ({
  Product: name,
  CollectionTime: 1_800_000_000,
  IsCurrent: true,
  ...more,
});
const feature = (name: string, server: string, more: object = {}): object => ({
  ...{ Feature: name, ServerName: server, Daemon: 'vend', Version: '1', Package: '', LicenseType: 'floating' },
  ...{
    FeatureType: 'feature',
    LicenseModel: 'concurrent',
    MaxAvailable: 10,
    InUse: 2,
    LicenseExpiration: 1_900_000_000,
  },
  ...more,
});
const user = (name: string, more: object = {}): object => ({
  ...{
    UserName: name,
    UserHost: 'pc',
    UserDisplay: ':0',
    UsageTime: 1_799_999_000,
    LicenseHandle: '7',
    ShareHandle: 'undef',
  },
  ...{
    UsedLicenses: 1,
    QueuedLicenses: 0,
    BorrowedLicenses: 0,
    app_status: 1,
    app_duration: 30,
    license_model: 'concurrent',
  },
  ...more,
});

type Answers = Readonly<Record<string, unknown>>;

/** An answer that never comes. */
const hangs = Symbol('hangs');

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new SourceFailure('timeout', String(signal.reason?.message)))),
  );

/** Reads an analyzer that answers these questions. A question is an endpoint with its product and feature. */
async function read(answers: Answers, { prefix = '', asked = [] as string[], more = {} as object } = {}) {
  const settings = {
    ...sourceSettings({
      manager: 'query-api',
      servers: [],
      via: { kind: 'analyzer', url: 'http://a/analyzer', client: {} },
    }),
    prefix,
    ...more,
  } as SourceSettings & { prefix: string };
  const host = createTransportHost({
    workFolder: '/nonexistent',
    now: () => 1_800_000_100,
    onProblem: () => undefined,
  });
  try {
    const reader = managerCodes['query-api'].createReader(settings, {
      host,
      transport: {
        read: async ([endpoint = '', ...pairs], signal) => {
          const of = pairs.filter((pair) => /^(?:product|feature)=/.test(pair)).map((pair) => pair.split('=')[1]);
          const question = [endpoint, ...of].join(' ');
          asked.push(question);
          const answer = answers[question];
          if (answer instanceof Error) throw answer;
          if (answer === hangs) return untilAborted(signal);
          const stdout = typeof answer === 'string' ? answer : JSON.stringify(answer ?? []);
          return { stdout, stderr: '', exitCode: undefined, at: 1_800_000_100 };
        },
        close: async () => undefined,
      },
      read: async (input) => managerCodes['query-api'].read(input),
    });
    return await reader.read(new AbortController().signal);
  } finally {
    host.close();
  }
}

const poolsOf = ({ vendorLicenses }: Awaited<ReturnType<typeof read>>): readonly PoolObservation[] =>
  vendorLicenses.flatMap(({ pools }) => pools);

const one: Answers = {
  GetProducts: [product('27000@lic1;vend')],
  'GetFeatures %': [[feature('solver', '27000@lic1')]],
  'GetUsers 27000@lic1;vend solver': { totalCount: 1, data: [user('ada')] },
};

describe('the records of another analyzer', () => {
  it('stay as they are: nested arrays, NaN and what is missing', async () => {
    const text =
      '[[[' +
      JSON.stringify(feature('solver', '27000@lic1', { Extra: 1, Available: '8', LogInUse: 'NaN!' })).replace(
        '"NaN!"',
        'NaN',
      ) +
      ']]]';
    const [pool] = poolsOf(await read({ ...one, 'GetFeatures %': text }));
    expect(pool).toMatchObject({
      feature: 'solver',
      inUse: 2,
      available: 8,
      increments: [{ count: 10, expires: 1_900_000_000 }],
    });
    expect(pool?.record).toMatchObject({ Feature: 'solver', Available: 8, LogInUse: Number.NaN, MappedTo: null });
    expect(pool?.record?.MaxQueued).toBeUndefined();
    expect(pool?.record).not.toHaveProperty('Extra');
    expect([pool?.queued, pool?.denials, pool?.reservations]).toEqual([undefined, undefined, undefined]);
  });

  it('have users where GetUsers lists them, who wait apart from those who hold', async () => {
    const data = [
      user('ada', { BorrowedLicenses: 1 }),
      user('bob', { UsedLicenses: 0, QueuedLicenses: 3, UsageTime: 0 }),
    ];
    const figures = { MaxQueued: 3, BorrowedUse: 1, Active: 1 };
    const [pool] = poolsOf(
      await read({
        ...one,
        'GetFeatures %': [[feature('solver', '27000@lic1', figures)]],
        'GetUsers 27000@lic1;vend solver': { data },
      }),
    );
    expect(pool?.checkouts).toEqual([
      {
        user: 'ada',
        host: 'pc',
        display: ':0',
        since: 1_799_999_000,
        licenses: 1,
        handle: '7',
        shareHandle: undefined,
        borrowed: true,
        status: { state: 'active', seconds: 30 },
      },
    ]);
    expect(pool?.queued).toEqual([{ user: 'bob', host: 'pc', licenses: 3 }]);
    expect(pool?.unknownOfCheckouts).toBeUndefined();
  });

  it('keep server and end of a checkout, which only an analyzer of this program says', async () => {
    const data = [
      user('ada', { Server: 'rlm:5053@licb/foundry', Until: 1_800_900_000 }),
      user('bob', { Server: 'flexnet:27000@lica' }),
      user('cid', { Server: 'lica; reboot', Until: 'soon' }),
      user('dan', { Server: 7, Until: 0 }),
      user('eve'),
    ];
    const [pool] = poolsOf(await read({ ...one, 'GetUsers 27000@lic1;vend solver': { data } }));
    const known = pool?.checkouts.map(({ user: name, server, until }) => ({ name, server, until }));
    expect(known).toEqual([
      { name: 'ada', server: 'rlm:5053@licb/foundry', until: 1_800_900_000 },
      { name: 'bob', server: 'flexnet:27000@lica' },
      { name: 'cid' },
      { name: 'dan' },
      { name: 'eve' },
    ]);
    expect(pool?.checkouts[4]).not.toHaveProperty('server');
    expect(pool?.checkouts[4]).not.toHaveProperty('until');
  });

  it('have a prefix in every name, also of token pools, and are asked for without it', async () => {
    const asked: string[] = [];
    const token = { LicenseModel: 'token', TokenPool: 'credits', TokenSource: '27000@lic1;vend', TokenCostValue: 2 };
    const parsed = await read(
      { ...one, 'GetFeatures %': [[feature('solver', '27000@lic1', token)]] },
      { prefix: 'x-', asked },
    );
    expect(parsed.vendorLicenses).toMatchObject([
      { server: 'x-27000@lic1', daemon: 'vend', part: '', record: { Product: 'x-27000@lic1;vend' } },
    ]);
    expect(poolsOf(parsed)).toMatchObject([
      {
        token: { pool: 'credits', source: 'x-27000@lic1;vend', cost: 2 },
        record: { ServerName: 'x-27000@lic1', TokenSource: 'x-27000@lic1;vend' },
      },
    ]);
    expect(asked).toContain('GetUsers 27000@lic1;vend solver');
  });

  it('are asked for one vendor license at a time where all at once is refused, or a third part tells them apart', async () => {
    const names = ['27000@lic1;vend', '1@b;vend;east', '1@b;vend;west'];
    const each = Object.fromEntries(
      names.map((name) => [
        `GetFeatures ${name}`,
        [[feature(name.slice(-4), name.split(';')[0] ?? '', { InUse: 0, MaxQueued: 0 })]],
      ]),
    );
    const base = { GetProducts: names.map((name) => product(name)), ...each };
    const featuresIn = async (answers: Answers) =>
      (await read(answers)).vendorLicenses.map(({ part, pools }) => [part, pools.map((pool) => pool.feature)]);
    const expected = [
      ['', ['vend']],
      ['east', ['east']],
      ['west', ['west']],
    ];
    expect(
      await featuresIn({ ...base, 'GetFeatures %': new SourceFailure('no_analyzer', 'the analyzer answered 400') }),
    ).toEqual(expected);
    expect(await featuresIn({ ...base, 'GetFeatures %': 'not JSON' })).toEqual(expected);
    const all = [
      [feature('vend', '27000@lic1', { InUse: 0, MaxQueued: 0 }), feature('east', '1@b'), feature('west', '1@b')],
    ];
    expect(await featuresIn({ ...base, 'GetFeatures %': all })).toEqual(expected);
  });

  it('say what is down there', async () => {
    const parsed = await read({
      ...one,
      GetProducts: [product('27000@lic1;vend'), product('1@b;vend', { IsCurrent: false })],
      GetServerDown: [{ Label: '27000@LIC1;vend' }],
    });
    expect(parsed.vendorLicenses.map(({ reachable, isDownThere }) => [reachable, isDownThere])).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  it('say what was never reached there, of which nothing is known here either', async () => {
    const never = { IsCurrent: false, CollectionTime: 0 };
    const GetProducts = [product('1@a;x', never), product('1@b;x', { ...never, DistinctUsers: 0 }), product('1@c;x')];
    const { vendorLicenses } = await read({ GetProducts });
    expect(vendorLicenses.map(({ reachable, isKnownToBeEmpty }) => [reachable, isKnownToBeEmpty])).toEqual([
      [false, undefined],
      [false, true],
      [true, undefined],
    ]);
  });

  it('that cannot be used are counted, and the others are used', async () => {
    const parsed = await read({
      ...one,
      'GetFeatures %': [[feature('solver', '27000@lic1'), { Feature: 7 }, null, 'x']],
    });
    expect(parsed.diagnostics.unparsed).toBe(2);
    expect(poolsOf(parsed)).toHaveLength(1);
  });
});

describe('users that are not known', () => {
  it('are a problem of a detail', async () => {
    const refused = new SourceFailure('no_analyzer', 'the analyzer answered 403');
    const parsed = await read({ ...one, 'GetUsers 27000@lic1;vend solver': refused });
    expect(poolsOf(parsed)).toMatchObject([{ checkouts: [], unknownOfCheckouts: ['list'], inUse: 2 }]);
    expect(parsed.problems).toEqual([
      {
        kind: 'timeout',
        isMinor: true,
        message:
          'the users of 1 features of http://a/analyzer are not known, GetUsers failed: the analyzer answered 403',
      },
    ]);
    const late = await read({ ...one, 'GetUsers 27000@lic1;vend solver': hangs }, { more: { timeout: 2 } });
    expect(late.problems).toMatchObject([{ message: expect.stringContaining('there was no time for them') }]);
    expect(poolsOf(late)).toMatchObject([{ checkouts: [], unknownOfCheckouts: ['list'], inUse: 2 }]);
  });

  it('are not asked for where the answer would be about other features too', async () => {
    const asked: string[] = [];
    const features = [
      feature('100%', '27000@lic1'),
      feature('mesh', '27000@lic1'),
      feature('mesh', '27000@lic1', { Package: 'p', FeatureType: 'feature' }),
    ];
    await read({ ...one, 'GetFeatures %': [features] }, { asked });
    expect(asked.filter((question) => question.startsWith('GetUsers'))).toEqual(['GetUsers 27000@lic1;vend mesh']);
  });
});

it.each(['GetProducts', 'GetServerDown', 'GetFeatures %'])(
  'an analyzer that does not answer %s is a failure, however long a request may take',
  async (question) => {
    const failure = await read({ ...one, [question]: hangs }, { more: { timeout: 0.1 } }).catch((error) => error);
    expect(failure).toMatchObject({ kind: 'timeout', message: 'the collection did not end within 0.1 s' });
  },
);

it.each<[string, Answers, RegExp]>([
  ['no JSON', { GetProducts: '<html>' }, /is not JSON: check that it is an analyzer of the Query API/],
  [
    'JSON with a mistake',
    { GetProducts: '[{"Product":"s;d"},\n{"Product":jdoe}]' },
    /is not JSON, at line 2 column 12 of GetProducts: report it/,
  ],
  ['nothing', { GetProducts: [] }, /lists no vendor license/],
])('an analyzer that answers %s is a failure', async (_, answers, message) => {
  await expect(read(answers)).rejects.toThrow(message);
});
