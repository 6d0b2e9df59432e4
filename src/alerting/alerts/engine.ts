import type { Log } from '../../base/model/log.ts';
import type { Owners } from '../../base/model/owners.ts';
import { limitRepeats } from '../../base/model/repeat-log.ts';
import { createLatestOnly } from '../../base/scheduling/limit.ts';
import { runSliced } from '../../base/scheduling/slices.ts';
import type { Matcher } from '../../base/settings/labels.ts';
import type { CurrentInventory } from '../../exporter/inventory/current.ts';
import { type Address, createAddress, readdress } from './address.ts';
import { type AlertStates, type Finding, keyOf, type Labels } from './alert.ts';
import { QUEUE_CAPACITY } from './delivery.ts';
import type { EngineStatus } from './engine-status.ts';
import { changesOf, logChanges, type SentAlerts, type SumUpOptions, shownAlerts, sumUpAlerts } from './groups.ts';
import { silenceUrl } from './links.ts';
import { isListEmpty, type Listed, type Owned } from './listed.ts';
import type { ListedFile } from './listed-file.ts';
import { ownLabelsOf } from './notification.ts';
import { ACTIVE_RESENDS, createNotifier, type NotifierOptions } from './notifier.ts';
import { type EvaluatedRule, type Evaluation, nothingKnown, type Rule, type View } from './rule.ts';
import { createRules } from './rules.ts';
import type { EngineSection } from './settings.ts';
import { restore, type SavedAlerts, type StateFile } from './state-file.ts';
import { step, type Transition } from './state-machine.ts';
import { createStatements, type StatementKeeper, type Statements } from './statements.ts';
import { createUnlisted, isVanishing } from './unlisted.ts';

/** Whether labels match all matchers of one of the groups. */
export function createIgnore(groups: readonly (readonly Matcher[])[]): (labels: Labels) => boolean {
  const compiled = groups.map((matchers) =>
    matchers.map(({ label, operator, value }) => {
      const expression = operator.endsWith('~') ? new RegExp(`^(?:${value})$`, 'su') : undefined;
      const isWanted = operator.startsWith('=');
      return (labels: Labels): boolean => {
        const actual = labels[label] ?? '';
        return (expression === undefined ? actual === value : expression.test(actual)) === isWanted;
      };
    }),
  );
  return (labels) => compiled.some((matchers) => matchers.every((matches) => matches(labels)));
}

/** The rules, and which of their alerts are left out. */
export interface EvaluationOptions {
  readonly rules: readonly Rule[];
  /** Alerts whose labels match all matchers of a group are ignored. */
  readonly ignore: readonly (readonly Matcher[])[];
  /** Labels that are added to every alert when it is sent. Matchers apply to them too. */
  readonly commonLabels: Labels;
  readonly address: Address;
  /** How long an alert is kept while its condition is unknown, seconds. */
  readonly unknownHold: number;
}

/** How an alert has ended that `alerting.ignore` matches now. */
const IGNORED = 'ignored by the settings';

/** That nothing is listed is an alert of its own, which fires later: until then, nothing else ends. */
const ofEmptiedList = ({ unknownAbout, isUnknown }: Evaluation): Partial<Evaluation> => ({
  unknownAbout: new Set([...unknownAbout, '']),
  isUnknown: (labels) => labels.vendor_license !== undefined || isUnknown(labels),
});

/** Evaluates rules one by one, in slices, because a large site takes long. It is called with the alerts of before. */
export function createEvaluation({ rules, ignore, commonLabels, address, unknownHold }: EvaluationOptions) {
  const isIgnored = createIgnore(ignore);
  const isLeftOut = (labels: Labels): boolean =>
    ignore.length > 0 && isIgnored({ ...commonLabels, ...address(labels) });
  const isWanted = ({ labels }: Finding): boolean => !isLeftOut(labels);
  const withIgnored = (evaluation: Evaluation): Evaluation => ({
    ...evaluation,
    findings: evaluation.findings.filter(isWanted),
    isUnknown: (labels) => !isLeftOut(labels) && evaluation.isUnknown(labels),
    endingOf: (labels) => (isLeftOut(labels) ? IGNORED : evaluation.endingOf?.(labels)),
  });
  return function* (view: View, states: AlertStates): Generator<void, readonly EvaluatedRule[]> {
    const evaluated: EvaluatedRule[] = [];
    const { inventory, past, now } = view;
    const isEmpty = isListEmpty(inventory);
    const isRefused = inventory.knowledge.isEmptyListRefused;
    const withUnlisted = createUnlisted({ past, states, now, unknownHold });
    for (const rule of rules) {
      const evaluation = withUnlisted(rule, yield* rule.evaluate(view));
      // those about the analyzer know themselves what is known; what has vanished is compared with the last good list
      const isUnseen = rule.subject !== 'analyzer' && (isEmpty || (isRefused && !isVanishing(rule.name)));
      const seen = isUnseen ? { ...evaluation, ...ofEmptiedList(evaluation) } : evaluation;
      evaluated.push({ rule, evaluation: ignore.length === 0 ? seen : withIgnored(seen) });
      yield;
    }
    return evaluated;
  };
}

/** The result of rules that cannot be evaluated: the condition of every alert is unknown. */
const unknownEvaluation = (rules: readonly Rule[]): readonly EvaluatedRule[] =>
  rules.map((rule) => ({ rule, evaluation: nothingKnown }));

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
  extends Surroundings,
    Omit<EngineSection, 'prometheusJob' | 'prometheusLabels' | 'runbookBaseUrl'>,
    Pick<NotifierOptions, 'generatorUrl' | 'targets'> {
  /** The current inventory; `undefined` before the first one. */
  readonly inventory: CurrentInventory['latest'];
  /** Names of the rules about what is not configured now. */
  readonly notConfigured: () => ReadonlySet<string>;
  /** The annotation `runbook_url` of a rule. */
  readonly runbookUrl: (name: string) => string;
  /** The IANA name of the zone of times in texts. */
  readonly timeZone: string;
  /** What was listed before. It is filled from its file, unless alerts are continued. */
  readonly listed: Listed;
  readonly listedFile: ListedFile | undefined;
  /** Called after each evaluation, when the alerts are saved. Must return at once, and must not throw. */
  readonly handOver: (handOver: HandOver) => void;
  /** Alerts to continue, for example from before a reload. */
  readonly initial: SavedAlerts | undefined;
  /** The alerts of the last run; `undefined` if none are kept. */
  readonly stateFile: StateFile | undefined;
  /** Name of the analyzer. */
  readonly analyzer: string;
  /** Its share that this daemon monitors; empty if that is all of it. */
  readonly shard: string;
  /** Who acts on a vendor license or a feature. Another object at any time is another mapping, and alerts follow it. */
  readonly owners: () => Owners;
  readonly owned: Owned;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** How long a resolved alert is sent again, seconds, as in Prometheus. */
const RESOLVED_RETENTION = 900;
/** Minimum time between two saves, unless an alert fires or ends, seconds. */
const SAVE_INTERVAL = 1;

/** Evaluates the rules after each poll and at an interval, and sends alerts to Alertmanager, if there is one. */
export class AlertEngine {
  readonly #options: EngineOptions;
  readonly #rules: readonly Rule[];
  readonly #commonLabels: Labels;
  readonly #address: Address;
  readonly #evaluateRules: ReturnType<typeof createEvaluation>;
  readonly #sumUpOptions: SumUpOptions;
  readonly #notifier: ReturnType<typeof createNotifier>;
  readonly #logFailure: (error: unknown) => void;
  #states: AlertStates = new Map();
  /** The mapping by which they are addressed. */
  #addressedBy: Owners | undefined;
  /** The alerts as they are sent. */
  #sent: SentAlerts = new Map();
  #keeper: StatementKeeper | undefined;
  #statements: Statements | undefined;
  /** Names of the rules that had data at the last evaluation. */
  #withData: ReadonlySet<string> = new Set();
  #lastEvaluation: EngineStatus['lastEvaluation'];
  #savedAt = Number.NEGATIVE_INFINITY;
  /** Of how many alerts the saved file says everything. */
  #savedNames = 0;
  #isStarted = false;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EngineOptions) {
    const { owners, shard, ignore, analyzer, alertmanagerExternalUrl, unknownHold, log } = options;
    this.#options = options;
    const rules = createRules(options.rules);
    const commonLabels: Labels = { ...options.externalLabels, ...ownLabelsOf(analyzer) };
    const address = createAddress(owners, shard);
    this.#rules = rules;
    this.#commonLabels = commonLabels;
    this.#address = address;
    this.#evaluateRules = createEvaluation({ rules, ignore, commonLabels, address, unknownHold });
    this.#sumUpOptions = {
      rules,
      linksOf: (labels) => ({
        runbook_url: options.runbookUrl(labels.alertname ?? ''),
        ...(alertmanagerExternalUrl !== undefined && {
          silence_url: silenceUrl(alertmanagerExternalUrl, labels, analyzer),
        }),
      }),
    };
    this.#notifier = createNotifier({
      ...options,
      commonLabels,
      // an alert that expires must not outlive its condition
      unknownHold: options.resolve === 'explicit' ? options.unknownHold : 0,
    });
    const limitedLog = limitRepeats(log);
    this.#logFailure = (error) => limitedLog.error({ err: error }, 'alerts not evaluated');
    if (options.initial !== undefined) this.#resume(options.initial);
  }

  /** Restores the saved alerts and starts to evaluate. */
  async start(): Promise<void> {
    const { listed, listedFile, stateFile, analyzer, owned, now, log } = this.#options;
    if (this.#keeper === undefined) {
      await listedFile?.load(listed);
      this.#resume(restore(stateFile, analyzer, owned, now()));
    }
    if (this.#states.size > 0) log.info({ alerts: this.#states.size }, 'alerts restored');
    this.#isStarted = true;
    await this.#run();
  }

  /**
   * Evaluates the rules over the current inventory. Resolves when the resulting notifications are queued. Never rejects: a
   * failure is only logged here.
   */
  async evaluate(): Promise<void> {
    if (this.#isStarted) await this.#run();
  }

  /** Sends the rest of the queues and saves the alerts. Resolves no alert. */
  async stop(): Promise<void> {
    const { listed, listedFile } = this.#options;
    this.#isStopping = true;
    await this.#run();
    await this.#notifier.stop();
    if (this.#states.size > 0 || (this.#keeper?.whole().size ?? 0) > 0) await this.#save();
    await listedFile?.finish(listed);
  }

  status(): EngineStatus {
    const { now, resendDelay, evaluationInterval, unknownHold, timeZone } = this.#options;
    const lastEvaluation = this.#lastEvaluation;
    const isEvaluated = lastEvaluation !== undefined && lastEvaluation.at > now() - ACTIVE_RESENDS * resendDelay;
    return {
      rules: this.#rules,
      alerts: shownAlerts(this.#sent),
      conditions: [...this.#states.values()],
      commonLabels: this.#commonLabels,
      active: isEvaluated && this.#notifier.isDelivering() ? this.#withData : new Set(),
      withData: this.#withData,
      notConfigured: this.#options.notConfigured(),
      statements: this.#statements,
      deliveries: this.#notifier.deliveries,
      queueCapacity: QUEUE_CAPACITY,
      evaluationInterval,
      lastEvaluation,
      unknownHold,
      timeZone,
    };
  }

  /** Alerts to continue in another engine; `undefined` before the saved ones are restored. */
  states(): SavedAlerts | undefined {
    const keeper = this.#keeper;
    if (keeper === undefined) return undefined;
    const { now, analyzer } = this.#options;
    return {
      savedAt: now(),
      alerts: [...this.#states.values()],
      ends: keeper.ends(),
      complete: [...keeper.whole()],
      analyzer,
    };
  }

  /** Continues what another engine, or another process, has left. */
  #resume({ alerts, ends, complete, analyzer: said }: SavedAlerts): void {
    this.#states = new Map(alerts.map((alert) => [keyOf(alert), alert]));
    // what is restored is no change
    this.#sent = sumUpAlerts(this.#states, this.#sent, this.#sumUpOptions);
    const { analyzer } = this.#options;
    this.#keeper = createStatements({
      analyzer,
      complete,
      said: { alerts: this.#sent.values(), analyzer: said },
      ends,
    });
  }

  readonly #run = createLatestOnly(async () => {
    clearTimeout(this.#timer);
    if (this.#isStopping) return;
    await this.#evaluateOnce().catch(this.#logFailure);
    if (this.#isStopping) return;
    const { now, evaluationInterval } = this.#options;
    const at = now();
    const next = Math.min(at + evaluationInterval, this.#notifier.nextDue());
    this.#timer = setTimeout(() => void this.#run(), Math.max(0.01, next - at) * 1000);
  });

  async #evaluateOnce(): Promise<void> {
    const { now, owners: currentOwners, log, handOver, listed, listedFile } = this.#options;
    const at = now();
    const started = performance.now();
    const owners = currentOwners();
    if (owners !== this.#addressedBy) this.#states = readdress(this.#states, this.#address, at);
    this.#addressedBy = owners;
    const hadAlerts = this.#states.size > 0;
    const found = await this.#evaluateAll(at);
    // without an evaluation everything is unknown: firing alerts are kept, not resolved
    const { evaluated, states, transitions } = found ?? this.#continueAll(unknownEvaluation(this.#rules), at);
    this.#states = states;
    const before = this.#sent;
    const sent = sumUpAlerts(states, before, this.#sumUpOptions);
    this.#sent = sent;
    const changes = changesOf(before, sent);
    this.#statements = this.#keeper?.take(sent, changes, evaluated, at);
    if (found !== undefined) {
      this.#lastEvaluation = { at, seconds: (performance.now() - started) / 1000 };
      this.#withData = new Set(evaluated.flatMap(({ rule, evaluation }) => (evaluation.hasNoData ? [] : rule.name)));
    }
    logChanges(changes, log);
    const isUnsaved = hadAlerts || this.#savedNames !== this.#keeper?.whole().size;
    // saved before sending: after a crash, every alert that was sent is restored
    if (transitions.length > 0) await this.#save();
    else if (isUnsaved && at - this.#savedAt >= SAVE_INTERVAL) void this.#save();
    handOver({ at, alerts: sent, changes, evaluated });
    this.#notifier.send(sent, at);
    await listedFile?.keep(listed, at);
  }

  /** Evaluates the rules and continues the alerts. `undefined` if there is no current inventory, or if a rule fails. */
  async #evaluateAll(at: number) {
    const options = this.#options;
    try {
      const inventory = options.inventory();
      // after a sleep of the machine, it is out of date until it is derived again
      const isOutdated = inventory?.agesOutAt !== undefined && inventory.agesOutAt < at;
      if (inventory === undefined || isOutdated) return undefined;
      const surroundings: Omit<View, 'past'> = {
        now: at,
        inventory,
        timeZone: options.timeZone,
        authenticated: options.authenticated(),
        sources: options.sources(),
        recording: options.recording(),
        forecasts: options.forecasts(),
        denied: options.denied(),
        isSeriesLimited: options.isSeriesLimited(),
        isReloadRefused: options.isReloadRefused(),
      };
      const past = await runSliced(options.listed.observe(inventory, at, options.owned));
      return this.#continueAll(await runSliced(this.#evaluateRules({ ...surroundings, past }, this.#states)), at);
    } catch (error) {
      this.#logFailure(error);
      return undefined;
    }
  }

  #continueAll(evaluated: readonly EvaluatedRule[], at: number) {
    const { unknownHold, resolve } = this.#options;
    const resolvedRetention = resolve === 'explicit' ? RESOLVED_RETENTION : 0;
    const deliveredAt = this.#notifier.deliveredAt();
    const address = this.#address;
    return {
      evaluated,
      ...step(this.#states, evaluated, at, { unknownHold, address, resolvedRetention, deliveredAt }),
    };
  }

  async #save(): Promise<void> {
    const saved = this.states();
    if (saved === undefined) return;
    this.#savedAt = saved.savedAt;
    this.#savedNames = saved.complete.length;
    await this.#options.stateFile?.save(saved);
  }
}
