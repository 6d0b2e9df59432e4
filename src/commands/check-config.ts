import type { Config } from '../config/config.ts';
import type { SourceConfig } from '../config/embedded-sources.ts';
import { loadConfig } from '../config/load.ts';
import { cronProblem } from '../poll/schedule.ts';
import type { CommandContext } from './command.ts';

/** The commands for which a configuration is complete. */
function usesOf({ analyzer, alerting, embeddedAnalyzer }: Config): string {
  const hasSources = embeddedAnalyzer.sources.length > 0;
  const uses = [
    ...(analyzer === undefined && !hasSources ? [] : ['serve', 'doctor']),
    ...(alerting.alertmanagers.length === 0 ? [] : ['test-alert']),
    ...(embeddedAnalyzer.users === undefined ? [] : ['analyzer']),
    'demo',
  ];
  const missing = [
    ...(analyzer === undefined && !hasSources ? ['serve requires analyzer.url, username and a password'] : []),
    ...(analyzer === undefined && !hasSources && embeddedAnalyzer.users === undefined
      ? ['analyzer requires embedded_analyzer.users_file']
      : []),
  ];
  return [`for ${uses.join(', ')}`, ...missing].join('; ');
}

/** What a source cannot show before its server was reached for the first time. */
function sourceLine({ name, manager, servers, interval, daemons, licenseFiles }: SourceConfig): string {
  const where = servers.length === 0 ? '' : ` at ${servers.join(', ')}`;
  const isKnown = manager === 'json' || daemons.length > 0 || licenseFiles.length > 0;
  const hint = isKnown
    ? ''
    : '; until its server answers for the first time, only license_source_up shows it, because no daemons are configured';
  return `source ${name}: ${manager}${where}, every ${interval} s${hint}\n`;
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
  for (const source of config.embeddedAnalyzer.sources) print(sourceLine(source));
  print(`${line.argument}: OK ${usesOf(config)}\n`);
  return 0;
}
