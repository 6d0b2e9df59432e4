import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The rules for Prometheus as they are in the repository. */

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  /** `severity` only if Prometheus evaluates the alert itself; else the exporter says it. */
  readonly labels: { readonly severity?: string; readonly source?: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url?: string };
}

interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export const { groups } = parse(
  readFileSync(join(import.meta.dirname, '../../deploy/prometheus/license-alerts.yml'), 'utf8'),
) as { readonly groups: readonly { readonly name: string; readonly rules: readonly (AlertRule | RecordingRule)[] }[] };

const all = groups.flatMap(({ rules }) => rules);
export const alertRules = all.filter((rule): rule is AlertRule => 'alert' in rule);
export const recordingRules = all.filter((rule): rule is RecordingRule => 'record' in rule);
