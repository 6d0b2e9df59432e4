import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { cronProblem } from '../poll/schedule.ts';
import type { CommandContext } from './command.ts';

/** What a configuration is good for. */
function usesOf({ analyzer, alerting, embeddedAnalyzer }: Config): string {
  const uses = [
    ...(analyzer === undefined ? [] : ['serve', 'doctor']),
    ...(alerting.alertmanagers.length === 0 ? [] : ['test-alert']),
    ...(embeddedAnalyzer.users === undefined ? [] : ['analyzer']),
    'demo',
  ];
  const missing = [
    ...(analyzer === undefined ? ['serve needs analyzer.url, username and a password'] : []),
    ...(analyzer === undefined && embeddedAnalyzer.users === undefined
      ? ['analyzer needs embedded_analyzer.users_file']
      : []),
  ];
  return [`for ${uses.join(', ')}`, ...missing].join('; ');
}

/** Checks a configuration and says so. @throws ConfigError with everything that is wrong */
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
