import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { relayExpression, relayRecords } from '../../../src/alerting/alerts/prometheus/rule-file.ts';
import { peer } from '../../support/peers.ts';
import { type Firing, labelsOf } from './histories/firing.ts';
import { createReplica, createTimeline, type Episode, type History, type Replica } from './histories/history.ts';
import { type Observed, observe } from './histories/observe.ts';
import { type Rules, readRules } from './histories/promtool.ts';

/**
 * Alerts in Prometheus over time: pages of real engines, scraped with gaps, and the real rules. A scrape and an evaluation a minute,
 * or every 4 minutes in what lasts for days. What is expected is written by hand.
 */

/** What the cases are about. Others, which the site may raise too, are in the histories. */
const names = new Set(
  ['ServerDown', 'RequestsQueued', 'ExpiringSoon', 'AnalyzerUnreachable'].map((name) => `License${name}`),
);
const rules = readRules(join(import.meta.dirname, '../../../deploy/prometheus/license-alerts.yml'), names);
/** The rules that keep a label of the target. */
const clusterRules: Rules = {
  ...rules,
  text: JSON.stringify({
    groups: [
      {
        name: 'license-exporter',
        rules: [
          ...relayRecords(['owner', 'cluster']),
          {
            alert: 'LicenseServerDown',
            expr: relayExpression('LicenseServerDown', ['owner', 'cluster']),
            labels: { source: 'license-exporter' },
          },
        ],
      },
    ],
  }),
};

/** They belong to shards 0, 1 and 0 of 2, and 1, 2 and 0 of 3. */
const vendorLicenses = ['lic01;lmgrd', 'lic02;adskflex', 'lic03;cdslmd'];

type Change = Episode extends infer E ? (E extends Episode ? Omit<E, 'from' | 'to' | 'period' | 'on'> : never) : never;

/** From a tick to another one, the last one excluded; of each `period` the first `on` ticks. */
const at = (from: number, to: number, change: Change, period = to, on = period): Episode =>
  ({ from, to, period, on, ...change }) as Episode;

/** The server of lic01 is down and is reported up 5 minutes after it is: its alert fires in 20-84. */
const down = (from = 20, to = 80, vendorLicense = 0): Episode => at(from, to, { is: 'server down', vendorLicense });
/** Requests wait for a feature of lic03. Its alert waits for 10 minutes, and ends 10 minutes later: it fires in 11-89. */
const queued = (to = 80): Episode => at(0, to, { is: 'queued', feature: 0, queued: 3 });

const restart = (from: number, to: number, keepsState: boolean, which = 0): Episode =>
  at(from, to, { is: 'replica restarts', replica: which, keepsState });
const lost = (from: number, to: number, period = to, on = period, which = 0): Episode =>
  at(from, to, { is: 'scrape lost', replica: which }, period, on);

/** When each alert fires, in ticks. */
type Expected = Readonly<Record<string, string>>;
interface Case extends Partial<History> {
  readonly expected: Expected;
}

const D = 'ServerDown lic01';
const D2 = 'ServerDown lic02';
const Q = 'RequestsQueued lic03';
const both = [down(), queued()];
const [a, b] = [createReplica('a'), createReplica('b')];

const lostScrapes: Record<string, Case> = {
  none: { episodes: both, expected: { [D]: '20-84', [Q]: '11-89' } },
  'one in ten': { episodes: [...both, lost(5, 150, 10, 1)], expected: { [D]: '20-85', [Q]: '11-89' } },
  'every odd one': { episodes: [...both, lost(1, 150, 2, 1)], expected: { [D]: '20-85', [Q]: '12-89' } },
  'every even one': { episodes: [...both, lost(0, 150, 2, 1)], expected: { [D]: '21-84', [Q]: '11-90' } },
  'seven of twelve': { episodes: [...both, lost(0, 150, 12, 7)], expected: { [D]: '20-90', [Q]: '11-90' } },
  'twenty of thirty': { episodes: [...both, lost(0, 150, 30, 20)], expected: { [D]: '20-84', [Q]: '20-109' } },
  'some after the end, long after it too': {
    episodes: [...both, ...[92, 97, 115, 144, 148].map((tick) => lost(tick, tick + 1))],
    expected: { [D]: '20-84', [Q]: '11-89' },
  },
};

const owners: Record<string, Case> = {
  'change while it fires': {
    episodes: [...both, at(40, 180, { is: 'owners changed' })],
    expected: { [D]: '20-39', [`${D} research`]: '40-84', [Q]: '11-39', [`${Q} research`]: '40-89' },
  },
  'change while it is unknown': {
    episodes: [...both, at(30, 60, { is: 'analyzer gone' }), at(50, 180, { is: 'owners changed' })],
    expected: {
      [D]: '20-49',
      [`${D} research`]: '50-84',
      [Q]: '11-49',
      [`${Q} research`]: '50-89',
      AnalyzerUnreachable: '40-64',
    },
  },
  'change while scrapes are lost': {
    episodes: [...both, at(40, 180, { is: 'owners changed' }), lost(40, 43)],
    expected: { [D]: '20-42', [`${D} research`]: '43-84', [Q]: '11-42', [`${Q} research`]: '43-89' },
  },
};

/** The exporter is dead from 40 to 100. */
const outages: Record<string, Case> = {
  'of the exporter, with its state; nothing ends': {
    episodes: [down(20, 200), restart(40, 100, true)],
    expected: { [D]: '20-179' },
  },
  'of the exporter, without its state; nothing ends': {
    episodes: [down(20, 200), queued(200), restart(40, 100, false)],
    expected: { [D]: '20-179', [Q]: '11-179' },
  },
  'of the exporter, with its state; all ends meanwhile': {
    episodes: [...both, restart(40, 100, true)],
    // the condition is known at 101 again, and then lasts for keep_firing_for
    expected: { [D]: '20-105', [Q]: '11-110' },
  },
  'of the exporter, without its state; all ends meanwhile': {
    episodes: [...both, restart(40, 100, false)],
    // it has known everything for 5 and for 10 minutes
    expected: { [D]: '20-105', [Q]: '11-110' },
  },
  'of the analyzer; all ends meanwhile': {
    episodes: [...both, at(60, 100, { is: 'analyzer gone' })],
    expected: { [D]: '20-104', [Q]: '11-109', AnalyzerUnreachable: '70-104' },
  },
  'short, and a pending alert ends in an exporter that does not know that it fired': {
    episodes: [down(20, 80), queued(45), restart(40, 42, false)],
    expected: { [D]: '20-84', [Q]: '11-44' },
  },
};

const cutOff = (from: number, which = 0): Episode => at(from, 180, { is: 'replica cut off', replica: which });
/** That alert is about the polls of the one that is cut off. */
const unreachable = 'AnalyzerUnreachable';
const replicas: Record<string, Case> = {
  'one without an analyzer, the other sees the end, and is not scraped afterwards': {
    replicas: [a, b],
    episodes: [...both, cutOff(50), lost(100, 130, 130, 130, 1)],
    expected: { [D]: '20-84', [Q]: '11-89', [unreachable]: '60-179' },
  },
  'one without an analyzer, the other is new': {
    replicas: [a, b],
    episodes: [...both, cutOff(50), restart(60, 63, false, 1)],
    expected: { [D]: '20-84', [Q]: '11-89', [unreachable]: '60-179' },
  },
  'one without an analyzer, the other does not see the end': {
    replicas: [a, b],
    episodes: [...both, cutOff(50), restart(76, 82, false, 1)],
    expected: { [D]: '20-87', [Q]: '11-92', [unreachable]: '60-179' },
  },
  'one without an analyzer, every second scrape of the other is lost, and only one of two alerts ends': {
    replicas: [a, b],
    features: ['feature1', 'feature2'].map((name) => ({ ...feature(), feature: name })),
    episodes: [
      queued(78),
      at(0, 180, { is: 'queued', feature: 1, queued: 3 }),
      cutOff(50),
      restart(76, 82, false, 1),
      lost(100, 180, 2, 1, 1),
    ],
    expected: { [`${Q} feature1`]: '11-92', [`${Q} feature2`]: '11-179', [unreachable]: '60-179' },
  },
  'one is replaced without its state, the other one is removed': {
    replicas: [createReplica('a', { to: 45 }), createReplica('b', { to: 50 }), createReplica('c', { from: 45 })],
    episodes: [...both],
    expected: { [D]: '20-84', [Q]: '11-89' },
  },
};

const shardsOf = (total: number, from: number, to: number, continues: number | undefined): Replica[] =>
  Array.from({ length: total }, (_, index) =>
    createReplica(`s${index}`, { from, to, shard: { index, total }, continues: index === 0 ? continues : undefined }),
  );
const resharded = (keepsState: boolean): Case => ({
  replicas: [
    ...shardsOf(1, 0, 40, undefined),
    ...shardsOf(2, 40, 80, keepsState ? 0 : undefined),
    ...shardsOf(3, 80, 180, keepsState ? 1 : undefined),
  ],
  episodes: [down(20, 120), down(20, 200, 1), queued(120)],
  expected: { [D]: '20-124', [D2]: '20-179', [Q]: '11-129' },
});

const others: Record<string, Case> = {
  'the analyzer is renamed, with its state': {
    replicas: [createReplica('a', { to: 40 }), createReplica('a', { from: 40, isRenamed: true, continues: 0 })],
    episodes: [down()],
    expected: { [D]: '20-39', [`${D} renamed`]: '40-84' },
  },
  'the analyzer is renamed, without its state, at the same address': {
    replicas: [createReplica('a', { to: 40 }), createReplica('a', { from: 40, isRenamed: true })],
    episodes: [down()],
    expected: { [D]: '20-44', [`${D} renamed`]: '41-84' },
  },
  'the analyzer is renamed, without its state, at a new address: known to last for a day': {
    replicas: [createReplica('a', { to: 40 }), createReplica('b', { from: 40, isRenamed: true })],
    episodes: [down()],
    expected: { [D]: '20-179', [`${D} renamed`]: '41-84' },
  },
  'Prometheus is away for 4 minutes, then for 10 over the end': {
    episodes: [down(), at(40, 44, { is: 'Prometheus away' }), at(82, 92, { is: 'Prometheus away' })],
    expected: { [D]: '20-91' },
  },
  'the severity changes': {
    features: [{ ...feature(), expiration: 7 * 86_400 + 40 * 60 }],
    episodes: [],
    // from 41, the critical one waits for 15 minutes, and the warning is kept until then
    expected: { 'ExpiringSoon lic03 critical': '56-179', 'ExpiringSoon lic03 warning': '16-55' },
  },
};

const delivery: Record<string, Case> = {
  'works, fails from 40 to 60, and works again; scrapes are lost': {
    delivers: true,
    episodes: [down(), lost(3, 150, 10, 1), at(40, 60, { is: 'delivery fails', replica: 0 })],
    // Prometheus goes on until its end
    expected: { [D]: '41-84' },
  },
  'of one of two shards does not relieve Prometheus': {
    delivers: true,
    replicas: shardsOf(2, 0, 180, undefined),
    episodes: [down(), down(20, 80, 1), at(0, 180, { is: 'delivery fails', replica: 1 })],
    expected: { [D]: '20-84', [D2]: '20-84' },
  },
};

/** What fires in Alertmanager. Its own end, sent again by Prometheus, must not displace what fires again. */
const twoSenders: Record<string, Case> = {
  'the alert ends while Prometheus sends it, and fires again 11 minutes later': {
    delivers: true,
    episodes: [
      at(0, 40, { is: 'queued', feature: 0, queued: 3 }),
      at(51, 120, { is: 'queued', feature: 0, queued: 3 }),
      at(30, 52, { is: 'delivery fails', replica: 0 }),
    ],
    expected: { [Q]: '11-49, 61-129' },
  },
};

/** A new exporter at another address. */
const replacedBy = (...next: readonly Replica[]): readonly Replica[] => [createReplica('a', { to: 40 }), ...next];
/** Its server is down at 41, and it is unknown until 60 whether it is. */
const seenOnce = [down(41, 42), at(42, 60, { is: 'bad records', endpoint: 'GetServerDown', count: 1 })];
const replaced: Record<string, Case> = {
  'by one that finds an alert, and then nothing': {
    replicas: replacedBy(createReplica('b', { from: 40 })),
    episodes: seenOnce,
    expected: { [D]: '41-64' },
  },
  'by two shards at its address and another one, which find an alert, and then nothing': {
    replicas: [createReplica('s0', { to: 40 }), ...shardsOf(2, 40, 180, undefined)],
    episodes: seenOnce,
    expected: { [D]: '41-64' },
  },
};

const long = { step: 4, ticks: 500 };
const days: Record<string, Case> = {
  'the exporter cannot be scraped any more': {
    ...long,
    episodes: [down(5, 1000), lost(10, 1000)],
    // the last page is of tick 9, and a day is 360 ticks
    expected: { [D]: '5-369' },
  },
  'the analyzer is gone': {
    ...long,
    episodes: [down(5, 1000), at(10, 1000, { is: 'analyzer gone' })],
    // its data is too old at tick 13
    expected: { [D]: '5-371', [unreachable]: '13-499' },
  },
};

function feature() {
  return {
    vendorLicense: 2,
    feature: 'f1',
    version: '1.0',
    package: '',
    featureType: 'feature',
    expiration: 'permanent' as const,
    maxAvailable: 10,
    inUse: 1,
    queued: 0,
    runsOut: undefined,
  };
}

const historyOf = ({ expected: _, ...parts }: Case, seed: number): History =>
  createTimeline({ seed, vendorLicenses, features: [feature()], ...parts });

/** `ServerDown lic01 research`: the labels that differ. */
function nameOf(text: string): string {
  const { alertname = '', vendor_license, severity = '', owner, team, analyzer, cluster } = labelsOf(text);
  const name = alertname.replace('License', '');
  const parts = [
    name,
    vendor_license?.replace(/;.*/, ''),
    name === 'ExpiringSoon' ? severity : '',
    owner === 'design' ? '' : owner,
    team,
    analyzer?.endsWith('renamed') ? 'renamed' : '',
    cluster,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

function rangesOf(ticks: ReadonlySet<number>): string {
  const found: [number, number][] = [];
  for (const tick of [...ticks].sort((x, y) => x - y)) {
    const last = found.at(-1);
    if (last !== undefined && tick === last[1] + 1) last[1] = tick;
    else found.push([tick, tick]);
  }
  return found.map(([from, to]) => `${from}-${to}`).join(', ');
}

const shown = (firing: Firing): Expected =>
  Object.fromEntries([...firing].map(([text, ticks]) => [nameOf(text), rangesOf(ticks)]));

const groups = { 'lost scrapes': lostScrapes, owners, outages, replicas, others, delivery, replaced, days };
const sharded: Record<string, Case> = { 'with state': resharded(true), 'without state': resharded(false) };

describe.runIf(peer('promtool')).each(Object.entries({ ...groups, 'resharding 1-2-3': sharded }))('%s', (_, cases) => {
  let observed: readonly Observed[] = [];
  beforeAll(async () => {
    observed = await observe(Object.values(cases).map(historyOf), rules);
  });
  it.each(Object.keys(cases).map((name, i) => [name, i] as const))('%s', (name, i) => {
    expect(shown(observed[i]?.prometheus ?? new Map())).toEqual(cases[name]?.expected);
  });
});

describe.runIf(peer('promtool'))('two senders', () => {
  let observed: readonly Observed[] = [];
  beforeAll(async () => {
    observed = await observe(Object.values(twoSenders).map(historyOf), rules);
  });
  it.each(Object.keys(twoSenders).map((name, i) => [name, i] as const))('%s', (name, i) => {
    expect(shown(observed[i]?.alertmanager ?? new Map())).toEqual(twoSenders[name]?.expected);
  });
});

describe.runIf(peer('promtool'))('labels of targets', () => {
  const two = historyOf(
    {
      replicas: [
        createReplica('a', { targetLabels: { cluster: 'c1', owner: 'platform' } }),
        createReplica('b', { targetLabels: { cluster: 'c2' } }),
      ],
      episodes: [down()],
      expected: {},
    },
    1,
  );
  it('that are kept make two alerts, and displace those of the page', async () => {
    const [observed] = await observe([two], clusterRules);
    expect(shown(observed?.prometheus ?? new Map())).toEqual({ [`${D} platform c1`]: '20-84', [`${D} c2`]: '20-84' });
  });
  it('that are not kept make none', async () => {
    const [observed] = await observe([two], rules);
    expect(shown(observed?.prometheus ?? new Map())).toEqual({ [`${D} platform`]: '20-84', [D]: '20-84' });
  });
});
