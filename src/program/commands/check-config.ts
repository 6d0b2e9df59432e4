import { access, constants } from 'node:fs/promises';
import { checkSourceFiles } from '../../analyzer/sources/configured-sources.ts';
import { managerNamed, managers } from '../../analyzer/sources/managers.ts';
import type { SourceConfig } from '../../analyzer/sources/source-settings.ts';
import { checkTool } from '../../analyzer/sources/transport/tool-check.ts';
import { SourceFailure } from '../../base/model/observation/source-failure.ts';
import { inOneLine } from '../../base/model/operator-error.ts';
import { namesText } from '../../base/texts.ts';
import type { Config } from '../config/config.ts';
import { exposureOf } from '../config/listeners.ts';
import { loadConfig } from '../config/load.ts';
import { problemText, warningsOf } from '../config/problems.ts';
import type { CommandContext } from './command.ts';

/** What can be seen of sources without asking their servers. */

async function toolWarnings({ via }: SourceConfig): Promise<readonly string[]> {
  if (via?.kind !== 'command') return [];
  const [tool = ''] = via.command;
  try {
    await checkTool(tool);
    return [];
  } catch (error) {
    if (error instanceof SourceFailure) return [error.message];
    throw error;
  }
}

/** Files that it reads, by setting. */
const filesOf = (source: SourceConfig): readonly (readonly [setting: string, file: string])[] => [
  ...(source.via?.kind === 'file' ? [['via.file', source.via.file] as const] : []),
  ...managers[managerNamed(source.manager)].settings.files(source),
];

async function fileWarnings(source: SourceConfig): Promise<readonly string[]> {
  const warnings = filesOf(source).map(async ([setting, file]) => {
    const code = await access(file, constants.R_OK).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === undefined) return [];
    return [`${setting}: ${file} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`];
  });
  return (await Promise.all(warnings)).flat();
}

/** Files that are not what they should be. Those that cannot be read are named already. */
async function contentWarnings(source: SourceConfig): Promise<readonly string[]> {
  const problems = await checkSourceFiles(source, () => Date.now() / 1000);
  return problems.filter(({ kind }) => kind !== 'missing_tool' && kind !== 'refused').map(({ message }) => message);
}

/** What would keep the tool and the files of a source from being used by this user on this host. */
async function sourceWarnings(source: SourceConfig): Promise<readonly string[]> {
  const warnings = [
    ...(await toolWarnings(source)),
    ...(await fileWarnings(source)),
    ...(await contentWarnings(source)),
  ];
  return warnings.map((warning) => `source ${source.name}: ${warning}`);
}

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
    ...(analyzer === undefined && !hasSources ? ['serve requires analyzer.url or embedded_analyzer.sources'] : []),
    ...(analyzer === undefined && !hasSources && embeddedAnalyzer.users === undefined
      ? ['analyzer requires embedded_analyzer.users_file']
      : []),
  ];
  return [`for ${uses.join(', ')}`, ...missing].join('; ');
}

function sourceLine({ name, manager, servers, interval }: SourceConfig): string {
  const where = servers.length === 0 ? '' : ` at ${servers.join(', ')}`;
  return `source ${name}: ${manager}${where}, every ${interval} s\n`;
}

/** Sources that one line names; the others are counted. */
const NAMED = 10;

/** What sources cannot show before their server was reached for the first time. */
function unknownDaemons(sources: readonly SourceConfig[]): string {
  const names = sources
    .filter((source) => !managers[managerNamed(source.manager)].namesDaemons(source))
    .map(({ name }) => name);
  if (names.length === 0) return '';
  return `note: until a license server has answered once, only license_source_up shows it, because its vendor daemons are not known; name them in \`daemons\` of the sources ${namesText(names, NAMED)}\n`;
}

/** Checks a configuration. @throws ConfigError with all problems */
export async function checkConfig({ line, env, print }: CommandContext): Promise<number> {
  const config = loadConfig({
    ...line,
    configFile: line.argument,
    env,
    requireAnalyzer: 'unless-embedded',
  });
  const hints = config.hints.map(problemText);
  for (const warning of [...warningsOf(config), ...hints]) print(`warning: ${warning}\n`);
  const { sources } = config.embeddedAnalyzer;
  // without them it is for the command analyzer alone, which listens elsewhere
  const exposure = config.analyzer === undefined && sources.length === 0 ? undefined : exposureOf(config.web);
  if (exposure !== undefined) print(`warning: ${inOneLine(exposure)}\n`);
  for (const source of sources) print(sourceLine(source));
  print(unknownDaemons(sources));
  for (const source of sources) for (const warning of await sourceWarnings(source)) print(`warning: ${warning}\n`);
  print(`${line.argument}: OK ${usesOf(config)}\n`);
  return 0;
}
