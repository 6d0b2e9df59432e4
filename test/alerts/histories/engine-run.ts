import type { AlertState } from '../../../src/alerts/alert.ts';
import { createEvaluation, unknownEvaluation } from '../../../src/alerts/evaluation.ts';
import { restoreSaved } from '../../../src/alerts/restore.ts';
import type { Rule } from '../../../src/alerts/rule.ts';
import { createRules } from '../../../src/alerts/rules.ts';
import { type AlertStates, step } from '../../../src/alerts/state-machine.ts';
import { noOwners } from '../../../src/model/owners.ts';
import { runAtOnce } from '../../../src/scheduling/slices.ts';
import { settingsOf } from '../../support/alert-views.ts';
import { type Firing, FiringMinutes, identityOf } from './firing.ts';
import type { Frame, Minute } from './frames.ts';
import { timeOf } from './history.ts';

const settings = settingsOf();
/** The alerts of the engine. */
export const alertNames: ReadonlySet<string> = new Set(createRules(settings).map(({ name }) => name));

/** The defaults, seconds. */
const options = { unknownHold: 3600, resolvedRetention: 900 };

/** The alert engine of one process. */
interface Engine {
  readonly startedAt: number;
  readonly rules: readonly Rule[];
  readonly evaluate: ReturnType<typeof createEvaluation>;
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
    owners: () => noOwners,
    runbookUrl: () => '',
    silenceUrl: () => undefined,
  });
  return { startedAt, rules, evaluate, states: new Map(), evaluatedAt: timeOf(startedAt) };
}

/**
 * The alerts of the engines of a history. Each process has its own. What is sent is what the first living one says that
 * reaches the analyzer. A process continues the alerts of its state file, or else those that fire in Alertmanager.
 */
export class EngineRun {
  readonly #firing = new FiringMinutes();
  readonly #engines = new Map<number, Engine>();
  #sent: { readonly states: AlertStates; readonly at: number } = { states: new Map(), at: 0 };

  /** Evaluates one minute. */
  add({ minute, frames }: Minute): void {
    const now = timeOf(minute);
    for (const frame of frames) this.#evaluate(frame, now);
    const leader = frames.find(({ isCutOff }) => !isCutOff) ?? frames[0];
    const engine = leader && this.#engines.get(leader.replica);
    if (engine !== undefined) this.#sent = { states: engine.states, at: now };
    for (const { labels, state } of this.#stillSent(now).values()) {
      if (state === 'firing') this.#firing.add(identityOf(labels), minute);
    }
  }

  /** While no engine is running, Alertmanager keeps its alerts until they end. */
  #stillSent(now: number): AlertStates {
    return now - this.#sent.at < options.unknownHold ? this.#sent.states : new Map();
  }

  #evaluate({ minute, replica, startedAt, inventory, authenticated, sources }: Frame, now: number): void {
    const before = this.#engines.get(replica);
    let engine = before;
    if (engine?.startedAt !== startedAt) {
      engine = createEngine(startedAt);
      const isSaved = before !== undefined && now - before.evaluatedAt <= 3600;
      engine.states = isSaved
        ? restoreSaved({ savedAt: before.evaluatedAt, alerts: [...before.states.values()] }, now)
        : firingOf(this.#stillSent(now), now);
      this.#engines.set(replica, engine);
    }
    const evaluated =
      minute === startedAt
        ? unknownEvaluation(engine.rules)
        : runAtOnce(engine.evaluate({ now, inventory, authenticated, sources, timeZone: 'Europe/Berlin' }));
    engine.states = step(engine.states, evaluated, now, options).states;
    engine.evaluatedAt = now;
  }

  get firing(): Firing {
    return this.#firing.all;
  }
}
