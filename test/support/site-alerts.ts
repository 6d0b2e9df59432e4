import type { Labels } from '../../src/alerts/alert.ts';
import { type SentAlerts, sumUpAlerts } from '../../src/alerts/groups.ts';
import { createRules, type RuleSettings } from '../../src/alerts/rules.ts';
import { type AlertStates, step } from '../../src/alerts/state-machine.ts';
import { createCollector } from '../../src/analyzer/collector.ts';
import { endpointBodies } from '../../src/analyzer/endpoint-bodies.ts';
import { createSimulatedSite, type SimulatedSiteOptions } from '../../src/analyzer/simulated-site.ts';
import { type Answers, decodeAnswer } from '../../src/decoding/decode.ts';
import { createLocalTime } from '../../src/model/local-time.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import type { EndpointName } from '../../src/query-api/endpoints.ts';
import { evaluateRule, viewOf } from './alert-views.ts';
import { createSnapshot, good } from './scenario.ts';

/** The alerts of the simulated site of the demo over days, without a daemon: what it answers, and the rules on that. */

const TIME_ZONE = 'Europe/Berlin';
const HOUR = 3600;
/** As in the demo, where a server is down at the start. */
const DOWN_BEFORE = 40 * 60;

export interface WatchOptions {
  readonly from: number;
  readonly seconds: number;
  /** Seconds between a collection, with a poll and an evaluation right after it, and the next one. */
  readonly interval: number;
  readonly rules: RuleSettings;
  readonly site?: Partial<SimulatedSiteOptions>;
}

/** The labels of the alerts that fire, at each time. History is not polled, and nothing is forecast. */
export async function watchAlerts({
  from,
  seconds,
  interval,
  rules,
  site,
}: WatchOptions): Promise<readonly Labels[][]> {
  const localTime = createLocalTime(TIME_ZONE);
  let now = from;
  const source = createSimulatedSite({
    seed: 1,
    vendorLicenses: 10,
    featuresPerVendorLicense: 20,
    timeZone: TIME_ZONE,
    now: () => now,
    interval,
    downSince: from - DOWN_BEFORE,
    ...site,
  });
  const collector = createCollector({
    sources: [source],
    localTime,
    now: () => now,
    onProblem: (error) => {
      throw error;
    },
  });
  const { signal } = new AbortController();

  const ask = async <E extends EndpointName>(
    endpoint: E,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Answers[E]> => {
    const recorded = (): never => {
      throw new Error('there is no history');
    };
    const context = { current: collector.current(), now, identity: '', signal, recorded };
    const { body } = await endpointBodies[endpoint](context, parameters);
    return decodeAnswer(endpoint, Buffer.concat(body), Number.POSITIVE_INFINITY);
  };

  let expiries: Snapshot['endpoints']['GetExpirationFeatures'];
  let askedAt = Number.NEGATIVE_INFINITY;
  const poll = async (): Promise<Snapshot> => {
    const products = await ask('GetProducts', {});
    const { endpoints } = createSnapshot({
      products: good(products, now),
      down: good(await ask('GetServerDown', {}), now),
      users: good(1, now),
      features: { '': good(await ask('GetFeatures', { product: '%' }), now) },
    });
    if (now - askedAt >= HOUR) {
      const parts: Record<string, ReturnType<typeof good<Answers['GetExpirationFeatures']>>> = {};
      for (const { product } of products.records)
        parts[product] = good(await ask('GetExpirationFeatures', { product }), now);
      expiries = createSnapshot({ expirations: parts }).endpoints.GetExpirationFeatures;
      askedAt = now;
    }
    return { at: now, endpoints: { ...endpoints, ...(expiries !== undefined && { GetExpirationFeatures: expiries }) } };
  };

  const evaluated = createRules(rules);
  let states: AlertStates = new Map();
  let sent: SentAlerts = new Map();
  const firing: Labels[][] = [];
  for (; now < from + seconds; now += interval) {
    await collector.collect();
    const view = viewOf(await poll(), now);
    const results = evaluated.map((rule) => ({ rule, evaluation: evaluateRule(rule, view) }));
    ({ states } = step(states, results, now, { unknownHold: HOUR, resolvedRetention: 0, address: (labels) => labels }));
    sent = sumUpAlerts(states, sent, { rules: evaluated, silenceUrl: () => undefined });
    firing.push([...sent.values()].filter(({ state }) => state === 'firing').map(({ labels }) => labels));
  }
  return firing;
}
