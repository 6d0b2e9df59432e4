import { loadConfig } from '../config/load.ts';
import { cronProblem } from '../poll/schedule.ts';
import type { CommandContext } from './command.ts';

/** Checks a configuration and prints the result. @throws ConfigError with everything that is wrong */
export async function checkConfig({ line, env, print }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, configFile: line.argument, env, requireAnalyzer: true, cronProblem });
  for (const warning of config.warnings) print(`warning: ${warning}\n`);
  print(`${line.argument}: OK\n`);
  return 0;
}
