import { describe, expect, it } from 'vitest';
import { type FailureKind, QueryError } from '../../../src/base/model/failure.ts';
import { createExpirationSearch, type SearchLevel } from '../../../src/exporter/poll/expiration-search.ts';
import { createTestLog } from '../../support/harness.ts';
import { answer, expiration } from '../../support/scenario.ts';

/** How GetExpirationFeatures is requested. The server has a record count or a failure for each form of the request. */

type Outcome = number | FailureKind;

function create(outcomes: { searched: Outcome; plain: Outcome }, level: SearchLevel = '2') {
  const asked: string[] = [];
  const log = createTestLog();
  const getExpirationFeatures = async ({ product = '', search }: { product?: string; search?: string }) => {
    asked.push(search === undefined ? product : `${product} ${search}`);
    const outcome = search === undefined ? outcomes.plain : outcomes.searched;
    if (typeof outcome === 'string') throw new QueryError(outcome, outcome);
    return answer(Array.from({ length: outcome }, () => expiration()));
  };
  const ask = createExpirationSearch({ client: { getExpirationFeatures }, level, log });
  const signal = new AbortController().signal;
  return { outcomes, asked, log, ask: async (product: string) => (await ask(product, signal)).records.length };
}

describe('the search level of GetExpirationFeatures', () => {
  it('is sent, and compared with the plain request once for each vendor license', async () => {
    const { ask, asked, log } = create({ searched: 5, plain: 3 });
    expect([await ask('a'), await ask('a'), await ask('b')]).toEqual([5, 5, 5]);
    expect(asked).toEqual(['a 2', 'a', 'a 2', 'b 2', 'b']);
    expect(log.entries).toEqual([]);
  });

  it('is a setting', async () => {
    const none = create({ searched: 5, plain: 3 }, 'none');
    expect(await none.ask('a')).toBe(3);
    expect(none.asked).toEqual(['a']);
    const features = create({ searched: 3, plain: 3 }, '0');
    expect(await features.ask('a')).toBe(3);
    expect(features.asked).toEqual(['a 0', 'a']);
  });

  it('is no longer sent if it finds fewer records, which is logged once', async () => {
    const { ask, asked, log } = create({ searched: 2, plain: 3 });
    expect([await ask('a'), await ask('a'), await ask('b')]).toEqual([3, 3, 3]);
    expect(asked).toEqual(['a 2', 'a', 'a', 'b 2', 'b']);
    expect(log.entries.map(({ fields }) => fields.reason)).toEqual(['2 records with it, 3 without']);
  });

  it.each<FailureKind>(['status', 'timeout', 'too_large', 'parse', 'schema'])(
    'is left out after %s, and no longer sent after two of them',
    async (kind) => {
      const { ask, asked, log } = create({ searched: kind, plain: 3 });
      expect([await ask('a'), await ask('a'), await ask('a')]).toEqual([3, 3, 3]);
      expect(asked).toEqual(['a 2', 'a', 'a 2', 'a', 'a']);
      expect(log.entries).toHaveLength(1);
    },
  );

  it('is kept after a temporary problem of the analyzer', async () => {
    const site = create({ searched: 'status', plain: 3 });
    await site.ask('a');
    site.outcomes.searched = 5;
    await site.ask('a');
    site.outcomes.searched = 'status';
    await site.ask('a');
    site.outcomes.searched = 5;
    expect(await site.ask('a')).toBe(5);
  });

  it('is kept if the plain request fails too, or if the connection failed', async () => {
    const site = create({ searched: 'status', plain: 'parse' });
    for (let i = 0; i < 3; i += 1) await expect(site.ask('a')).rejects.toThrow('parse');
    site.outcomes.searched = 5;
    // the comparison fails, but the answer counts
    expect(await site.ask('a')).toBe(5);
    site.outcomes.searched = 'connect';
    await expect(site.ask('a')).rejects.toThrow('connect');
    expect(site.asked.at(-1)).toBe('a 2');
  });
});
