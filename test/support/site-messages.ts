import { setImmediate } from 'node:timers/promises';
import type { Labels } from '../../src/alerting/alerts/alert.ts';
import { createCounts } from '../../src/alerting/alerts/delivery.ts';
import { AlertEngine, type HandOver } from '../../src/alerting/alerts/engine.ts';
import { Listed } from '../../src/alerting/alerts/listed.ts';
import type { Forecasts, SourceState } from '../../src/alerting/alerts/rule.ts';
import type { RuleSettings } from '../../src/alerting/alerts/rules.ts';
import { alerting as alertingSection } from '../../src/alerting/settings.ts';
import type { Source } from '../../src/base/model/observation/source.ts';
import { noOwners, type Owners } from '../../src/base/model/owners.ts';
import { sectionDefaults } from '../../src/base/settings/table.ts';
import { policy } from './alert-views.ts';
import { AlertmanagerModel } from './alertmanager-model.ts';
import { deriveInventoryNow } from './derived-inventory.ts';
import { example, sendsResolved } from './example-alertmanager.ts';
import { failingLog } from './failing-log.ts';
import { createPolledSite, type PolledSiteOptions, SITE_ZONE } from './polled-site.ts';
import { keyOf, type RoutedMessage, RoutedMessages } from './routed-messages.ts';

/** The messages that people get about the simulated site: the real engine and its delivery, and the example for Alertmanager. */

/** License managers instead of the simulated site. */
interface Managers {
  readonly sources: readonly Source[];
  readonly states: () => readonly SourceState[];
  readonly forecasts: () => Forecasts;
}

export interface MessagesOptions extends Omit<PolledSiteOptions, 'now' | 'sources'> {
  readonly seconds: number;
  readonly rules: RuleSettings;
  readonly owners?: Owners;
  /** @param now epoch seconds */
  readonly managers?: (now: () => number) => Managers;
  /** Called after each evaluation, with what fires at Alertmanager, and with what the daemon itself sends mails about. */
  readonly onEvaluated?: (firing: Iterable<Labels>, handOver: HandOver) => Promise<void>;
}

export interface SiteMessages {
  readonly evaluations: number;
  readonly messages: readonly RoutedMessage[];
  /** Every alert that was sent, without repetitions. */
  readonly alerts: readonly Labels[];
}

/** What is sent, and the messages about it. Of the simulated site, nothing is forecast. */
export async function sendMessages({
  seconds,
  rules,
  owners = noOwners,
  managers,
  onEvaluated,
  ...options
}: MessagesOptions): Promise<SiteMessages> {
  const { from, interval } = options;
  let now = from;
  const asked = managers?.(() => now);
  const polled = createPolledSite({ ...options, sources: asked?.sources, now: () => now });
  const routed = new RoutedMessages({ ...example, sendsResolved });
  const alerts = new Map<string, Labels>();
  const model = new AlertmanagerModel((alert) => {
    routed.put(alert);
    alerts.set(keyOf(alert.labels), alert.labels);
  });
  let inventory: ReturnType<typeof deriveInventoryNow> | undefined;
  let handedOver: HandOver | undefined;
  const engine = new AlertEngine({
    ...sectionDefaults(alertingSection),
    rules: { ...sectionDefaults(alertingSection).rules, ...rules },
    ignore: [],
    runbookUrl: () => '',
    generatorUrl: 'http://monitor.example.com:10319/alerts',
    resendDelay: interval,
    evaluationInterval: interval,
    now: () => now,
    log: failingLog,
    inventory: () => inventory,
    authenticated: () => true,
    sources: () => asked?.states(),
    recording: () => undefined,
    notConfigured: () => new Set(),
    forecasts: () => asked?.forecasts(),
    denied: polled.denied,
    isSeriesLimited: () => false,
    isReloadRefused: () => false,
    targets: [{ alertmanager: model.client({ now: () => now, answers: () => true }), counts: createCounts() }],
    owners: () => owners,
    unknownHold: 3600,
    resolve: 'explicit',
    analyzer: 'lic:80',
    shard: '',
    externalLabels: {},

    timeZone: SITE_ZONE,
    owned: policy,
    listed: new Listed(),
    listedFile: undefined,
    stateFile: undefined,
    handOver: (handOver) => {
      handedOver = handOver;
    },
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
    if (handedOver !== undefined) await onEvaluated?.(model.firing(), handedOver);
  }
  routed.advance(now);
  await engine.stop();
  return { evaluations, messages: routed.messages, alerts: [...alerts.values()] };
}
