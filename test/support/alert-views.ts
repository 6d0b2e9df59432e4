import { Listed } from '../../src/alerting/alerts/listed.ts';
import type { Past } from '../../src/alerting/alerts/past.ts';
import type { Evaluation, Rule, View } from '../../src/alerting/alerts/rule.ts';
import { type AllSettings, createRules, ruleSettings } from '../../src/alerting/alerts/rules.ts';
import { createSaturation } from '../../src/alerting/alerts/saturation.ts';
import type { Snapshot } from '../../src/base/model/snapshot.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import type { Inventory } from '../../src/exporter/inventory/inventory.ts';
import { deriveInventoryNow, everything } from './derived-inventory.ts';
import { createSnapshot, NOW, type Scenario } from './scenario.ts';

/** Rules and the views they are evaluated on, for tests that need no daemon. */

export const policy = {
  ...everything,
  usageWhenNotCurrent: 'withhold',
} as const;

export const settingsOf = (raw: unknown = {}): AllSettings => ruleSettings.parse(raw);

/** Which features are saturated by the default settings. */
export const isSaturated = createSaturation(settingsOf());

/** What a view has apart from its inventory. */
export type Surroundings = Partial<Omit<View, 'now' | 'inventory' | 'authenticated'>> & {
  /** The site of a day ago, if it was another one. */
  readonly before?: Scenario | undefined;
};

const DAY = 86_400;

/** The past of an inventory as a memory has it that has seen the site a day ago, or nothing before. */
export function pastOf(inventory: Inventory, now: number, before?: Scenario): Past {
  const listed = new Listed();
  if (before !== undefined) {
    const then = deriveInventoryNow(createSnapshot(before), now - DAY, policy);
    runAtOnce(listed.observe(then, now - DAY, policy));
  }
  return runAtOnce(listed.observe(inventory, now, policy));
}

export function viewOf(
  snapshot: Snapshot,
  now = NOW,
  authenticated: boolean | undefined = true,
  { before, ...surroundings }: Surroundings = {},
): View {
  const inventory = deriveInventoryNow(snapshot, now, policy);
  return {
    now,
    inventory,
    authenticated,
    sources: undefined,
    recording: undefined,
    forecasts: undefined,
    denied: undefined,
    past: pastOf(inventory, now, before),
    isSeriesLimited: false,
    isReloadRefused: false,
    timeZone: 'Europe/Berlin',
    ...surroundings,
  };
}

export const evaluateRule = (rule: Rule, view: View): Evaluation => runAtOnce(rule.evaluate(view));

interface EvaluateOptions extends Surroundings {
  readonly now?: number;
  readonly authenticated?: boolean;
  readonly settings?: unknown;
}

/** Evaluates one rule, by its id, on a scenario. */
export function evaluate(
  id: string,
  scenario: Scenario,
  { now = NOW, authenticated = true, settings = {}, ...surroundings }: EvaluateOptions = {},
) {
  const rule = ruleOf(id, settings);
  const evaluation = evaluateRule(rule, viewOf(createSnapshot(scenario), now, authenticated, surroundings));
  return { rule, ...evaluation, labels: evaluation.findings.map(({ labels }) => labels) };
}

export function ruleOf(id: string, settings: unknown = {}): Rule {
  const rule = createRules(settingsOf(settings)).find((candidate) => candidate.id === id);
  if (rule === undefined) throw new Error(`there is no rule ${id}`);
  return rule;
}
