import type { AlertState } from '../../../src/alerts/alert.ts';
import { createEvaluation, unknownEvaluation } from '../../../src/alerts/evaluation.ts';
import { restoreSaved } from '../../../src/alerts/restore.ts';
import type { EvaluatedRule, Rule } from '../../../src/alerts/rule.ts';
import { createRules } from '../../../src/alerts/rules.ts';
import { type AlertStates, step } from '../../../src/alerts/state-machine.ts';
import { isUncounted } from '../../../src/model/uncounted.ts';
import { runAtOnce } from '../../../src/scheduling/slices.ts';
import { pastOf, settingsOf } from '../../support/alert-views.ts';
import { type Firing, FiringMinutes, identityOf, labelsOf } from './firing.ts';
import type { Frame, Minute } from './frames.ts';
import { timeOf } from './history.ts';
import { owners } from './site-owners.ts';

const off = { enabled: false };
/** Without the rules that compare with the past, and those about the exporter: the histories are too short, and have no such cause. */
const settings = settingsOf({
  LicenseVendorLicenseVanished: off,
  LicenseFeatureVanished: off,
  LicenseCapacityDropped: off,
  LicenseExporterSeriesLimit: off,
  LicenseExporterConfigReloadFailed: off,
});
/** The alerts that are compared. */
export const alertNames: ReadonlySet<string> = new Set(createRules(settings).map(({ name }) => name));

/** The defaults, seconds. */
const options = { unknownHold: 3600, resolvedRetention: 900 };

/** The alert engine of one process. */
interface Engine {
  readonly startedAt: number;
  readonly rules: readonly Rule[];
  readonly evaluate: ReturnType<typeof createEvaluation>;
  evaluated: readonly EvaluatedRule[];
  states: AlertStates;
  evaluatedAt: number;
}

/** The alerts that Alertmanager has, without those that only wait. */
function firingOf(states: AlertStates, now: number): AlertStates {
  const firing = [...states].filter(([, { state }]) => state === 'firing');
  return new Map(
    firing.map(([key, alert]): [string, AlertState] => [
      key,
      {
        ...alert,
        value: undefined,
        activeAt: alert.firedAt ?? now,
        keepFiringSince: undefined,
        knownAt: now,
        unknownSince: undefined,
        sentAt: undefined,
      },
    ]),
  );
}

function createEngine(startedAt: number): Engine {
  const rules = createRules(settings);
  const evaluate = createEvaluation({
    rules,
    ignore: [],
    commonLabels: {},
    owners: () => owners,
    runbookUrl: () => '',
    silenceUrl: () => undefined,
  });
  return { startedAt, rules, evaluate, evaluated: [], states: new Map(), evaluatedAt: timeOf(startedAt) };
}

/** What a rule finds about an alert in one minute. `absent`: no process evaluates it. */
export type Condition = 'raised' | 'not cleared' | 'false' | 'unknown' | 'absent';

/** An alert that is watched. */
export interface Watched {
  readonly conditions: readonly Condition[];
  /** Whether a process begins to evaluate it, or another one than in the minute before. */
  readonly begins: readonly boolean[];
  /** Whether the feature is reported with its usage. */
  readonly isMeasured: readonly boolean[];
  /** Whether its vendor license is listed, or known not to exist. */
  readonly isListed: readonly boolean[];
  /** Whether several processes are running. */
  readonly isShared: readonly boolean[];
  /** Whether all of them poll the analyzer well. */
  readonly isAllUp: readonly boolean[];
  /** Durations of its rule, minutes. */
  readonly pendingFor: number;
  readonly keepFiringFor: number;
}

function conditionOf({ evaluated }: Engine, alert: string): Condition {
  const labels = labelsOf(alert);
  const found = evaluated.find(({ rule }) => rule.name === labels.alertname && rule.severity === labels.severity);
  const finding = found?.evaluation.findings.find((candidate) => identityOf(candidate.labels) === alert);
  if (finding !== undefined) return finding.isRaised ? 'raised' : 'not cleared';
  return found?.evaluation.isUnknown(labels) === false ? 'false' : 'unknown';
}

/** Whether the vendor license of an alert is listed, or known not to exist. */
const isListed = ({ inventory: { knowledge, vendorLicenses } }: Frame, alert: string): boolean => {
  const { vendor_license: name } = labelsOf(alert);
  return knowledge.products || [...vendorLicenses].some(({ vendorLicense }) => vendorLicense === name);
};

/** Whether the usage of the feature of an alert is known. */
function isMeasured({ inventory }: Frame, alert: string): boolean {
  const {
    vendor_license: vendorLicense,
    feature,
    version = '',
    package: pkg = '',
    feature_type: type,
  } = labelsOf(alert);
  // a scan moves one row
  for (const row of inventory.features.scan()) {
    const isSame =
      row.vendorLicense === vendorLicense &&
      row.feature === feature &&
      row.version === version &&
      row.package === pkg &&
      row.featureType === type;
    const hasShare = isUncounted(row) || (row.inUse !== undefined && row.maxAvailable !== undefined);
    if (isSame) return hasShare && row.maxQueued !== undefined;
  }
  return false;
}

/**
 * The alerts of the engines of a history. Each process has its own. Those of one process count: it is followed as long as it
 * polls the analyzer well, or no other does. A process continues the alerts of its state file, or else those of Alertmanager.
 */
export class EngineRun {
  readonly #firing = new FiringMinutes();
  readonly #engines = new Map<number, Engine>();
  readonly #conditions: ReadonlyMap<string, Condition[]>;
  readonly #measured: ReadonlyMap<string, boolean[]>;
  readonly #begins: boolean[] = [];
  readonly #listed: ReadonlyMap<string, boolean[]>;
  readonly #shared: boolean[] = [];
  readonly #allUp: boolean[] = [];
  #sent: { readonly states: AlertStates; readonly at: number } = { states: new Map(), at: 0 };
  #leader: Engine | undefined;

  readonly #epoch: number;

  /**
   * @param watched alerts whose conditions are recorded
   * @param epoch seconds of minute 0
   */
  constructor(watched: readonly string[] = [], epoch = 0) {
    this.#epoch = epoch;
    this.#conditions = new Map(watched.map((alert) => [alert, []]));
    this.#measured = new Map(watched.map((alert) => [alert, []]));
    this.#listed = new Map(watched.map((alert) => [alert, []]));
  }

  /** Evaluates one minute. */
  add({ minute, frames }: Minute): void {
    const now = this.#epoch + timeOf(minute);
    const engines = frames.map((frame) => ({ frame, engine: this.#evaluate(frame, now) }));
    const up = engines.filter(({ frame }) => frame.inventory.up);
    const candidates = up.length > 0 ? up : engines;
    const leader = candidates.find(({ engine }) => engine === this.#leader) ?? candidates[0];
    if (leader !== undefined) this.#sent = { states: firingOf(leader.engine.states, now), at: now };
    for (const { labels } of this.#stillSent(now).values()) this.#firing.add(identityOf(labels), minute);
    this.#begins.push(leader !== undefined && leader.engine !== this.#leader);
    this.#leader = leader?.engine ?? this.#leader;
    this.#shared.push(frames.length > 1);
    this.#allUp.push(up.length === frames.length);
    for (const [alert, conditions] of this.#conditions) {
      conditions.push(leader === undefined ? 'absent' : conditionOf(leader.engine, alert));
      this.#listed.get(alert)?.push(leader !== undefined && isListed(leader.frame, alert));
      this.#measured.get(alert)?.push(leader !== undefined && isMeasured(leader.frame, alert));
    }
  }

  /** While no engine is running, Alertmanager keeps its alerts until they end. */
  #stillSent(now: number): AlertStates {
    return now - this.#sent.at < options.unknownHold ? this.#sent.states : new Map();
  }

  #evaluate({ minute, replica, startedAt, inventory, authenticated, sources, forecasts }: Frame, now: number): Engine {
    const before = this.#engines.get(replica);
    let engine = before;
    if (engine?.startedAt !== startedAt) {
      engine = createEngine(startedAt);
      const isSaved = before !== undefined && now - before.evaluatedAt <= options.unknownHold;
      engine.states = isSaved
        ? restoreSaved({ savedAt: before.evaluatedAt, alerts: [...before.states.values()] }, now)
        : this.#stillSent(now);
      this.#engines.set(replica, engine);
    }
    const view = {
      now,
      inventory,
      authenticated,
      sources,
      recording: undefined,
      forecasts,
      past: pastOf(inventory, now),
      isSeriesLimited: false,
      isReloadRefused: false,
      timeZone: 'Europe/Berlin',
    };
    engine.evaluated = minute === startedAt ? unknownEvaluation(engine.rules) : runAtOnce(engine.evaluate(view));
    engine.states = step(engine.states, engine.evaluated, now, options).states;
    engine.evaluatedAt = now;
    return engine;
  }

  get firing(): Firing {
    return this.#firing.all;
  }

  watched(alert: string): Watched {
    const { alertname, severity } = labelsOf(alert);
    const rule = createRules(settings).find((each) => each.name === alertname && each.severity === severity);
    const durations = rule?.durations(labelsOf(alert)) ?? { for: 0, keepFiringFor: 0 };
    return {
      conditions: this.#conditions.get(alert) ?? [],
      begins: this.#begins,
      isMeasured: this.#measured.get(alert) ?? [],
      isListed: this.#listed.get(alert) ?? [],
      isShared: this.#shared,
      isAllUp: this.#allUp,
      pendingFor: durations.for / 60,
      keepFiringFor: durations.keepFiringFor / 60,
    };
  }
}
