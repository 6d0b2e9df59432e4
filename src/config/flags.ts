import { parseArgs } from 'node:util';
import { ConfigError, type Problem, suggest } from './problems.ts';
import { environmentName, flagName, type Setting, type SettingKey, settingKeys, settings } from './settings.ts';

export type Command = 'serve' | 'demo' | 'check-config';

/** What the command line says. */
export interface CommandLine {
  readonly command: Command;
  readonly configFile: string | undefined;
  /** Raw values by setting. */
  readonly flags: ReadonlyMap<SettingKey, unknown>;
  readonly once: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

const commands: Readonly<Record<Command, string>> = {
  serve: 'Poll the configured analyzer and serve metrics (default).',
  demo: 'The same on an embedded analyzer with a simulated site.',
  'check-config': 'Check a configuration file: check-config FILE.',
};

const byFlag: ReadonlyMap<string, SettingKey> = new Map(
  settingKeys.flatMap((key) => {
    const name = flagName(key);
    return name === undefined ? [] : [[name, key] as const];
  }),
);

const isSwitch = (key: SettingKey): boolean => typeof settings[key].default === 'boolean';
const isList = (key: SettingKey): boolean => Array.isArray(settings[key].default);

const own = {
  'config.file': { type: 'string' },
  'config.check': { type: 'boolean' },
  once: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

const wrong = (message: string): ConfigError =>
  new ConfigError([{ key: '', where: 'command line', message } satisfies Problem]);

/** Reads the arguments after the program's name. @throws ConfigError that names the argument and the nearest valid one */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const options = Object.fromEntries([
    ...Object.entries(own),
    ...[...byFlag].map(
      ([name, key]) => [name, { type: isSwitch(key) ? 'boolean' : 'string', multiple: isList(key) }] as const,
    ),
  ]) as Record<string, { type: 'string' | 'boolean'; multiple?: boolean; short?: string }>;

  const parsed = (() => {
    try {
      return parseArgs({ args: [...argv], options, allowNegative: true, allowPositionals: true, strict: true });
    } catch (error) {
      const message = (error as Error).message;
      const unknown = /Unknown option '(?:--?)([^']+)'/.exec(message)?.[1];
      if (unknown === undefined) throw wrong(message.split('. ', 1)[0] ?? message);
      throw wrong(`unknown flag --${unknown}${suggest(unknown, Object.keys(options))}`);
    }
  })();
  const { values, positionals } = parsed;
  const [name = 'serve', ...rest] = positionals;
  if (!Object.hasOwn(commands, name)) {
    throw wrong(
      `unknown command ${name}${suggest(name, Object.keys(commands))}; there are ${Object.keys(commands).join(', ')}`,
    );
  }
  const isCheck = name === 'check-config' || values['config.check'] === true;
  const configFile =
    (name === 'check-config' ? rest.shift() : undefined) ?? (values['config.file'] as string | undefined);
  if (rest.length > 0) throw wrong(`${rest[0]} is one argument too many`);
  if (isCheck && configFile === undefined && values.help !== true) throw wrong('check-config needs a file');
  const flags = new Map<SettingKey, unknown>();
  for (const [flag, key] of byFlag) if (values[flag] !== undefined) flags.set(key, values[flag]);
  return {
    command: isCheck ? 'check-config' : (name as Command),
    configFile,
    flags,
    once: values.once === true,
    help: values.help === true,
    version: values.version === true,
  };
}

/** The default of a setting as the documentation writes it. */
export function shownDefault(key: SettingKey): string {
  const { default: fallback, shownDefault: shown }: Setting = settings[key];
  if (shown !== undefined) return shown;
  if (fallback === undefined || fallback === '') return '';
  return Array.isArray(fallback) ? fallback.join(', ') : String(fallback);
}

/** The text of `--help`. */
export function helpText(): string {
  const lines = settingKeys.map((key) => {
    const flag = flagName(key);
    const name =
      flag === undefined ? `(environment) ${environmentName(key)}` : `--${isSwitch(key) ? '[no-]' : ''}${flag}`;
    const fallback = shownDefault(key);
    return `  ${name}\n      ${settings[key].doc}${fallback === '' ? '' : ` Default: ${fallback}.`}`;
  });
  return [
    'license-exporter: usage and expiry of floating licenses for Prometheus',
    '',
    'Usage: license-exporter [COMMAND] [FLAGS]',
    '',
    'Commands:',
    ...Object.entries(commands).map(([name, doc]) => `  ${name.padEnd(14)}${doc}`),
    '',
    'Flags:',
    '  --config.file FILE\n      YAML file with the settings.',
    '  --config.check\n      Check the configuration and exit, like check-config.',
    '  --once\n      Poll once, print the metrics and exit.',
    '  --help, --version',
    '',
    'Settings, each also a key of the file and an environment variable (see README):',
    ...lines,
    '',
  ].join('\n');
}
