import { setImmediate } from 'node:timers/promises';
import type { Inventory } from '../inventory/inventory.ts';
import type { Log } from '../model/log.ts';
import type { AlertState, Labels } from './alert.ts';
import type { Alertmanager } from './alertmanager.ts';
import { createDelivery, type Delivery, type DeliveryCounts, QUEUE_CAPACITY } from './delivery.ts';
import { createIgnore, type Matcher } from './matchers.ts';
import { createNotification, type Notification, ownLabelsOf } from './notification.ts';
import { MAX_OUTAGE, restoreKnown, restoreSaved } from './restore.ts';
import type { Judgement, Rule, View } from './rule.ts';
import type { EngineRuleName, RuleSettings } from './rule-settings.ts';
import { createRules } from './rules.ts';
import type { StateFile } from './state-file.ts';
import { type AlertStates, step, type Transition } from './state-machine.ts';

export interface EngineOptions {
  /** The current inventory; undefined while there is none. */
  readonly inventory: () => Inventory | undefined;
  /** Whether the last verdict on a logon was good; `undefined` before the first. */
  readonly authenticated: () => boolean | undefined;
  readonly rules: RuleSettings;
  /** Alerts that meet all matchers of a group are none. */
  readonly ignore: readonly (readonly Matcher[])[];
  readonly alertmanagers: readonly { readonly alertmanager: Alertmanager; readonly counts: DeliveryCounts }[];
  /** Seconds. */
  readonly evaluationInterval: number;
  readonly resendDelay: number;
  readonly unknownHold: number;
  /** `explicit` tells the end of an alert; `expire` stops telling that it fires, for two daemons side by side. */
  readonly resolve: 'explicit' | 'expire';
  /** Of the analyzer, `host:port`. */
  readonly analyzer: string;
  readonly externalLabels: Labels;
  /** Added to every alert, by the name of its rule. */
  readonly runbookUrl: (name: EngineRuleName) => string | undefined;
  readonly generatorUrl: string;
  readonly ownsVendorLicense: (vendorLicense: string) => boolean;
  readonly stateFile: StateFile | undefined;
  /** Alerts to go on with, for instance from before a reload. */
  readonly initial: AlertStates | undefined;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** How alerting goes, for metrics and pages. Times are epoch seconds, durations seconds. */
export interface EngineStatus {
  readonly rules: readonly Rule[];
  readonly alerts: readonly AlertState[];
  readonly commonLabels: Labels;
  /** Names of the rules that are judged here and whose alerts are delivered: nobody else need raise them. */
  readonly active: ReadonlySet<EngineRuleName>;
  readonly deliveries: readonly Delivery[];
  readonly queueCapacity: number;
  readonly evaluationInterval: number;
  readonly lastEvaluation: { readonly at: number; readonly seconds: number } | undefined;
}

export interface AlertEngine {
  /** Takes up the alerts of before, and begins. */
  start(): Promise<void>;
  /** Looks at the data again; resolves when what follows from that has been handed over for delivery. */
  evaluate(): Promise<void>;
  /** Lets what waits go out, and saves. Nothing is resolved by it. */
  stop(): Promise<void>;
  status(): EngineStatus;
  /** Alerts to go on with elsewhere; undefined before those of before have been taken up. */
  states(): AlertStates | undefined;
}

/** How long a resolved alert is told again, seconds; Prometheus does the same. */
const RESOLVED_RETENTION = 900;
/** Alertmanager takes an alert for resolved after so many resends it did not hear. */
const MISSED_RESENDS = 4;
/** How long the queues are given at stop, seconds. */
const DRAIN_SECONDS = 5;
/** Delivery counts as working for so many resend delays after a success. */
const ACTIVE_RESENDS = 2;
/** More changes at once are told in sum: a log line each would hold everybody up. */
const MAX_REPORTED = 20;
/** Work of one slice before others may run, milliseconds. */
const SLICE_MS = 4;
/** The state is saved at most so often, unless an alert begins or ends, seconds. */
const SAVE_INTERVAL = 1;

/** Evaluates the rules after each poll and at an interval, and tells Alertmanager. */
export function createAlertEngine(options: EngineOptions): AlertEngine {
  const { now, log, resendDelay, evaluationInterval, stateFile } = options;
  const rules = createRules(options.rules);
  const isIgnored = options.ignore.length === 0 ? undefined : createIgnore(options.ignore);
  const ownLabels = ownLabelsOf(options.analyzer);
  const commonLabels: Labels = { ...options.externalLabels, ...ownLabels };
  const notificationOptions = {
    commonLabels,
    validity: MISSED_RESENDS * Math.max(evaluationInterval, resendDelay),
    generatorURL: options.generatorUrl,
  };
  const deliveries = options.alertmanagers.map((target) => createDelivery({ ...target, now, log }));

  let states: AlertStates = options.initial ?? new Map();
  /** Rules that have had data to judge by: what they do not find is not there. */
  const judges = new Set<EngineRuleName>();
  let lastEvaluation: EngineStatus['lastEvaluation'];
  let lastHeartbeat: number | undefined;
  let savedAt = Number.NEGATIVE_INFINITY;
  let isStarted = false;
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isAsked = false;

  const save = async (): Promise<void> => {
    savedAt = now();
    await stateFile?.save({ savedAt, alerts: [...states.values()] });
  };

  /** What a rule says, without what is to be ignored, and with where to read on. */
  const judge = (rule: Rule, view: View): Judgement => {
    const judgement = rule.judge(view);
    let { findings } = judgement;
    if (isIgnored !== undefined) findings = findings.filter(({ labels }) => !isIgnored({ ...commonLabels, ...labels }));
    const url = options.runbookUrl(rule.name);
    if (url !== undefined) {
      findings = findings.map((finding) => ({ ...finding, annotations: { ...finding.annotations, runbook_url: url } }));
    }
    return { ...judgement, findings };
  };

  const report = (transitions: readonly Transition[]): void => {
    const told = transitions.filter(({ to }) => to !== 'pending' && to !== 'inactive');
    if (told.length <= MAX_REPORTED) {
      for (const { labels, to } of told) log.info({ labels, to }, 'alert');
      return;
    }
    const counts: Record<string, number> = {};
    for (const { labels, to } of told) {
      const key = `${labels.alertname} ${to}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    log.info({ counts }, 'many alerts');
  };

  /** A clock that was set back does not silence anything. */
  const isDue = (last: number | undefined, at: number): boolean =>
    last === undefined || at - last >= resendDelay || last > at;

  /** Hands over what is due, or says that there is nothing. */
  const send = (at: number): void => {
    const told = [...states].filter(([, { state }]) => state !== 'pending');
    const due = told.filter(([, { sentAt }]) => isDue(sentAt, at));
    if (due.length > 0) {
      const notifications: Notification[] = due.map(([key, alert]) =>
        createNotification(key, alert, at, notificationOptions),
      );
      for (const delivery of deliveries) delivery.enqueue(notifications);
      states = new Map([...states, ...due.map(([key, alert]) => [key, { ...alert, sentAt: at }] as const)]);
    }
    if (told.length > 0 || !isDue(lastHeartbeat, at)) return;
    lastHeartbeat = at;
    for (const delivery of deliveries) delivery.heartbeat();
  };

  /** Seconds until something is due at the latest. */
  const nextDue = (at: number): number => {
    const times = [...states.values()].flatMap(({ sentAt }) => sentAt ?? []);
    const last = times.length === 0 ? lastHeartbeat : times.reduce((a, b) => Math.min(a, b));
    const next = Math.min(at + evaluationInterval, last === undefined ? Number.POSITIVE_INFINITY : last + resendDelay);
    return Math.max(0.01, next - at);
  };

  const evaluateOnce = async (): Promise<void> => {
    const inventory = options.inventory();
    if (inventory === undefined) return;
    const at = now();
    const started = performance.now();
    const view: View = { now: at, inventory, authenticated: options.authenticated() };
    const judged: { rule: Rule; judgement: Judgement }[] = [];
    let sliceStarted = started;
    for (const rule of rules) {
      judged.push({ rule, judgement: judge(rule, view) });
      if (performance.now() - sliceStarted < SLICE_MS) continue;
      // a large site must not hold up whoever else shares the thread
      await setImmediate();
      sliceStarted = performance.now();
    }
    const resolvedRetention = options.resolve === 'explicit' ? RESOLVED_RETENTION : 0;
    const { states: after, transitions } = step(states, judged, at, {
      unknownHold: options.unknownHold,
      resolvedRetention,
    });
    const hadAlerts = states.size > 0;
    states = after;
    for (const { rule, judgement } of judged) if (!judgement.isBlind) judges.add(rule.name);
    lastEvaluation = { at, seconds: (performance.now() - started) / 1000 };
    report(transitions);
    // kept before it is told: after a crash nothing is told that is not remembered
    if (transitions.length > 0) await save();
    else if (hadAlerts && at - savedAt >= SAVE_INTERVAL) void save();
    send(at);
  };

  const evaluate = async (): Promise<void> => {
    isAsked = true;
    if (!isStarted || stopping) return;
    running ??= (async () => {
      clearTimeout(timer);
      while (isAsked && !stopping) {
        isAsked = false;
        await evaluateOnce().catch((error: unknown) => log.error({ err: error }, 'alerts not evaluated'));
      }
      running = undefined;
      if (!stopping) timer = setTimeout(() => void evaluate(), nextDue(now()) * 1000);
    })();
    return running;
  };

  const restore = async (): Promise<AlertStates> => {
    const at = now();
    const saved = stateFile?.load();
    if (saved !== undefined && at - saved.savedAt <= MAX_OUTAGE) {
      // whoever wrote the file judged them until then
      for (const { name } of rules) judges.add(name);
      return restoreSaved(saved, at);
    }
    return restoreKnown(
      options.alertmanagers.map(({ alertmanager }) => alertmanager),
      at,
      {
        rules,
        filter: ownLabels,
        ownsVendorLicense: options.ownsVendorLicense,
        onProblem: (alertmanager, reason) => log.warn({ alertmanager, reason }, 'alerts not read from Alertmanager'),
      },
    );
  };

  return {
    start: async () => {
      if (options.initial === undefined) states = await restore();
      if (states.size > 0) log.info({ alerts: states.size }, 'alerts taken up again');
      isStarted = true;
      await evaluate();
    },
    evaluate,
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      await running;
      await Promise.all(deliveries.map((delivery) => delivery.stop(DRAIN_SECONDS)));
      if (states.size > 0) await save();
    },
    status: () => {
      const limit = now() - ACTIVE_RESENDS * resendDelay;
      const isDelivering = deliveries.some(
        ({ counts: { lastSuccess } }) => lastSuccess !== undefined && lastSuccess > limit,
      );
      return {
        rules,
        alerts: [...states.values()],
        commonLabels,
        active: isDelivering ? judges : new Set(),
        deliveries,
        queueCapacity: QUEUE_CAPACITY,
        evaluationInterval,
        lastEvaluation,
      };
    },
    states: () => (isStarted ? states : undefined),
  };
}
