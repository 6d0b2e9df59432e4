import type { CurrentInventory } from '../inventory/current.ts';
import type { Log } from '../model/log.ts';
import type { Owners } from '../model/owners.ts';
import { limitRepeats } from '../model/repeat-log.ts';
import { createLatestOnly } from '../scheduling/latest-only.ts';
import { runSliced } from '../scheduling/slices.ts';
import { createAddress, readdress } from './address.ts';
import { keyOf, type Labels } from './alert.ts';
import { QUEUE_CAPACITY } from './delivery.ts';
import type { EngineStatus } from './engine-status.ts';
import { createEvaluation, type EvaluationOptions, unknownEvaluation } from './evaluation.ts';
import { changesOf, type SentAlerts, type SumUpOptions, sumUpAlerts } from './groups.ts';
import { silenceUrl } from './links.ts';
import type { Listed } from './listed.ts';
import type { ListedFile } from './listed-file.ts';
import { ownLabelsOf } from './notification.ts';
import { ACTIVE_RESENDS, createNotifier, type NotifierOptions } from './notifier.ts';
import { type RestoreOptions, restore } from './restore.ts';
import type { EvaluatedRule, View } from './rule.ts';
import { createRules, type RuleSettings } from './rules.ts';
import type { SavedAlerts } from './state-file.ts';
import { type AlertStates, step, type Transition } from './state-machine.ts';
import { createStatements, type StatementKeeper, type Statements } from './statements.ts';

/** The alerts after an evaluation, for those who send them by other ways than Alertmanager. */
export interface HandOver {
  /** Epoch seconds. */
  readonly at: number;
  readonly alerts: SentAlerts;
  /** What has changed in them. */
  readonly changes: readonly Transition[];
  /** The result of each rule. If they could not be evaluated, every condition is unknown. */
  readonly evaluated: readonly EvaluatedRule[];
}

/** What rules read beside the inventory, each as it is now. See `View`. */
type Surroundings = {
  readonly [Name in Exclude<keyof View, 'now' | 'inventory' | 'past' | 'timeZone'>]: () => View[Name];
};

/** The rules, the receivers, the clock and the state of an engine. */
export interface EngineOptions
  extends RestoreOptions,
    Surroundings,
    Pick<EvaluationOptions, 'ignore'>,
    Pick<NotifierOptions, 'generatorUrl' | 'resendDelay' | 'evaluationInterval'> {
  /** Runs work on the current inventory, which is `undefined` before the first one. */
  readonly useInventory: CurrentInventory['use'];
  readonly rules: RuleSettings;
  /** The annotation `runbook_url` of a rule. */
  readonly runbookUrl: (name: string) => string;
  /** How long an alert is kept while its condition is unknown, seconds. */
  readonly unknownHold: number;
  /** `explicit` sends the end of an alert; `expire` stops sending it, for two daemons side by side. */
  readonly resolve: 'explicit' | 'expire';
  readonly externalLabels: Labels;
  /** URL of Alertmanager for people, for links to a new silence. */
  readonly alertmanagerUrl: string | undefined;
  /** The IANA name of the zone of times in texts. */
  readonly timeZone: string;
  /** What was listed before. It is filled from its file, unless alerts are continued. */
  readonly listed: Listed;
  readonly listedFile: ListedFile | undefined;
  /** Called after each evaluation, when the alerts are saved. Must return at once, and must not throw. */
  readonly handOver: (handOver: HandOver) => void;
  /** Alerts to continue, for example from before a reload. */
  readonly initial: SavedAlerts | undefined;
}

/** Evaluates the rules after each commit and in between, and hands the alerts over. */
export interface AlertEngine {
  /** Restores the saved alerts and starts to evaluate. */
  start(): Promise<void>;
  /**
   * Evaluates the rules over the current inventory. Resolves when the resulting notifications are queued. Never rejects: a
   * failure is only logged here.
   */
  evaluate(): Promise<void>;
  /** Sends the rest of the queues and saves the alerts. Resolves no alert. */
  stop(): Promise<void>;
  status(): EngineStatus;
  /** Alerts to continue in another engine; `undefined` before the saved ones are restored. */
  states(): SavedAlerts | undefined;
}

/** How long a resolved alert is sent again, seconds, as in Prometheus. */
const RESOLVED_RETENTION = 900;
/** Minimum time between two saves, unless an alert fires or ends, seconds. */
const SAVE_INTERVAL = 1;

/** If an evaluation has more transitions, only their counts are logged: a line for each would block the event loop. */
const MAX_LOGGED = 20;

/** Logs which alerts fire, are resolved, or lapse. */
function logTransitions(transitions: readonly Transition[], log: Log): void {
  const logged = transitions.filter(({ to }) => to !== 'pending' && to !== 'inactive');
  if (logged.length <= MAX_LOGGED) {
    for (const { labels, to } of logged) log.info({ labels, to }, 'alert');
    return;
  }
  const groups = Map.groupBy(logged, ({ labels, to }) => `${labels.alertname} ${to}`);
  log.info({ counts: Object.fromEntries([...groups].map(([key, { length }]) => [key, length])) }, 'many alerts');
}

/** Evaluates the rules after each poll and at an interval, and sends alerts to Alertmanager, if there is one. */
export function createAlertEngine(options: EngineOptions): AlertEngine {
  const { now, log, resendDelay, evaluationInterval, stateFile, listed, listedFile } = options;
  const { analyzer, shard, alertmanagerUrl, unknownHold, timeZone } = options;
  const rules = createRules(options.rules);
  const commonLabels: Labels = { ...options.externalLabels, ...ownLabelsOf(analyzer) };
  const address = createAddress(options.owners, shard);
  const evaluateRules = createEvaluation({ rules, ignore: options.ignore, commonLabels, address });
  const sumUpOptions: SumUpOptions = {
    rules,
    linksOf: (labels) => ({
      runbook_url: options.runbookUrl(labels.alertname ?? ''),
      ...(alertmanagerUrl !== undefined && { silence_url: silenceUrl(alertmanagerUrl, labels, analyzer) }),
    }),
  };
  const isExplicit = options.resolve === 'explicit';
  const notifier = createNotifier({
    ...options,
    targets: options.alertmanagers,
    commonLabels,
    // an alert that expires must not outlive its condition
    unknownHold: isExplicit ? unknownHold : 0,
  });
  const resolvedRetention = isExplicit ? RESOLVED_RETENTION : 0;

  let states: AlertStates = new Map();
  /** The mapping by which they are addressed. */
  let addressedBy: Owners | undefined;
  /** The alerts as they are sent. */
  let sent: SentAlerts = new Map();
  let keeper: StatementKeeper | undefined;
  let statements: Statements | undefined;
  /** Names of the rules that had data at the last evaluation. */
  let withData: ReadonlySet<string> = new Set();
  let lastEvaluation: EngineStatus['lastEvaluation'];
  let savedAt = Number.NEGATIVE_INFINITY;
  /** Of how many alerts the saved file says everything. */
  let savedNames = 0;
  let isStarted = false;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;

  const limitedLog = limitRepeats(log);
  const logFailure = (error: unknown): void => limitedLog.error({ err: error }, 'alerts not evaluated');

  /** Continues what another engine, or another process, has left. */
  const resume = (saved: SavedAlerts): void => {
    states = new Map(saved.alerts.map((alert) => [keyOf(alert), alert]));
    // what is restored is no change
    sent = sumUpAlerts(states, sent, sumUpOptions);
    const { ends, complete } = saved;
    keeper = createStatements({ analyzer, complete, said: { alerts: sent.values(), analyzer: saved.analyzer }, ends });
  };
  if (options.initial !== undefined) resume(options.initial);

  const left = ({ ends, whole }: StatementKeeper): SavedAlerts => ({
    savedAt: now(),
    alerts: [...states.values()],
    ends: ends(),
    complete: [...whole()],
    analyzer,
  });

  const save = async (): Promise<void> => {
    if (keeper === undefined) return;
    const saved = left(keeper);
    savedAt = saved.savedAt;
    savedNames = saved.complete.length;
    await stateFile?.save(saved);
  };

  const continueAll = (evaluated: readonly EvaluatedRule[], at: number) => {
    const deliveredAt = notifier.deliveredAt();
    return { evaluated, ...step(states, evaluated, at, { unknownHold, address, resolvedRetention, deliveredAt }) };
  };

  /** Evaluates the rules and continues the alerts. `undefined` if there is no current inventory, or if a rule fails. */
  const evaluateAll = async (at: number) => {
    try {
      return await options.useInventory(async (inventory) => {
        // after a sleep of the machine, it is out of date until it is derived again
        const isOutdated = inventory?.agesOutAt !== undefined && inventory.agesOutAt < at;
        if (inventory === undefined || isOutdated) return undefined;
        const surroundings: Omit<View, 'past'> = {
          now: at,
          inventory,
          timeZone,
          authenticated: options.authenticated(),
          sources: options.sources(),
          recording: options.recording(),
          forecasts: options.forecasts(),
          denied: options.denied(),
          isSeriesLimited: options.isSeriesLimited(),
          isReloadRefused: options.isReloadRefused(),
        };
        const past = await runSliced(listed.observe(inventory, at, options.owned));
        return continueAll(await runSliced(evaluateRules({ ...surroundings, past })), at);
      });
    } catch (error) {
      logFailure(error);
      return undefined;
    }
  };

  const evaluateOnce = async (): Promise<void> => {
    const at = now();
    const started = performance.now();
    const owners = options.owners();
    if (owners !== addressedBy) states = readdress(states, address, rules, at);
    addressedBy = owners;
    const hadAlerts = states.size > 0;
    const found = await evaluateAll(at);
    // without an evaluation everything is unknown: firing alerts are kept, not resolved
    const { evaluated, states: after, transitions } = found ?? continueAll(unknownEvaluation(rules), at);
    states = after;
    const before = sent;
    sent = sumUpAlerts(states, before, sumUpOptions);
    const changes = changesOf(before, sent);
    statements = keeper?.take(sent, changes, evaluated, at);
    if (found !== undefined) {
      lastEvaluation = { at, seconds: (performance.now() - started) / 1000 };
      withData = new Set(evaluated.flatMap(({ rule, evaluation }) => (evaluation.hasNoData ? [] : rule.name)));
    }
    logTransitions(changes, log);
    const isDue = (hadAlerts || savedNames !== keeper?.whole().size) && at - savedAt >= SAVE_INTERVAL;
    // saved before sending: after a crash, every alert that was sent is restored
    if (transitions.length > 0) await save();
    else if (isDue) void save();
    options.handOver({ at, alerts: sent, changes, evaluated });
    notifier.send(sent, at);
    await listedFile?.keep(listed, at);
  };

  const run = createLatestOnly(async () => {
    clearTimeout(timer);
    if (isStopping) return;
    await evaluateOnce().catch(logFailure);
    if (isStopping) return;
    const at = now();
    const next = Math.min(at + evaluationInterval, notifier.nextDue());
    timer = setTimeout(() => void run(), Math.max(0.01, next - at) * 1000);
  });

  return {
    start: async () => {
      if (keeper === undefined) {
        await listedFile?.load(listed);
        resume(await restore(rules, commonLabels, options));
      }
      if (states.size > 0) log.info({ alerts: states.size }, 'alerts restored');
      isStarted = true;
      await run();
    },
    evaluate: async () => {
      if (isStarted) await run();
    },
    stop: async () => {
      isStopping = true;
      await run();
      await notifier.stop();
      if (states.size > 0 || (keeper?.whole().size ?? 0) > 0) await save();
      await listedFile?.finish(listed);
    },
    status: () => {
      const isEvaluated = lastEvaluation !== undefined && lastEvaluation.at > now() - ACTIVE_RESENDS * resendDelay;
      return {
        rules,
        alerts: [...sent.values()],
        conditions: [...states.values()],
        commonLabels,
        active: isEvaluated && notifier.isDelivering() ? withData : new Set(),
        withData,
        statements,
        deliveries: notifier.deliveries,
        queueCapacity: QUEUE_CAPACITY,
        evaluationInterval,
        lastEvaluation,
        unknownHold,
        timeZone,
      };
    },
    states: () => keeper && left(keeper),
  };
}
