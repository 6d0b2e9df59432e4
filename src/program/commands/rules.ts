import { publishedRunbooks } from '../../alerting/alerts/prometheus/published.ts';
import {
  alertsForPrometheus,
  createRuleFile,
  type RuleFile,
  ruleFileText,
  usualOwners,
} from '../../alerting/alerts/prometheus/rule-file.ts';
import { createOwners } from '../../base/model/owners.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './command.ts';

/** The rules with the settings of a configuration. */
const ruleFileOf = ({ alerting, web, owners }: Config): RuleFile =>
  createRuleFile({
    ...alertsForPrometheus(alerting.rules, alerting.prometheusJob),
    owners: [...new Set([...usualOwners, ...createOwners(owners.entries).names])],
    targetLabels: alerting.prometheusLabels,
    runbookBaseUrl:
      alerting.runbookBaseUrl ?? (web.externalUrl === undefined ? publishedRunbooks() : `${web.externalUrl}/runbooks`),
    externalUrl: web.externalUrl,
  });

/** Prints the rules for Prometheus. @throws ConfigError with all problems */
export async function rules({ line, env, print }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false });
  print(ruleFileText(ruleFileOf(config)));
  return 0;
}
