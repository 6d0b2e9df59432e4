import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLimit } from '../../../src/base/scheduling/limit.ts';
import { isLong } from '../../support/extent.ts';
import { peer } from '../../support/peers.ts';
import { seed } from '../../support/seed.ts';
import { alertNames } from './histories/engine-run.ts';
import { generateHistory } from './histories/generate.ts';
import { observe } from './histories/observe.ts';
import { type Fault, faultsIn } from './histories/oracle.ts';
import { readRules } from './histories/promtool.ts';
import { shrink } from './histories/shrink.ts';

/** Random histories: real engines, the real rules for Prometheus, and a model of Alertmanager. */

/** Seeds of histories in which a fault was found, and what was wrong. */
const failed: readonly (readonly [seed: number, fault: string])[] = [
  [84, 'the end for the former owner was sent again after the alert was with that owner again'],
  [165, 'the same, several times in succession'],
  [1_000_006, 'Alertmanager ended an alert of an exporter that hung before Prometheus sent it'],
  [1_000_026, 'an alert moved to another owner and back while its condition was unknown'],
  [2140, 'the state file was written by a clock that was two hours ahead'],
  [4342, 'a source that fails since the start was taken for known'],
  [1_000_723, 'an end that was said before everything was known hid an alert of another replica that was kept'],
  [17_955_892_628, 'after a clock was set back, the later stage of an expiry keeps firing'],
  [4_711_471_414, 'a fresh process knows everything only later, and one value is only not cleared'],
  [4_711_471_586, 'everything was said of an alert that is kept since its vendor license has gone'],
  [4_711_471_811, 'a shard went on saying the end of an alert that another one monitors now'],
  [4_711_471_171, 'one of two replicas has a clock two hours ahead, and what it finds goes on after a restart'],
  [2100, 'two replicas whose clocks differ by two hours disagree, and one is hardly scraped'],
];

/** The same of histories with losses. */
const lost: readonly (readonly [seed: number, fault: string])[] = [
  [1006, 'the alert about a server that is down ended as soon as its vendor license was not listed'],
  [1019, 'the same when nothing was listed, before that was accepted'],
  [1020, 'a feature that had expired was missed'],
  [1021, 'requests were not queued any more when their feature was not listed'],
  [1034, 'a full pool was not full any more when its feature was not listed'],
  [73_007_461, 'licenses of a feature that has vanished ran out, which ended and began again with an outage'],
  [11_001_139, 'an alert that no shard remembered lapsed, and came back from Prometheus while it was still found'],
  [11_001_367, 'an alert ended that neither the exporter nor Prometheus could send'],
  [1_000_235, 'a replica that did not know the licenses of a server that was down ended the alert of another one'],
  [
    71_007_103,
    'licenses of a server that was down were lost when an empty list, not yet accepted, did not say that it is down',
  ],
];

const rules = readRules(join(import.meta.dirname, '../../../deploy/prometheus/license-alerts.yml'), alertNames);
/** The same in every short run. A long one with another `TEST_SEED` finds new faults: add their seeds to those above. */
const histories = isLong ? 300 : 5;
/** Histories in one run of promtool. */
const BATCH = 20;
/** Faults in the message of a failure. */
const SHOWN = 3;

/** Every second new one has losses. */
const drawn = [
  ...failed.map(([each]) => generateHistory(each, false)),
  ...lost.map(([each]) => generateHistory(each, true)),
  ...Array.from({ length: histories }, (_, i) => generateHistory(seed * 1_000_100 + i, i % 2 === 1)),
];

describe.runIf(peer('promtool'))('alerts of random histories', () => {
  const faults: Fault[] = [];
  const fired = new Set<string>();

  beforeAll(async () => {
    const limit = createLimit(2);
    // long ones have another step
    const groups = Object.values(Object.groupBy(drawn, ({ step }) => step));
    const batches = groups.flatMap((same = []) =>
      Array.from({ length: Math.ceil(same.length / BATCH) }, (_, i) => same.slice(i * BATCH, (i + 1) * BATCH)),
    );
    const run = async (batch: (typeof batches)[number]): Promise<void> => {
      for (const observed of await observe(batch, rules)) {
        faults.push(...faultsIn(observed));
        for (const alert of observed.prometheus.keys()) fired.add(/alertname=(\w+)/.exec(alert)?.[1] ?? '');
      }
    };
    await Promise.all(batches.map((batch) => limit(() => run(batch))));
  });

  it('neither end nor start without a reason, and are neither lost, late nor twice', async () => {
    const smallest: string[] = [];
    for (const fault of faults.slice(0, SHOWN)) smallest.push(await shrink(fault, rules));
    const all = faults.map(
      ({ history, alert, kind, by, tick }) => `${history.seed} ${tick} ${kind} by ${by}: ${alert}`,
    );
    expect([...smallest, ...all].join('\n\n')).toBe('');
  });

  // the few histories of a short run have not all of them
  if (isLong) {
    it('are of every kind that these sites can have', () => {
      const missing = [...alertNames].filter((name) => !fired.has(name));
      // of an analyzer in the process, of the exporter, and of answers that have all fields here
      const others = [
        'HistoryNotRecorded',
        'ArchiveDown',
        'ExporterSeriesLimit',
        'ExporterConfigReloadFailed',
        'FieldMissing',
      ];
      expect(missing.filter((name) => !others.includes(name.replace('License', '')))).toEqual([]);
    });
  }
});
