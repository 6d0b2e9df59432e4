import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { publishedRunbooks } from '../../src/alerting/alerts/prometheus/published.ts';
import {
  alertsForPrometheus,
  createRuleFile,
  type RuleFile,
  ruleFileText,
  usualOwners,
} from '../../src/alerting/alerts/prometheus/rule-file.ts';
import { ruleSettings } from '../../src/alerting/alerts/rules.ts';
import { alertmanagerConfig } from './alertmanager-config.ts';
import { runbooks } from './runbooks.ts';

/** Writes what is made of the definitions of alerts and of the example for Alertmanager: the rules for Prometheus with the default settings, the manifests for its operator, the JSON of the mixin, and the runbooks. */

/** The rules of `license-exporter rules` without a configuration. */
export const defaultRules = (): RuleFile =>
  createRuleFile({
    ...alertsForPrometheus(ruleSettings.parse({}), 'license-exporter'),
    owners: usualOwners,
    targetLabels: [],
    runbookBaseUrl: publishedRunbooks(),
    externalUrl: undefined,
  });

const HEAD = `# Made by \`npm run rules\` with the default settings. \`license-exporter rules\` makes them with the settings of your
# configuration, docs/alerts.md explains them.
`;

/** Content of the generated files, by path below the output folder. */
export function ruleFiles(file: RuleFile): Readonly<Record<string, string>> {
  const manifest = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'license-exporter', labels: { 'app.kubernetes.io/name': 'license-exporter' } },
    spec: file,
  };
  return {
    'license-alerts.yml': `${HEAD}${ruleFileText(file)}`,
    '../kubernetes/operator/prometheus-rule.yml': `${HEAD}${stringify(manifest, { lineWidth: 0 })}`,
    '../kubernetes/operator/alertmanager-config.yml': alertmanagerConfig(),
    'mixin/license-alerts.json': `${JSON.stringify(file, undefined, 2)}\n`,
  };
}

function main(): void {
  for (const [name, content] of Object.entries({ ...ruleFiles(defaultRules()), '../runbooks.md': runbooks() })) {
    const path = resolve(join(import.meta.dirname, name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

if (import.meta.main) main();
