import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { AlertName } from '../../src/alerting/alerts/definitions.ts';
import { publishedRunbooks } from '../../src/alerting/alerts/prometheus/published.ts';
import {
  alertsForPrometheus,
  createRuleFile,
  type RuleFile,
  ruleFileText,
  usualOwners,
} from '../../src/alerting/alerts/prometheus/rule-file.ts';
import { allAlerts, ruleSettings } from '../../src/alerting/alerts/rules.ts';
import { alertmanagerConfig } from './alertmanager-config.ts';

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

/** The folder that has a folder for each alert. */
export const definitions = join(import.meta.dirname, '../../src/alerting/alerts/definitions');

/** `exporter-down` of `LicenseExporterDown`. */
export const folderOf = (alert: string): string =>
  alert
    .replace(/^License/, '')
    .replaceAll(/(?<!^)(?=[A-Z])/g, '-')
    .toLowerCase();

/** The runbook of an alert, and the words for its condition. @throws Error for an alert that has none */
export function runbookOf(alert: AlertName): { readonly text: string; readonly condition: string } {
  const file = join(definitions, folderOf(alert), 'runbook.md');
  const name = relative(process.cwd(), file);
  if (!existsSync(file)) throw new Error(`${alert} has no runbook: write ${name}, like those beside it`);
  const text = readFileSync(file, 'utf8');
  const condition = /^\*\*Condition\.\*\* (.+)$/m.exec(text)?.[1];
  if (condition === undefined) throw new Error(`${name} has no line **Condition.**: say when the alert is met`);
  return { text, condition };
}

/** The runbooks as one page, in the order of the table of alerts. */
export const runbooks = (): string =>
  [
    readFileSync(join(definitions, 'introduction.md'), 'utf8'),
    ...(Object.keys(allAlerts) as AlertName[]).map((alert) => `## ${alert}\n\n${runbookOf(alert).text}`),
  ].join('\n');

function main(): void {
  for (const [name, content] of Object.entries({ ...ruleFiles(defaultRules()), '../runbooks.md': runbooks() })) {
    const path = resolve(join(import.meta.dirname, name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

if (import.meta.main) main();
