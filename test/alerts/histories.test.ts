import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLimit } from '../../src/scheduling/limit.ts';
import { isLong } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { seed } from '../support/seed.ts';
import { compareHistories, type Difference, differencesIn } from './histories/compare.ts';
import { alertNames } from './histories/engine-run.ts';
import { minutesOf } from './histories/frames.ts';
import { generateHistory } from './histories/generate.ts';
import { readPage } from './histories/page.ts';
import { readRules } from './histories/promtool.ts';
import { emitPage } from './histories/series.ts';
import { shrink } from './histories/shrink.ts';
import { describeDifference } from './histories/story.ts';
import { allowed, tolerances } from './histories/tolerances.ts';

/** The engine and the rules for Prometheus fire the same alerts over the same generated histories. */

const rules = readRules(join(import.meta.dirname, '../../deploy/prometheus/license-alerts.yml'), alertNames);
const histories = isLong ? 1000 : 40;
/** Histories in one run of promtool. More are too many samples for one of its queries. */
const BATCH = 20;
/** Differences in the message of a failure. */
const SHOWN = 3;

const seedsOf = (batch: number): readonly number[] =>
  Array.from({ length: Math.min(BATCH, histories - batch * BATCH) }, (_, i) => seed * 1_000_000 + batch * BATCH + i);

describe.runIf(peer('promtool'))('engine and rules', () => {
  const differences: Difference[] = [];
  const fired = new Set<string>();

  beforeAll(
    async () => {
      const limit = createLimit(2);
      const compare = async (batch: number): Promise<void> => {
        const { agreed, disagreements } = await compareHistories(seedsOf(batch).map(generateHistory), rules);
        for (const { alert } of agreed) fired.add(alert.split('|').slice(0, 2).join(' '));
        differences.push(...disagreements.flatMap((disagreement) => differencesIn(disagreement, allowed)));
      };
      const batches = Array.from({ length: Math.ceil(histories / BATCH) }, (_, batch) => batch);
      await Promise.all(batches.map((batch) => limit(() => compare(batch))));
    },
    isLong ? 3_600_000 : 300_000,
  );

  it('fire the same alerts in the same minutes, but for the listed differences', { timeout: 600_000 }, async () => {
    const smallest = await Promise.all(differences.slice(0, SHOWN).map((each) => shrink(each, rules, allowed)));
    const all = differences.map(({ history, alert, only, from }) => `${history.seed} ${from} only ${only}: ${alert}`);
    expect([...smallest.map(describeDifference), ...all].join('\n\n')).toBe('');
  });

  it('have at most five listed differences', () => {
    expect(tolerances.length).toBeLessThanOrEqual(5);
  });

  // the few histories of a short run have not all of them
  if (isLong) {
    it('fire every alert of the engine', () => {
      expect([...alertNames].filter((name) => ![...fired].some((alert) => alert.startsWith(`${name} `)))).toEqual([]);
    });
  }
});

describe('the samples of a history', () => {
  it('are those of the page of metrics', async () => {
    for (const each of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const history = generateHistory(each);
      for (const { minute, frames } of minutesOf(history)) {
        if (minute % 20 !== 7) continue;
        for (const frame of frames) {
          const emitted: string[] = [];
          emitPage(history, frame, (name, labels, value) => {
            if (value !== undefined && rules.metrics.has(name)) emitted.push(`${name}${labels} ${value}`);
          });
          const page = (await readPage(history, frame)).filter((line) =>
            rules.metrics.has(/^\w+/.exec(line)?.[0] ?? ''),
          );
          expect(emitted.sort()).toEqual(page.sort());
        }
      }
    }
  });
});
