import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Labels } from '../../src/alerting/alerts/alert.ts';
import { settingsShape } from '../../src/alerting/alerts/alert-settings.ts';
import { type AlertName, engineAlerts, prometheusAlerts } from '../../src/alerting/alerts/definitions.ts';
import { allAlerts } from '../../src/alerting/alerts/rules.ts';
import { tellingOf } from '../../src/alerting/alerts/telling.ts';
import { settingOf } from '../../src/base/settings/table.ts';

/** The page of runbooks: of each alert the text beside its definition, and what its definition says. */

/** The folder that has a folder for each alert. */
export const definitions = join(import.meta.dirname, '../../src/alerting/alerts/definitions');

/** `exporter-down` of `LicenseExporterDown`. */
export const folderOf = (alert: string): string =>
  alert
    .replace(/^License/, '')
    .replaceAll(/(?<!^)(?=[A-Z])/g, '-')
    .toLowerCase();

/** The text of an alert, and its condition. @throws Error for an alert that has none */
export function runbookOf(alert: AlertName): { readonly text: string; readonly condition: string } {
  const file = join(definitions, folderOf(alert), 'runbook.md');
  const name = relative(process.cwd(), file);
  if (!existsSync(file)) throw new Error(`${alert} has no runbook: write ${name}, like those beside it`);
  const text = readFileSync(file, 'utf8');
  const condition = /^\*\*Condition\.\*\* (.+)$/m.exec(text)?.[1];
  if (condition === undefined) throw new Error(`${name} has no line **Condition.**: say when the alert is met`);
  return { text, condition };
}

/** The severities of an alert, the most urgent one first. */
export const severitiesOf = (alert: AlertName): readonly string[] =>
  alert in engineAlerts
    ? engineAlerts[alert as keyof typeof engineAlerts].severities
    : [prometheusAlerts[alert as keyof typeof prometheusAlerts].severity];

/** How people are told, as the classes of messages say it. */
function toldText(labels: Labels): string {
  switch (tellingOf(labels).by) {
    case 'message':
      return 'at once';
    case 'digest':
      return 'in the digest';
    case 'pages':
      return labels.severity === 'none' ? 'to its own receiver' : 'on pages only';
  }
}

/** How urgent an alert is, how people are told, and who evaluates it. */
function urgencyText(alert: AlertName): string {
  const told = severitiesOf(alert).map((severity) => `**${severity}**, ${toldText({ alertname: alert, severity })}`);
  return [...told, ...(alert in prometheusAlerts ? ['evaluated by Prometheus'] : [])].join('; ');
}

/** The settings with their defaults. Those of its own are explained by its condition, and the others at the top of the page. */
function settingsText(alert: AlertName): string {
  const { enabled: _, ...shape } = settingsShape(allAlerts[alert]);
  const values = Object.entries(shape).map(([name, schema]) => {
    const value = settingOf(schema).default;
    return value === undefined ? `\`${name}\`` : `\`${name}: ${String(value)}\``;
  });
  // there is one analyzer
  const overrides = allAlerts[alert].subject === 'analyzer' ? [] : ['`overrides`'];
  return `**Settings.** ${[...values, ...overrides].join(', ')}`;
}

/** The runbooks as one page, in the order of the table of alerts. */
export const runbooks = (): string =>
  [
    readFileSync(join(definitions, 'introduction.md'), 'utf8'),
    ...(Object.keys(allAlerts) as AlertName[]).map(
      (alert) => `## ${alert}\n\n${urgencyText(alert)}\n\n${runbookOf(alert).text}\n${settingsText(alert)}\n`,
    ),
  ].join('\n');
