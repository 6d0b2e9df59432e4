import { relayedAlerts } from '../alerts/relay-texts.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { createOwners } from '../model/owners.ts';
import { cronProblem } from '../poll/schedule.ts';
import { usualOwners } from '../rules/alert.ts';
import { createRuleFile, type RuleFile, ruleFileText } from '../rules/rule-file.ts';
import type { CommandContext } from './command.ts';

/** The rules with the settings of a configuration. */
const ruleFileOf = ({ alerting, web, owners }: Config): RuleFile =>
  createRuleFile({
    relayed: relayedAlerts(alerting.rules),
    settings: Object.fromEntries(Object.entries(alerting.rules).map(([alert, { base }]) => [alert, base])),
    owners: [...new Set([...usualOwners, ...createOwners(owners.entries).names])],
    targetLabels: alerting.prometheusLabels,
    job: alerting.prometheusJob,
    runbookBaseUrl:
      alerting.runbookBaseUrl ?? (web.externalUrl === undefined ? undefined : `${web.externalUrl}/runbooks`),
  });

/** Prints the rules for Prometheus. @throws ConfigError with all problems */
export async function rules({ line, env, print }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false, cronProblem });
  print(ruleFileText(ruleFileOf(config)));
  return 0;
}
