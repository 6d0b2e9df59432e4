import type { Evaluation, Rule, View } from '../../src/alerts/rule.ts';
import { createRules, type RuleSettings } from '../../src/alerts/rules.ts';
import { rules } from '../../src/config/sections/alert-rules.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { runAtOnce } from '../../src/scheduling/slices.ts';
import { createSnapshot, NOW, type Scenario } from './scenario.ts';
import { deriveInventoryNow, everything } from './stored-answers.ts';

/** Rules and the views they are evaluated on, for tests that need no daemon. */

export const policy = {
  ...everything,
  usageWhenNotCurrent: 'withhold',
} as const;

export const settingsOf = (raw: unknown = {}): RuleSettings => rules.parse(raw);

/** What a view has apart from its inventory. */
export type Surroundings = Partial<Omit<View, 'now' | 'inventory' | 'authenticated'>>;

export function viewOf(
  snapshot: Snapshot,
  now = NOW,
  authenticated: boolean | undefined = true,
  surroundings: Surroundings = {},
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
