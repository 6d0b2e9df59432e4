import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { createOwners } from '../model/owners.ts';
import { cronProblem } from '../poll/schedule.ts';
import { usualOwners } from '../rules/alert.ts';
import { createRuleFile, type RuleFile, ruleFileText } from '../rules/rule-file.ts';
import type { CommandContext } from './command.ts';

/** The rules with the settings of a configuration. @throws OperatorError for settings that Prometheus cannot evaluate */
const ruleFileOf = ({ alerting, web, owners, datasource, embeddedAnalyzer }: Config): RuleFile =>
  createRuleFile({
    rules: alerting.rules,
    ignore: alerting.ignore,
    unknownHold: alerting.unknownHold,
    owners: [...new Set([...usualOwners, ...createOwners(owners.entries).names])],
    timeZone: datasource.timeZone ?? embeddedAnalyzer.timeZone,
    job: alerting.prometheusJob,
    runbookBaseUrl:
      alerting.runbookBaseUrl ?? (web.externalUrl === undefined ? undefined : `${web.externalUrl}/runbooks`),
    alertmanagerUrl: alerting.alertmanagerExternalUrl,
  });

/** Prints the rules for Prometheus. @throws ConfigError with all problems */
export async function rules({ line, env, print }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false, cronProblem });
  print(ruleFileText(ruleFileOf(config)));
  return 0;
}
