import { describe, expect, it } from 'vitest';
import type { FeatureRecord } from '../../../src/base/model/records.ts';
import { type FeaturesAnswer, WHOLE } from '../../../src/base/model/snapshot.ts';
import { type Figure, isKnown } from '../../../src/base/model/unknown.ts';
import { decodeAnswer } from '../../../src/exporter/inventory/decoding/decode.ts';
import { keepFeatures } from '../../../src/exporter/poll/incomplete-lists.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { answer as answerOf, createSnapshot, good, NOW, product } from '../../support/scenario.ts';

const DAY = 86_400;

type Wire = Readonly<Record<string, unknown>>;

const record = (Feature: unknown, more: Wire = {}): Wire => ({
  Feature,
  ServerName: 's',
  Daemon: 'd',
  Version: '1',
  LicenseType: 'floating',
  MaxAvailable: 10,
  InUse: 4,
  ...more,
});

const textOf = (figure: Figure): string => (isKnown(figure) ? `${figure}` : 'unknown');

/** A site that polls all features, with a clock of its own. */
function createSite() {
  let now = NOW;
  let before: FeaturesAnswer<FeatureRecord> | undefined;
  return {
    pass: (by: number) => {
      now += by;
    },
    /** The answer, and each row as `vendor license feature licenses of its type`. */
    poll: async (records: readonly unknown[]) => {
      const body = Buffer.from(JSON.stringify([records]));
      const answer = keepFeatures(decodeAnswer('GetFeatures', body, 2 ** 31), WHOLE, before, now);
      before = answer;
      const { features } = deriveInventoryNow(
        createSnapshot({ products, features: { [WHOLE]: good(answer, now) } }),
        now,
        { ...everything, usageWhenNotCurrent: 'withhold' },
      );
      const rows = features.map(
        (row) =>
          `${row.vendorLicense} ${row.feature} ${textOf(row.maxAvailable)}/${textOf(row.inUse)} ${row.licenseType}`,
      );
      return { answer, rows };
    },
  };
}

const products = good(answerOf([product({ product: 's;d' }), product({ product: 't;d' })]));

describe('an answer of features with unusable records', () => {
  it('keeps the names that it lacks without their values for a day, and the others change', async () => {
    const site = createSite();
    await site.poll([record('a'), record('b')]);
    const first = await site.poll([record(''), record('b', { InUse: 5 }), record('new')]);
    expect(first.rows).toEqual(['s;d a unknown/unknown floating', 's;d b 10/5 floating', 's;d new 10/4 floating']);
    expect([first.answer.records.length, first.answer.incomplete]).toEqual([2, ['s;d']]);
    site.pass(DAY - 1);
    // of several successive answers, the first counts
    expect((await site.poll([record(null), record('new')])).rows).toEqual([
      's;d a unknown/unknown floating',
      's;d b unknown/unknown floating',
      's;d new 10/4 floating',
    ]);
    site.pass(1);
    expect((await site.poll([record(null), record('new')])).rows).toEqual([
      's;d b unknown/unknown floating',
      's;d new 10/4 floating',
    ]);
    const last = await site.poll([record('new')]);
    expect([last.rows, last.answer.incomplete]).toEqual([['s;d new 10/4 floating'], undefined]);
  });

  it('removes what it lacks of other vendor licenses, if the unusable record says of which it is', async () => {
    const all = [record('a'), record('b'), record('a', { ServerName: 't' }), record('b', { ServerName: 't' })];
    const site = createSite();
    await site.poll(all);
    const left = await site.poll([record('', { ServerName: 'S' }), record('b'), record('b', { ServerName: 't' })]);
    expect(left.rows).toEqual(['s;d a unknown/unknown floating', 's;d b 10/4 floating', 't;d b 10/4 floating']);
    await site.poll(all);
    const unread = await site.poll([7, record('b'), record('b', { ServerName: 't' })]);
    expect(unread.rows).toHaveLength(4);
    expect(unread.answer.incomplete).toEqual(['']);
  });

  it('does not take a record for that of an unknown vendor license', async () => {
    const site = createSite();
    await site.poll([record('a'), record('b')]);
    const { rows, answer } = await site.poll([record('a', { Daemon: '' }), record('b')]);
    expect(rows).toEqual(['s;d a unknown/unknown floating', 's;d b 10/4 floating']);
    expect([answer.discarded.bad_record, answer.records.length, answer.incomplete]).toEqual([1, 1, ['']]);
  });

  it('gives no sum of merged records of which one is lacking', async () => {
    const pools = [record('a', { MaxAvailable: 10 }), record('a', { MaxAvailable: 20 })];
    const site = createSite();
    expect((await site.poll(pools)).rows).toEqual(['s;d a 30/8 floating']);
    const { rows } = await site.poll([record('a', { MaxAvailable: 10 }), { ...pools[1], Feature: [] }]);
    expect(rows).toEqual(['s;d a unknown/unknown floating']);
  });

  it('keeps no names after a complete one, and none that were never there', async () => {
    const site = createSite();
    expect((await site.poll([record(''), record('b')])).rows).toEqual(['s;d b 10/4 floating']);
    await site.poll([record('a'), record('b')]);
    expect((await site.poll([record('b')])).rows).toEqual(['s;d b 10/4 floating']);
  });
});
