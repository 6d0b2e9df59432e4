import { describe, expect, it } from 'vitest';
import type { PolledAnswers, PolledEndpoint } from '../../../../src/base/model/snapshot.ts';
import { type Answers, decodeAnswer } from '../../../../src/exporter/inventory/decoding/decode.ts';
import type { Decoder } from '../../../../src/exporter/inventory/decoding/decoder.ts';
import { createLocalDecoder } from '../../../../src/exporter/inventory/decoding/local-decoder.ts';
import { createPolledDecoder } from '../../../../src/exporter/inventory/decoding/polled-decoder.ts';

const PERMANENT_AFTER = 2 ** 31;

/** A decoder of polled answers, and the endpoints whose bodies it gave to the other thread. */
function create() {
  const given: string[] = [];
  const local = createLocalDecoder({ permanentAfter: PERMANENT_AFTER });
  const whole: Decoder<Answers> = {
    ...local,
    open: (endpoint) => {
      given.push(endpoint);
      return local.open(endpoint);
    },
  };
  return { given, decoder: createPolledDecoder({ permanentAfter: PERMANENT_AFTER, whole }) };
}

function ask<E extends PolledEndpoint>(
  decoder: Decoder<PolledAnswers>,
  endpoint: E,
  body: string | Buffer,
  before?: PolledAnswers[E],
): Promise<PolledAnswers[E]> {
  const arriving = decoder.open(endpoint, before);
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += 65_536) arriving.write(Buffer.from(bytes.subarray(at, at + 65_536)));
  arriving.end();
  return arriving.result;
}

const features = (count: number, inUse = 1) =>
  `[[${Array.from({ length: count }, (_, i) => `{"Feature":"f${i}","ServerName":"s","Daemon":"d","LogInUse":NaN,"InUse":${i === 7 ? inUse : 2}}`).join()}]]`;

describe('polled answers', () => {
  it('are decoded in this thread if they have only records, and what has not changed is the same', async () => {
    const { decoder, given } = create();
    const first = await ask(decoder, 'GetFeatures', features(20_000));
    const second = await ask(decoder, 'GetFeatures', features(20_000, 5), first);
    const changed = second.records.flatMap((record, i) => (record === first.records[i] ? [] : [i]));
    expect(changed).toEqual([7]);
    expect(second).toEqual(decodeAnswer('GetFeatures', Buffer.from(features(20_000, 5)), PERMANENT_AFTER));
    const third = await ask(decoder, 'GetFeatures', features(20_000, 5), second);
    expect(third.records).toBe(second.records);
    expect(given).toEqual([]);
  });

  it('may have anything between the records, which counts as bad records', async () => {
    const { decoder, given } = create();
    const body = features(5000).replace(/\]\]$/, ',null,7,"{",[{"a":1}]]]');
    const whole = decodeAnswer('GetFeatures', Buffer.from(body), PERMANENT_AFTER);
    expect(await ask(decoder, 'GetFeatures', body)).toEqual(whole);
    expect([whole.discarded.bad_record, given]).toEqual([4, []]);
  });

  it('can arrive in bytes, and as much at once as there is', async () => {
    const { decoder } = create();
    const body = Buffer.from(features(20));
    const slow = decoder.open('GetFeatures');
    for (const byte of body) slow.write(Buffer.from([byte]));
    slow.end();
    expect(await slow.result).toEqual(decodeAnswer('GetFeatures', Buffer.from(body), PERMANENT_AFTER));
  });

  it('ask to wait while much of them is not read', async () => {
    const { decoder } = create();
    const body = Buffer.from(features(150_000));
    const arriving = decoder.open('GetFeatures');
    let waits = 0;
    for (let at = 0; at < body.length; at += 65_536) {
      const drained = arriving.write(Buffer.from(body.subarray(at, at + 65_536)));
      if (drained === undefined) continue;
      waits += 1;
      await drained;
    }
    arriving.end();
    expect((await arriving.result).records).toHaveLength(150_000);
    expect([waits > 0, waits < 10]).toEqual([true, true]);
  });

  it('that are no records are decoded as a whole', async () => {
    const { decoder, given } = create();
    expect(await ask(decoder, 'GetConcurrentUsers', '7')).toBe(7);
    const trend = `[{"name":"Denials","data":[${Array.from({ length: 20_000 }, (_, i) => `[${1.7e12 + i},1]`).join()}]}]`;
    expect((await ask(decoder, 'GetHistory', trend))[0]?.at).toHaveLength(20_000);
    expect(given).toEqual(['GetHistory']);
  });

  it.each([
    ['an HTML page', '<html>', 'ANSWER_HTML'],
    ['nothing', '', 'ANSWER_EMPTY'],
    ['half of an answer', '[[{"Feature":"a"},{"Feature":"b"', 'ANSWER_INCOMPLETE'],
    ['a deep array', '['.repeat(2_000_000), 'ANSWER_TOO_DEEP'],
    ['a deep value', `[[{"Feature":"a","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}]]`, 'ANSWER_TOO_DEEP'],
    ['blanks', ' '.repeat(2_000_000), 'ANSWER_LONG_ITEM'],
    ['half of a long one', `[[{"Feature":"${'a'.repeat(2_000_000)}`, 'ANSWER_LONG_ITEM'],
    ['braces', '{'.repeat(2_000_000), 'ANSWER_TOO_DEEP'],
    ['ends of records', `[[{"x":"${'},{'.repeat(60_000)}`, 'ANSWER_INCOMPLETE'],
    ['too many records', `[[${'{},'.repeat(250_001)}{}]]`, 'ANSWER_TOO_MANY_ITEMS'],
  ])('are refused if they are %s', async (_, body, code) => {
    await expect(ask(create().decoder, 'GetFeatures', body)).rejects.toMatchObject({ code });
  });

  it('are not decoded after the decoder was closed', async () => {
    const { decoder } = create();
    await decoder.close();
    await expect(ask(decoder, 'GetFeatures', '[[]]')).rejects.toMatchObject({ kind: 'aborted' });
  });
});
