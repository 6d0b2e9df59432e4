import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { relayedAlerts } from '../../src/alerts/relay-texts.ts';
import { rules } from '../../src/config/sections/alert-rules.ts';
import { usualOwners } from '../../src/rules/alert.ts';
import { createRuleFile, type RuleFile, ruleFileText } from '../../src/rules/rule-file.ts';

/** Writes the rules for Prometheus with the default settings, the manifest for its operator, and the JSON of the mixin. */

/** The rules of `license-exporter rules` without a configuration. */
export function defaultRules(): RuleFile {
  const settings = rules.parse({});
  return createRuleFile({
    relayed: relayedAlerts(settings),
    settings: Object.fromEntries(Object.entries(settings).map(([alert, { base }]) => [alert, base])),
    owners: usualOwners,
    targetLabels: [],
    job: 'license-exporter',
    runbookBaseUrl: undefined,
  });
}

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
    'mixin/license-alerts.json': `${JSON.stringify(file, undefined, 2)}\n`,
  };
}

function main(): void {
  for (const [name, content] of Object.entries(ruleFiles(defaultRules()))) {
    const path = resolve(join(import.meta.dirname, name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

if (import.meta.main) main();
