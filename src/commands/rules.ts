import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { cronProblem } from '../poll/schedule.ts';
import { createRuleFile, type RuleFile, ruleFileText } from '../rules/rule-file.ts';
import type { CommandContext } from './command.ts';

/** Label names of owners that the rules always keep; an exporter without them changes nothing. */
const OWNERS = ['owner', 'team', 'site'];

/** The rules with the settings of a configuration. @throws OperatorError for settings that Prometheus cannot evaluate */
export const ruleFileOf = (
  { alerting, web }: Pick<Config, 'alerting' | 'web'>,
  owners: readonly string[] = [],
): RuleFile =>
  createRuleFile({
    rules: alerting.rules,
    unknownHold: alerting.unknownHold,
    owners: [...new Set([...OWNERS, ...owners])],
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
