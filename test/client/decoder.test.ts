import { afterEach, describe, expect, it } from 'vitest';
import { createDecoder } from '../../src/client/decoder.ts';
import { decodeAnswer } from '../../src/decoding/decode.ts';
import { createCleanup } from '../support/harness.ts';

/** Large answers are decoded in a thread, with the same records and failures as on the main thread. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const PERMANENT_AFTER = 2_147_483_641;

function decoder(heapLimit?: (bytes: number) => number) {
  const created = createDecoder(PERMANENT_AFTER, heapLimit);
  cleanup.add(() => created.close());
  return created;
}

/** A GetProducts body of more than 1 MiB, with values to discard in it. */
const body = (count = 20_001): Buffer => {
  const record = (i: number) =>
    `{"Product":"sim-${i};é","Active":${i},"Inactive":${i % 7 === 0 ? 'NaN' : -1},"IsCurrent":true,"New":1}`;
  return Buffer.from(`[${Array.from({ length: count }, (_, i) => record(i)).join(',')},"no record"]`);
};

describe('decoding in a thread', () => {
  it('returns the same as decoding on the main thread', async () => {
    expect(body().byteLength).toBeGreaterThan(1024 * 1024);
    const expected = decodeAnswer('GetProducts', body(), PERMANENT_AFTER);
    expect(expected.discarded).toEqual({ nan: 2858, not_a_number: 0, negative: 17_143, bad_record: 1 });
    expect(expected.unknownFields).toEqual(['New']);
    expect(await decoder().decode('GetProducts', body())).toEqual(expected);
  });

  it('returns all records if their number fills the slices exactly', async () => {
    const { records } = await decoder().decode('GetProducts', body(20_000));
    expect(records).toHaveLength(20_000);
  });

  it('reports why an answer is not usable, and continues with the next', async () => {
    const { decode } = decoder();
    const broken = body();
    broken.write('{', broken.byteLength - 1);
    const outcomes = await Promise.allSettled([
      decode('GetProducts', broken),
      decode('GetFeatures', Buffer.from(`{"a":"${'x'.repeat(2 ** 20)}"}`)),
      decode('GetProducts', body()),
    ]);
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.kind : 'decoded'))).toEqual([
      'parse',
      'schema',
      'decoded',
    ]);
  });

  it('returns complete charts with their long lists', async () => {
    const points = Array.from({ length: 60_001 }, (_, i) => [1.6e12 + i, i % 7 === 0 ? null : i]);
    const series = (name: string, data: unknown[]) => ({ name, data });
    const trend = [series('Max Available', points), series('Elapsed Time', [[1, 2]]), series('Denials', points)];
    const days = Array.from({ length: 80_000 }, (_, i) => `day ${i}`);
    const reserved = [
      {
        categories: days,
        series: [
          series(
            'Distinct Users',
            days.map((_, i) => i),
          ),
        ],
      },
    ];
    for (const [endpoint, chart] of [
      ['GetHistory', trend],
      ['GetHistoryReserved', reserved],
    ] as const) {
      const chartBody = () => Buffer.from(JSON.stringify(chart));
      expect(chartBody().byteLength).toBeGreaterThan(1024 * 1024);
      const expected = decodeAnswer(endpoint, chartBody(), PERMANENT_AFTER);
      expect(await decoder().decode(endpoint, chartBody())).toEqual(expected);
    }
  });

  it('keeps the code of a failure', async () => {
    const page = Buffer.from(`<html>${' '.repeat(2 ** 20)}</html>`);
    await expect(decoder().decode('GetFeatures', page)).rejects.toMatchObject({ kind: 'parse', code: 'ANSWER_HTML' });
  });

  it('continues after a thread that took too much memory', { timeout: 30_000 }, async () => {
    const { decode } = decoder(() => 64);
    // little to parse, but large after decoding
    const records = Buffer.from(`[[${'{"Feature":"f"},'.repeat(300_000)}{}]]`);
    await expect(decode('GetFeatures', records)).rejects.toMatchObject({
      kind: 'too_large',
      code: 'ANSWER_TOO_MUCH_MEMORY',
    });
    expect((await decode('GetProducts', body(20_000))).records).toHaveLength(20_000);
  });

  it('cancels running and waiting work when it is closed', async () => {
    const { decode, close } = decoder();
    const decoding = Promise.allSettled([decode('GetProducts', body()), decode('GetProducts', body())]);
    // the thread has been started
    await new Promise((resolve) => setImmediate(resolve));
    await close();
    expect((await decoding).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
