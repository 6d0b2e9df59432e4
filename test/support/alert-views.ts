import { createView, type Rule, type View } from '../../src/alerts/rule.ts';
import type { RuleSettings } from '../../src/alerts/rule-settings.ts';
import { createRules } from '../../src/alerts/rules.ts';
import { rulesOf } from '../../src/config/alert-rules.ts';
import { deriveInventoryNow } from '../../src/model/inventory.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { createSnapshot, NOW, type Scenario } from './scenario.ts';

/** Rules and what they look at, for tests that need no daemon. */

export const policy = {
  ownsVendorLicense: () => true,
  ownsFeature: () => true,
  usageWhenNotCurrent: 'withhold',
} as const;

export const settingsOf = (raw: unknown = {}): RuleSettings => rulesOf(raw);

export function viewOf(snapshot: Snapshot, now = NOW, authenticated: boolean | undefined = true): View {
  return createView(now, { inventory: deriveInventoryNow(snapshot, now, policy), snapshot }, authenticated);
}

/** What one rule, by its id, makes of a scenario. */
export function judge(id: string, scenario: Scenario, { now = NOW, settings = {} as unknown } = {}) {
  const rule = ruleOf(id, settings);
  const judgement = rule.judge(viewOf(createSnapshot(scenario), now));
  return { rule, ...judgement, labels: judgement.findings.map(({ labels }) => labels) };
}

export function ruleOf(id: string, settings: unknown = {}): Rule {
  const rule = createRules(settingsOf(settings)).find((candidate) => candidate.id === id);
  if (rule === undefined) throw new Error(`there is no rule ${id}`);
  return rule;
}
