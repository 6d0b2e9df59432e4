import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { constants, inflateRawSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { FeaturesRequest } from '../../../src/inventory/features-request.ts';
import { createPlaneThread, type PlaneThread } from '../../../src/inventory/plane/plane-thread.ts';
import type { FeatureUpdate, Rendering } from '../../../src/metrics/feature-renderer.ts';
import { collectors } from '../../../src/metrics/metric.ts';
import type { QueryError } from '../../../src/model/failure.ts';
import { noOwners, type OwnerEntry } from '../../../src/model/owners.ts';
import type { StoredAnswer } from '../../../src/model/records.ts';
import type { Snapshot } from '../../../src/model/snapshot.ts';
import { createCleanup } from '../../support/harness.ts';
import { createSnapshot, good } from '../../support/scenario.ts';
import { everything, featureAt } from '../../support/stored-answers.ts';

/** The thread of the data plane: its answers, and what happens when it ends. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function start() {
  const threads: Worker[] = [];
  const lost: QueryError[] = [];
  const onWorker = (worker: Worker): void => void threads.push(worker);
  process.on('worker', onWorker);
  const plane = createPlaneThread<Rendering, FeatureUpdate>({
    file: new URL('../../../src/app/data-worker.ts', import.meta.url),
    onLost: (reason) => lost.push(reason),
  });
  cleanup.add(async () => {
    process.off('worker', onWorker);
    await plane.close();
  });
  return { plane, threads, lost };
}

const record = (feature: string, inUse: number) =>
  `{"Feature":"${feature}","ServerName":"lic01","Daemon":"cdslmd","FeatureType":"feature","InUse":${inUse},"MaxAvailable":9}`;
const bodyOf = (...records: readonly string[]): string => `[[${records.join(',')}]]`;

const open = (plane: PlaneThread<Rendering, FeatureUpdate>, question = 'q') =>
  plane.decoder(2_147_483_641).open('GetFeatures', question);

async function decode(
  plane: PlaneThread<Rendering, FeatureUpdate>,
  body: string,
  question?: string,
): Promise<StoredAnswer> {
  const answer = open(plane, question);
  for (const byte of Buffer.from(body)) answer.write(Buffer.from([byte]));
  answer.end();
  return answer.result;
}

const requestOf = (answer: StoredAnswer): FeaturesRequest => ({
  features: [{ part: '', handle: answer.handle }],
  expirations: [],
  products: ['lic01;cdslmd'],
  withheld: [],
  selection: everything.rules,
});

const snapshotOf = (answer: StoredAnswer): Snapshot => {
  const snapshot = createSnapshot({ features: {} });
  const { GetFeatures } = snapshot.endpoints;
  const parts = new Map([['', good(answer)]]);
  return { ...snapshot, endpoints: { ...(GetFeatures && { GetFeatures: { ...GetFeatures, parts } }) } };
};

describe('the thread of the data plane', () => {
  it('decodes, derives and renders', async () => {
    const { plane, threads } = start();
    const answer = await decode(plane, bodyOf(record('a', 1), record('b', 2)));
    expect(answer).toMatchObject({ count: 2, owners: [{ serverName: 'lic01', daemon: 'cdslmd', count: 2 }] });
    const { columns } = await plane.derive(requestOf(answer));
    expect([...columns].map(({ feature, inUse }) => [feature, inUse])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    const rendering = { enabled: collectors, budget: 1000, oldestInUse: 0 };
    const { features, version } = await plane.render({ ...rendering, base: 0 }, noOwners.entries);
    expect(features.series).toBe(6);
    const again = await plane.render({ ...rendering, base: version }, noOwners.entries);
    expect(again.features.chunks.every((chunk) => typeof chunk === 'number')).toBe(true);
    // the page has not received the previous update
    const whole = await plane.render({ ...rendering, base: version }, noOwners.entries);
    expect(whole.features.chunks.some((chunk) => typeof chunk === 'number')).toBe(false);
    expect(threads).toHaveLength(1);
  });

  it('leaves rows as they are until they are released', async () => {
    const { plane } = start();
    const rows = [];
    for (let inUse = 0; inUse < 5; inUse += 1) {
      const answer = await decode(plane, bodyOf(record('a', inUse), record('b', 7)));
      plane.keep(snapshotOf(answer));
      rows.push((await plane.derive(requestOf(answer))).columns);
    }
    expect(rows.map((table) => featureAt(table, 0).inUse)).toEqual([0, 1, 2, 3, 4]);
  });

  it('moves the memory of a chunk that owns it, and copies the others', async () => {
    const { plane } = start();
    const body = Buffer.from(bodyOf(record('a', 1)));
    const owned = Buffer.from(new Uint8Array(body).buffer);
    const pool = Buffer.concat([Buffer.from('before'), body]);
    const answers = [owned, pool.subarray(6)].map((chunk) => {
      const answer = open(plane);
      answer.write(chunk);
      answer.end();
      return answer.result;
    });
    expect((await Promise.all(answers)).map(({ count }) => count)).toEqual([1, 1]);
    expect([owned.byteLength, pool.toString('utf8', 0, 6)]).toEqual([0, 'before']);
  });

  it('refuses an answer before its end, and goes on', async () => {
    const { plane, lost } = start();
    const deep = open(plane);
    deep.write(Buffer.from('['.repeat(2 ** 20)));
    await expect(deep.result).rejects.toMatchObject({ kind: 'too_large', code: 'ANSWER_TOO_DEEP' });
    deep.abort();
    const broken = open(plane);
    broken.write(Buffer.from('<html>'));
    broken.end();
    await expect(broken.result).rejects.toMatchObject({ kind: 'parse', code: 'ANSWER_HTML' });
    expect((await decode(plane, bodyOf(record('a', 1)))).count).toBe(1);
    expect(lost).toEqual([]);
  });

  it('fails what it was doing when it ends, and the next request starts another thread', async () => {
    const { plane, threads, lost } = start();
    const before = await decode(plane, bodyOf(record('a', 1)));
    const table = (await plane.derive(requestOf(before))).columns;
    const answer = open(plane);
    answer.write(Buffer.from('[['));
    await threads[0]?.terminate();
    const reason = { kind: 'parse', code: 'DATA_PLANE_LOST', message: expect.stringContaining('a new one is started') };
    await expect(answer.result).rejects.toMatchObject(reason);
    expect(lost).toEqual([expect.objectContaining(reason)]);
    // an answer of the lost thread is not taken for another one
    const after = await decode(plane, bodyOf(record('b', 2)));
    expect(after.handle).not.toBe(before.handle);
    await expect(plane.derive(requestOf(before))).rejects.toThrow(
      `the records of answer ${before.handle} are not held`,
    );
    expect(featureAt((await plane.derive(requestOf(after))).columns, 0).feature).toBe('b');
    expect(featureAt(table, 0).feature).toBe('a');
    expect(threads).toHaveLength(2);
  });

  it('renders the owners that it was given last, in another thread too', async () => {
    const { plane, threads } = start();
    let version = 0;
    const render = async (owned: readonly OwnerEntry[], base = 0) => {
      const update = await plane.render({ enabled: collectors, budget: 1000, base, oldestInUse: 0 }, owned);
      version = update.version;
      return update;
    };
    const infoOf = async (owned: readonly OwnerEntry[]): Promise<string> => {
      await plane.derive(requestOf(await decode(plane, bodyOf(record('a', 1)))));
      const { features } = await render(owned);
      const chunks = features.chunks.filter((chunk) => typeof chunk !== 'number');
      const text = chunks.map(({ bytes }) => inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })).join('');
      return /^license_feature_info\{.*?,(owner=.*)\} 1$/m.exec(text)?.[1] ?? 'none';
    };
    const entries = [{ vendorLicense: '*', feature: '*', labels: { owner: 'cad' } }];
    expect(await infoOf([])).toBe('owner=""');
    expect(await infoOf(entries)).toBe('owner="cad"');
    const unchanged = await render(entries, version);
    expect(unchanged.features.chunks.every((chunk) => typeof chunk === 'number')).toBe(true);
    await threads[0]?.terminate();
    expect(await infoOf(entries)).toBe('owner="cad"');
    expect(await infoOf([])).toBe('owner=""');
    expect(threads).toHaveLength(2);
  });

  it('refuses work after it was closed, and ends its thread', async () => {
    const { plane, threads, lost } = start();
    await decode(plane, bodyOf(record('a', 1)));
    const waiting = open(plane);
    const ended = once(threads[0] as Worker, 'exit');
    await plane.close();
    await ended;
    await expect(waiting.result).rejects.toMatchObject({ kind: 'aborted' });
    await expect(decode(plane, '[]')).rejects.toMatchObject({ kind: 'aborted' });
    await expect(
      plane.render({ enabled: collectors, budget: 1, base: 0, oldestInUse: 0 }, noOwners.entries),
    ).rejects.toMatchObject({
      kind: 'aborted',
    });
    expect(lost).toEqual([]);
    expect(threads).toHaveLength(1);
  });
});

describe('bytes of an answer', () => {
  it('wait while the thread has many that it has not read', async () => {
    const { plane } = start();
    const answer = open(plane);
    const spaces = (): Buffer => Buffer.alloc(2 ** 20, ' ');
    expect(answer.write(spaces())).toBeUndefined();
    let drained: Promise<void> | undefined;
    for (let i = 0; i < 16; i += 1) drained = answer.write(spaces());
    expect(drained).toBeInstanceOf(Promise);
    await drained;
    expect(answer.write(Buffer.from('[]'))).toBeUndefined();
    answer.end();
    expect((await answer.result).count).toBe(0);
  });

  it('wait no longer when the answer is refused or canceled', async () => {
    const { plane } = start();
    const deep = open(plane);
    const canceled = open(plane, 'another');
    const waiting = [deep, canceled].map((answer) => {
      answer.write(Buffer.alloc(2 ** 20, '['));
      return answer.write(Buffer.alloc(16 * 2 ** 20, '['));
    });
    canceled.abort();
    await expect(deep.result).rejects.toMatchObject({ code: 'ANSWER_TOO_DEEP' });
    await Promise.all(waiting);
    expect(waiting.every((wait) => wait instanceof Promise)).toBe(true);
  });
});
