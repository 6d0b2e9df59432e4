import { parseArgs } from 'node:util';
import { ConfigError, type Problem, suggest } from './problems.ts';
import { settingLines, settingOptions, settingsIn, unknownFlag } from './setting-flags.ts';
import type { SettingKey } from './settings.ts';

export type Command =
  | 'serve'
  | 'demo'
  | 'analyzer'
  | 'analyzer hash-password'
  | 'doctor'
  | 'check-config'
  | 'test-alert'
  | 'hash-password';

/** What the command line says. */
export interface CommandLine {
  readonly command: Command;
  readonly configFile: string | undefined;
  /** Raw values by setting. */
  readonly flags: ReadonlyMap<SettingKey, unknown>;
  /** `check-config` takes a file, as `configFile`; the two `hash-password` the name of a user. */
  readonly argument: string | undefined;
  readonly once: boolean;
  readonly json: boolean;
  readonly demo: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

/** What each command does, for help and README.md. */
export const commands: Readonly<Record<Command, string>> = {
  serve:
    'Poll the configured analyzer and serve metrics (default). With --once print them once: 0 when every endpoint answered, else 1.',
  demo: 'The same on an embedded analyzer with a simulated site, on loopback. The log says how to ask it with curl.',
  analyzer: 'The embedded analyzer alone, as a server of the Query API for others.',
  'analyzer hash-password': 'Print a line for its file of users: analyzer hash-password NAME, the password on stdin.',
  doctor:
    'Call every endpoint of the configured analyzer, or with --demo of an embedded one, as the exporter does, and compare the answers with the specification: 0 when the exporter accepts all of them, else 1.',
  'check-config': 'Check a configuration and report everything wrong with it, with the line: check-config FILE.',
  'test-alert':
    'Send one alert that says it is a test to every configured Alertmanager, and tell what each answers: 0 when all take it, else 1.',
  'hash-password': 'Print a line for basic_auth_users of the web config: hash-password NAME, the password on stdin.',
};

/** Flags that only some commands take. */
const commandFlags: Readonly<Record<'once' | 'json' | 'demo', Command>> = {
  once: 'serve',
  json: 'doctor',
  demo: 'doctor',
};

const own = {
  'config.file': { type: 'string' },
  'config.check': { type: 'boolean' },
  once: { type: 'boolean' },
  json: { type: 'boolean' },
  demo: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

const wrong = (message: string): ConfigError =>
  new ConfigError([{ key: '', where: 'command line', message } satisfies Problem]);

/** Reads the arguments after the program's name. @throws ConfigError that names the argument and the nearest valid one */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const options = Object.fromEntries([...Object.entries(own), ...Object.entries(settingOptions)]) as Record<
    string,
    { type: 'string' | 'boolean'; multiple?: boolean; short?: string }
  >;

  const parsed = (() => {
    try {
      return parseArgs({ args: [...argv], options, allowNegative: true, allowPositionals: true, strict: true });
    } catch (error) {
      const message = (error as Error).message;
      const unknown = /Unknown option '(?:--?)([^']+)'/.exec(message)?.[1];
      if (unknown === undefined) throw wrong(message.split('. ', 1)[0] ?? message);
      throw wrong(unknownFlag(unknown, Object.keys(options)));
    }
  })();
  const { values, positionals } = parsed;
  const [first = 'serve', ...rest] = positionals;
  const isPair = Object.hasOwn(commands, `${first} ${rest[0]}`);
  const name = isPair ? `${first} ${rest.shift()}` : first;
  if (!Object.hasOwn(commands, name)) {
    throw wrong(
      `unknown command ${name}${suggest(name, Object.keys(commands))}; there are ${Object.keys(commands).join(', ')}`,
    );
  }
  const isCheck = name === 'check-config' || values['config.check'] === true;
  const configFile =
    (name === 'check-config' ? rest.shift() : undefined) ?? (values['config.file'] as string | undefined);
  const argument = name.endsWith('hash-password') ? rest.shift() : undefined;
  if (rest.length > 0) throw wrong(`${rest[0]} is one argument too many`);
  if (isCheck && configFile === undefined && values.help !== true) throw wrong('check-config needs a file');
  for (const [flag, command] of Object.entries(commandFlags)) {
    if (values[flag] === true && name !== command) throw wrong(`--${flag} goes with the command ${command}`);
  }
  return {
    command: isCheck ? 'check-config' : (name as Command),
    configFile,
    flags: settingsIn(values),
    argument,
    once: values.once === true,
    json: values.json === true,
    demo: values.demo === true,
    help: values.help === true,
    version: values.version === true,
  };
}

/** The text of `--help`. */
export function helpText(): string {
  return [
    'license-exporter: usage and expiry of floating licenses for Prometheus',
    '',
    'Usage: license-exporter [COMMAND] [FLAGS]',
    '',
    'Commands:',
    ...Object.entries(commands).map(([name, doc]) => `  ${name.padEnd(24)}${doc}`),
    '',
    'Flags:',
    '  --config.file FILE\n      YAML file with the settings.',
    '  --config.check\n      Check the configuration and exit, like check-config.',
    '  --once\n      serve: poll once, print the metrics and exit.',
    '  --json\n      doctor: print JSON.',
    '  --demo\n      doctor: look at the embedded analyzer on its simulated site.',
    '  --help, --version',
    '',
    'Settings, each also a key of the file and, where it says no other, an environment variable (see docs/settings.md):',
    ...settingLines(),
    '',
  ].join('\n');
}
