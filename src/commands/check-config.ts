import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { cronProblem } from '../poll/schedule.ts';
import type { CommandContext } from './command.ts';

/** The commands for which a configuration is complete. */
function usesOf({ analyzer, alerting, embeddedAnalyzer }: Config): string {
  const uses = [
    ...(analyzer === undefined ? [] : ['serve', 'doctor']),
    ...(alerting.alertmanagers.length === 0 ? [] : ['test-alert']),
    ...(embeddedAnalyzer.users === undefined ? [] : ['analyzer']),
    'demo',
  ];
  const missing = [
    ...(analyzer === undefined ? ['serve requires analyzer.url, username and a password'] : []),
    ...(analyzer === undefined && embeddedAnalyzer.users === undefined
      ? ['analyzer requires embedded_analyzer.users_file']
      : []),
  ];
  return [`for ${uses.join(', ')}`, ...missing].join('; ');
}

/** Checks a configuration. @throws ConfigError with all problems */
export async function checkConfig({ line, env, print }: CommandContext): Promise<number> {
  const config = loadConfig({
    ...line,
    configFile: line.argument,
    env,
    requireAnalyzer: 'unless-embedded',
    cronProblem,
  });
  for (const warning of config.warnings) print(`warning: ${warning}\n`);
  print(`${line.argument}: OK ${usesOf(config)}\n`);
  return 0;
}
