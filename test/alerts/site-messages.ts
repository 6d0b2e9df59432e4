import { setImmediate } from 'node:timers/promises';
import type { Labels } from '../../src/alerts/alert.ts';
import { createCounts } from '../../src/alerts/delivery.ts';
import { AlertEngine } from '../../src/alerts/engine.ts';
import { Listed } from '../../src/alerts/listed.ts';
import type { RuleSettings } from '../../src/alerts/rules.ts';
import { noOwners, type Owners } from '../../src/model/owners.ts';
import { policy } from '../support/alert-views.ts';
import { example, sendsResolved } from '../support/example-alertmanager.ts';
import { failingLog } from '../support/failing-log.ts';
import { createPolledSite, type PolledSiteOptions, SITE_ZONE } from '../support/polled-site.ts';
import { type RoutedMessage, RoutedMessages } from '../support/routed-messages.ts';
import { deriveInventoryNow } from '../support/stored-answers.ts';
import { AlertmanagerModel } from './histories/alertmanager-model.ts';

/** The messages that people get about the simulated site: the real engine and its delivery, and the example for Alertmanager. */

export interface MessagesOptions extends Omit<PolledSiteOptions, 'now'> {
  readonly seconds: number;
  readonly rules: RuleSettings;
  readonly owners?: Owners;
}

export interface SiteMessages {
  readonly evaluations: number;
  readonly messages: readonly RoutedMessage[];
  /** Every alert that was sent, without repetitions. */
  readonly alerts: readonly Labels[];
}

/** What is sent, and the messages about it. Nothing is forecast. */
export async function sendMessages({
  seconds,
  rules,
  owners = noOwners,
  ...options
}: MessagesOptions): Promise<SiteMessages> {
  const { from, interval } = options;
  let now = from;
  const polled = createPolledSite({ ...options, now: () => now });
  const routed = new RoutedMessages({ ...example, sendsResolved });
  const alerts = new Map<string, Labels>();
  const model = new AlertmanagerModel((alert) => {
    routed.put(alert);
    alerts.set(JSON.stringify(Object.entries(alert.labels).sort()), alert.labels);
  });
  let inventory: ReturnType<typeof deriveInventoryNow> | undefined;
  const engine = new AlertEngine({
    rules,
    ignore: [],
    runbookUrl: () => '',
    generatorUrl: 'http://monitor.example.com:10319/alerts',
    resendDelay: interval,
    evaluationInterval: interval,
    now: () => now,
    log: failingLog,
    useInventory: (work) => work(inventory),
    authenticated: () => true,
    sources: () => undefined,
    recording: () => undefined,
    forecasts: () => undefined,
    denied: polled.denied,
    isSeriesLimited: () => false,
    isReloadRefused: () => false,
    alertmanagers: [{ alertmanager: model.client({ now: () => now, answers: () => true }), counts: createCounts() }],
    owners: () => owners,
    unknownHold: 3600,
    resolve: 'explicit',
    analyzer: 'lic:80',
    shard: '',
    externalLabels: {},
    alertmanagerUrl: undefined,
    timeZone: SITE_ZONE,
    owned: policy,
    listed: new Listed(),
    listedFile: undefined,
    stateFile: undefined,
    handOver: () => undefined,
    initial: undefined,
  });
  let evaluations = 0;
  for (; now < from + seconds; now += interval) {
    evaluations += 1;
    model.now = now;
    routed.advance(now);
    inventory = deriveInventoryNow(await polled.poll(), now, policy);
    await (now === from ? engine.start() : engine.evaluate());
    // deliveries are over
    await setImmediate();
  }
  routed.advance(now);
  await engine.stop();
  return { evaluations, messages: routed.messages, alerts: [...alerts.values()] };
}
