import type { CurrentInventory } from '../inventory/current.ts';
import type { Owners } from '../model/owners.ts';
import { limitRepeats } from '../model/repeat-log.ts';
import { createLatestOnly } from '../scheduling/latest-only.ts';
import { runSliced } from '../scheduling/slices.ts';
import { createAddress, readdress } from './address.ts';
import type { Labels } from './alert.ts';
import { QUEUE_CAPACITY } from './delivery.ts';
import type { EngineStatus } from './engine-status.ts';
import { createEvaluation, type EvaluationOptions, unknownEvaluation } from './evaluation.ts';
import { changesOf, type SentAlerts, type SumUpOptions, sumUpAlerts } from './groups.ts';
import { silenceUrl } from './links.ts';
import type { Listed, Owned } from './listed.ts';
import type { ListedFile } from './listed-file.ts';
import { ownLabelsOf } from './notification.ts';
import { ACTIVE_RESENDS, createNotifier, type DeliveryTarget, type NotifierOptions } from './notifier.ts';
import { type Continued, restore } from './restore.ts';
import type { EvaluatedRule, Forecasts, RecordingState, SourceState, View } from './rule.ts';
import { createRules, type RuleSettings } from './rules.ts';
import type { StateFile } from './state-file.ts';
import { type StepOptions, step, type Transition } from './state-machine.ts';
import { createStatements, type StatementKeeper, type Statements } from './statements.ts';
import { logTransitions } from './transition-log.ts';

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

export interface EngineOptions
  extends Pick<EvaluationOptions, 'ignore'>,
    Pick<NotifierOptions, 'generatorUrl' | 'resendDelay' | 'evaluationInterval' | 'now' | 'log'> {
  /** Runs work on the current inventory, which is `undefined` before the first one. */
  readonly useInventory: CurrentInventory['use'];
  /** Whether the analyzer accepted the last logon; `undefined` before the first. */
  readonly authenticated: () => boolean | undefined;
  /** Of an analyzer in this process; `undefined` without one. */
  readonly sources: () => readonly SourceState[] | undefined;
  readonly recording: () => RecordingState | undefined;
  /** `undefined` before the first pass of right-sizing, and without right-sizing. */
  readonly forecasts: () => Forecasts | undefined;
  /** See `View`. */
  readonly denied: () => View['denied'];
  /** Whether series are withheld because of `metrics.max_series`; `undefined` while no page of metrics is rendered. */
  readonly isSeriesLimited: () => boolean | undefined;
  /** Whether the last reload of the configuration was refused. */
  readonly isReloadRefused: () => boolean;
  readonly rules: RuleSettings;
  readonly alertmanagers: readonly DeliveryTarget[];
  /** Who acts on a vendor license or a feature. Another object at any time is another mapping, and alerts follow it. */
  readonly owners: () => Owners;
  /** The annotation `runbook_url` of a rule. */
  readonly runbookUrl: (name: string) => string;
  /** How long an alert is kept while its condition is unknown, seconds. */
  readonly unknownHold: number;
  /** `explicit` sends the end of an alert; `expire` stops sending it, for two daemons side by side. */
  readonly resolve: 'explicit' | 'expire';
  /** Name of the analyzer. */
  readonly analyzer: string;
  /** Its share that this daemon monitors; empty if that is all of it. */
  readonly shard: string;
  readonly externalLabels: Labels;
  /** URL of Alertmanager for people, for links to a new silence. */
  readonly alertmanagerUrl: string | undefined;
  /** The IANA name of the zone of times in texts. */
  readonly timeZone: string;
  readonly owned: Owned;
  readonly stateFile: StateFile | undefined;
  /** What was listed before. It is filled from its file, unless alerts are continued. */
  readonly listed: Listed;
  readonly listedFile: ListedFile | undefined;
  /** Called after each evaluation, when the alerts are saved. Must return at once, and must not throw. */
  readonly handOver: (handOver: HandOver) => void;
  /** Alerts to continue, for example from before a reload. */
  readonly initial: Continued | undefined;
}

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
  states(): Continued | undefined;
}

/** How long a resolved alert is sent again, seconds, as in Prometheus. */
const RESOLVED_RETENTION = 900;
/** Minimum time between two saves, unless an alert fires or ends, seconds. */
const SAVE_INTERVAL = 1;

/** Evaluates the rules after each poll and at an interval, and sends alerts to Alertmanager, if there is one. */
export function createAlertEngine(options: EngineOptions): AlertEngine {
  const { now, log, resendDelay, evaluationInterval, stateFile, listed, listedFile } = options;
  const rules = createRules(options.rules);
  const ownLabels = ownLabelsOf(options.analyzer);
  const commonLabels: Labels = { ...options.externalLabels, ...ownLabels };
  const address = createAddress(options.owners, options.shard);
  const { analyzer, alertmanagerUrl, unknownHold, timeZone } = options;
  const evaluateRules = createEvaluation({
    ...options,
    rules,
    commonLabels,
    address,
  });
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
  const stepOptions = (): StepOptions => ({
    unknownHold,
    address,
    resolvedRetention: isExplicit ? RESOLVED_RETENTION : 0,
    deliveredAt: notifier.deliveredAt(),
  });

  let continued: Continued = options.initial ?? { states: new Map(), ends: [], complete: new Set(), analyzer };
  let { states } = continued;
  /** The alerts as they are sent. */
  let sent: SentAlerts = new Map();
  /** The mapping by which the alerts are addressed. */
  let addressedBy: Owners | undefined;
  let keeper: StatementKeeper | undefined;
  let statements: Statements | undefined;
  /** Names of the rules that had data at the last evaluation. */
  let withData: ReadonlySet<string> = new Set();
  let lastEvaluation: EngineStatus['lastEvaluation'];
  let savedAt = Number.NEGATIVE_INFINITY;
  /** How many alerts the saved file says everything of. */
  let savedNames = 0;
  let isStarted = false;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;

  const limitedLog = limitRepeats(log);
  const logFailure = (error: unknown): void => limitedLog.error({ err: error }, 'alerts not evaluated');

  /** What another engine, or another process, continues. */
  const kept = (): Continued =>
    keeper === undefined ? continued : { states, ends: keeper.ends(), complete: keeper.whole(), analyzer };

  const save = async (): Promise<void> => {
    savedAt = now();
    const { ends, complete } = kept();
    savedNames = complete.size;
    await stateFile?.save({ savedAt, alerts: [...states.values()], ends, complete: [...complete] });
  };

  /** Evaluates the rules and continues the alerts. `undefined` if there is no current inventory, or if a rule fails. */
  const evaluateAll = async (at: number) => {
    try {
      return await options.useInventory(async (inventory) => {
        // after a sleep of the machine, it is out of date until it is derived again
        const isOutdated = inventory?.agesOutAt !== undefined && inventory.agesOutAt < at;
        if (inventory === undefined || isOutdated) return undefined;
        const [authenticated, sources] = [options.authenticated(), options.sources()];
        const [recording, forecasts, denied] = [options.recording(), options.forecasts(), options.denied()];
        const [isSeriesLimited, isReloadRefused] = [options.isSeriesLimited(), options.isReloadRefused()];
        const past = await runSliced(listed.observe(inventory, at, options.owned));
        const about = { authenticated, sources, recording, forecasts, denied, past, isSeriesLimited, isReloadRefused };
        const evaluated = await runSliced(evaluateRules({ now: at, inventory, timeZone, ...about }));
        return { evaluated, ...step(states, evaluated, at, stepOptions()) };
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
    const outcome = await evaluateAll(at);
    const hadAlerts = states.size > 0;
    // without an evaluation everything is unknown: firing alerts are kept, not resolved
    const evaluated = outcome?.evaluated ?? unknownEvaluation(rules);
    const { states: after, transitions } = outcome ?? step(states, evaluated, at, stepOptions());
    states = after;
    const before = sent;
    sent = sumUpAlerts(states, before, sumUpOptions);
    const changes = changesOf(before, sent);
    statements = keeper?.take(sent, changes, evaluated, at);
    if (outcome !== undefined) {
      lastEvaluation = { at, seconds: (performance.now() - started) / 1000 };
      withData = new Set(outcome.evaluated.flatMap(({ rule, evaluation }) => (evaluation.hasNoData ? [] : rule.name)));
    }
    logTransitions(changes, log);
    // saved before sending: after a crash, every alert that was sent is restored
    if (transitions.length > 0) await save();
    else if ((hadAlerts || savedNames !== kept().complete.size) && at - savedAt >= SAVE_INTERVAL) void save();
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
    const next = Math.min(at + evaluationInterval, notifier.nextDue() ?? Number.POSITIVE_INFINITY);
    timer = setTimeout(() => void run(), Math.max(0.01, next - at) * 1000);
  });

  return {
    start: async () => {
      if (options.initial === undefined) {
        await listedFile?.load(listed);
        continued = await restore(now(), {
          stateFile,
          alertmanagers: options.alertmanagers.map(({ alertmanager }) => alertmanager),
          rules,
          filter: ownLabels,
          commonLabels,
          shard: options.shard,
          ownerNames: options.owners().names,
          ownsVendorLicense: options.owned.ownsVendorLicense,
          onProblem: (alertmanager, reason) => log.warn({ alertmanager, reason }, 'alerts not read from Alertmanager'),
        });
      }
      ({ states } = continued);
      if (states.size > 0) log.info({ alerts: states.size }, 'alerts restored');
      const { ends, complete, analyzer: saidOf } = continued;
      // what is restored is no change
      sent = sumUpAlerts(states, sent, sumUpOptions);
      const said = { alerts: sent.values(), analyzer: saidOf };
      keeper = createStatements({ analyzer, complete, said, ends });
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
      if (states.size > 0 || kept().complete.size > 0) await save();
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
    states: () => (keeper === undefined ? undefined : kept()),
  };
}
