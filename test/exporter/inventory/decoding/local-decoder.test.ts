import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryError } from '../../../../src/base/model/failure.ts';
import { decodeAnswer } from '../../../../src/exporter/inventory/decoding/decode.ts';
import {
  createLocalDecoder,
  type LocalDecoderOptions,
} from '../../../../src/exporter/inventory/decoding/local-decoder.ts';

/** A body is decoded the same for any chunks, and refused as soon as its structure exceeds a limit. */

const PERMANENT_AFTER = 2_147_483_641;
const open = (options: Partial<LocalDecoderOptions> = {}) =>
  createLocalDecoder({ permanentAfter: PERMANENT_AFTER, ...options }).open('GetProducts');

const record = fc.record({ Product: fc.string(), Active: fc.oneof(fc.integer(), fc.constant('NaN')) });
const body = fc
  .array(fc.oneof(record, fc.constant('no record')))
  .map((records) => Buffer.from(JSON.stringify(records)));

/** The decoded answer, or the kind and code of the failure. */
const outcomeOf = (decode: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(decode)
    .catch(({ kind, code }: QueryError) => ({ kind, code }));

describe('the local decoder', () => {
  it('decodes chunks like the whole body', async () => {
    const cut = fc.tuple(body, fc.array(fc.nat({ max: 40 })));
    await fc.assert(
      fc.asyncProperty(cut, async ([whole, sizes]) => {
        const answer = open();
        let at = 0;
        for (const size of sizes) {
          if (at + size > whole.length) break;
          answer.write(Buffer.from(whole.subarray(at, at + size)));
          at += size;
        }
        answer.write(Buffer.from(whole.subarray(at)));
        answer.end();
        const expected = await outcomeOf(() => decodeAnswer('GetProducts', Buffer.from(whole), PERMANENT_AFTER));
        expect(await outcomeOf(() => answer.result)).toEqual(expected);
      }),
    );
  });

  it('refuses a structure before the end of the body', async () => {
    const answer = open();
    answer.write(Buffer.from('['.repeat(20)));
    answer.write(Buffer.from('['.repeat(20)));
    await expect(answer.result).rejects.toMatchObject({ kind: 'too_large', code: 'ANSWER_TOO_DEEP' });
  });

  it('reports an answer that ends within its JSON, and one without bytes', async () => {
    const cut = open();
    cut.write(Buffer.from('[{"Product":"a;b"}'));
    cut.end();
    await expect(cut.result).rejects.toMatchObject({ kind: 'parse', code: 'ANSWER_INCOMPLETE' });
    const empty = open();
    empty.end();
    await expect(empty.result).rejects.toMatchObject({ kind: 'parse', code: 'ANSWER_EMPTY' });
  });

  it('shows each body before it is decoded', async () => {
    const bodies: string[] = [];
    const answer = open({ onBody: (endpoint, whole) => bodies.push(`${endpoint} ${whole}`) });
    answer.write(Buffer.from('['));
    answer.write(Buffer.from(']'));
    answer.end();
    expect(await answer.result).toMatchObject({ records: [] });
    expect(bodies).toEqual(['GetProducts []']);
  });

  it('decodes nothing after it was closed', async () => {
    const decoder = createLocalDecoder({ permanentAfter: PERMANENT_AFTER });
    const answer = decoder.open('GetConcurrentUsers');
    answer.write(Buffer.from('7'));
    answer.end();
    await decoder.close();
    await expect(answer.result).rejects.toMatchObject({ kind: 'aborted' });
  });
});
