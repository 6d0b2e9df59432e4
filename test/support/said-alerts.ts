import { createAddress } from '../../src/alerting/alerts/address.ts';
import { createEvaluation } from '../../src/alerting/alerts/engine.ts';
import { sumUpAlerts } from '../../src/alerting/alerts/groups.ts';
import { createRules, type RuleSettings } from '../../src/alerting/alerts/rules.ts';
import { step } from '../../src/alerting/alerts/state-machine.ts';
import { createStatements } from '../../src/alerting/alerts/statements.ts';
import { noOwners, type Owners } from '../../src/base/model/owners.ts';
import type { Snapshot } from '../../src/base/model/snapshot.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import type { AlertingState } from '../../src/exporter/metrics/alerting.ts';
import { viewOf } from './alert-views.ts';

interface SaidOptions {
  readonly rules: RuleSettings;
  readonly analyzer: string;
  /** Epoch seconds. */
  readonly now: number;
  readonly owners?: Owners;
}

/**
 * What an engine says on the page after one evaluation of a site, if it has known everything about all alerts for long. Alerts with
 * `for` do not fire yet.
 */
export function sayAlerts(
  snapshot: Snapshot,
  { rules: settings, analyzer, now, owners = noOwners }: SaidOptions,
): AlertingState {
  const rules = createRules(settings);
  const address = createAddress(() => owners, '');
  const evaluate = createEvaluation({ rules, ignore: [], commonLabels: {}, address, unknownHold: 3600 });
  const evaluated = runAtOnce(evaluate(viewOf(snapshot, now), new Map()));
  const { states } = step(new Map(), evaluated, now, { unknownHold: 3600, resolvedRetention: 900, address });
  const sent = sumUpAlerts(states, new Map(), { rules, linksOf: () => ({}) });
  const complete = rules.map(({ name }) => name);
  const statements = createStatements({ analyzer, complete, said: { alerts: [], analyzer }, ends: [] });
  return {
    rules,
    alerts: [...sent.values()],
    active: new Set(),
    notConfigured: new Set(),
    statements: statements.take(sent, [], evaluated, now),
    deliveries: [],
    queueCapacity: 0,
    lastEvaluation: { at: now, seconds: 0 },
  };
}
