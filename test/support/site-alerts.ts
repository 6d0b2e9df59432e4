import type { AlertStates, Labels } from '../../src/alerting/alerts/alert.ts';
import { type SentAlerts, sumUpAlerts } from '../../src/alerting/alerts/groups.ts';
import { createRules, type RuleSettings } from '../../src/alerting/alerts/rules.ts';
import { step } from '../../src/alerting/alerts/state-machine.ts';
import type { SimulatedSiteOptions } from '../../src/analyzer/simulated/simulated-site.ts';
import { evaluateRule, viewOf } from './alert-views.ts';
import { createPolledSite } from './polled-site.ts';

/** The alerts of the simulated site of the demo over days: what it answers, and the rules on that. */

const HOUR = 3600;

export interface WatchOptions {
  readonly from: number;
  readonly seconds: number;
  /** Seconds between a collection, with a poll and an evaluation right after it, and the next one. */
  readonly interval: number;
  readonly rules: RuleSettings;
  readonly site?: Partial<SimulatedSiteOptions>;
}

/** The labels of the alerts that fire, at each time. Denials are not known, and nothing is forecast. */
export async function watchAlerts({
  from,
  seconds,
  interval,
  rules,
  site = {},
}: WatchOptions): Promise<readonly Labels[][]> {
  let now = from;
  const polled = createPolledSite({ from, now: () => now, interval, site });
  const evaluated = createRules(rules);
  let states: AlertStates = new Map();
  let sent: SentAlerts = new Map();
  const firing: Labels[][] = [];
  for (; now < from + seconds; now += interval) {
    const view = viewOf(await polled.poll(), now);
    const results = evaluated.map((rule) => ({ rule, evaluation: evaluateRule(rule, view) }));
    ({ states } = step(states, results, now, { unknownHold: HOUR, resolvedRetention: 0, address: (labels) => labels }));
    sent = sumUpAlerts(states, sent, { rules: evaluated, linksOf: () => ({}) });
    firing.push([...sent.values()].filter(({ state }) => state === 'firing').map(({ labels }) => labels));
  }
  return firing;
}
