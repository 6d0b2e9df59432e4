import { parseArgs } from 'node:util';
import { suggest } from '../../base/settings/names.ts';
import { ConfigError } from '../config/problems.ts';
import { settingOptions, settingsIn, unknownFlag } from '../config/setting-flags.ts';
import type { Command, CommandLine } from './command.ts';
import { commands } from './commands.ts';
import { helpOfCommand, helpText } from './help.ts';

interface FlagOption {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  readonly short?: string;
}

/** The flags of all commands. */
const ownFlags = Object.assign({}, ...commands.map(({ flags }) => flags)) as NonNullable<Command['flags']>;

const options: Readonly<Record<string, FlagOption>> = {
  'config.file': { type: 'string' },
  'config.check': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  ...Object.fromEntries(
    Object.entries(ownFlags).map(
      ([name, { placeholder }]) => [name, { type: placeholder === undefined ? 'boolean' : 'string' }] as const,
    ),
  ),
  ...settingOptions,
};

const wrong = (...messages: readonly string[]): ConfigError =>
  new ConfigError(messages.map((message) => ({ key: '', where: 'command line', message })));

/** What to say of every flag that is not known, as it was written. */
function unknownFlags(args: string[]): readonly string[] {
  const { tokens } = parseArgs({ args, options, allowNegative: true, strict: false, tokens: true });
  const names = Object.keys(options);
  const isKnown = (name: string, rawName: string): boolean =>
    rawName.startsWith('--no-')
      ? options[rawName.slice('--no-'.length)]?.type === 'boolean'
      : Object.hasOwn(options, name);
  return tokens.flatMap((token) =>
    token.kind === 'option' && !isKnown(token.name, token.rawName) ? unknownFlag(token.rawName, names) : [],
  );
}

function split(argv: readonly string[]) {
  const args = [...argv];
  try {
    return parseArgs({ args, options, allowNegative: true, allowPositionals: true, strict: true });
  } catch (error) {
    const unknown = unknownFlags(args);
    const { message } = error as Error;
    const [, flag] = /^Option '.*?(--[\w.-]+).*' argument (?:missing|is ambiguous)/.exec(message) ?? [];
    const other = flag === undefined ? (message.split('. ', 1)[0] ?? message) : `${flag} requires a value`;
    throw wrong(...(unknown.length > 0 ? unknown : [other]));
  }
}

const find = (name: string): Command | undefined => commands.find((command) => command.name === name);

/** The command named by the first one or two words, and the remaining words. */
function takeCommand([first = 'serve', ...rest]: readonly string[]): { command: Command; rest: readonly string[] } {
  const pair = find(`${first} ${rest[0]}`);
  if (pair !== undefined) return { command: pair, rest: rest.slice(1) };
  const command = find(first);
  if (command !== undefined) return { command, rest };
  const names = commands.map(({ name }) => name);
  throw wrong(`unknown command ${first}${suggest(first, names)}; valid are ${names.join(', ')}`);
}

/** `help` and `version` without dashes. */
const isWord = (argv: readonly string[]): boolean => argv.length === 1 && /^(?:help|version)$/.test(argv[0] ?? '');

/**
 * Parses the arguments.
 *
 * @param terminal columns of the terminal, for the help
 * @throws ConfigError with the invalid argument and the nearest valid one
 */
export function parseCommandLine(argv: readonly string[], terminal?: number): CommandLine {
  const { values, positionals } = split(isWord(argv) ? [`--${argv[0]}`] : argv);
  const isSet = (name: string): boolean => values[name] === true;
  const { command: named, rest } = takeCommand(positionals);
  const command = (isSet('config.check') ? find('check-config') : undefined) ?? named;
  const [first, ...others] = command.argument === undefined ? [undefined, ...rest] : rest;
  if (others[0] !== undefined) {
    const hint = /\.ya?ml$/.test(others[0]) ? `; a configuration is passed with --config.file=${others[0]}` : '';
    throw wrong(`unexpected argument ${others[0]}${hint}`);
  }
  const fallback = command.argument?.flag === undefined ? undefined : values[command.argument.flag];
  const argument = first ?? (fallback as string | undefined) ?? '';
  if (command.argument !== undefined && argument === '' && !isSet('help')) {
    throw wrong(`${command.name} requires ${command.argument.what}`);
  }
  const given = Object.keys(ownFlags).filter((name) => values[name] !== undefined);
  for (const name of given) {
    const owners = commands.filter(({ flags = {} }) => Object.hasOwn(flags, name));
    if (owners.includes(named)) continue;
    throw wrong(`--${name} is only valid for the command ${owners.map((owner) => owner.name).join(' or ')}`);
  }
  return {
    command,
    configFile: values['config.file'] as string | undefined,
    flags: settingsIn(values),
    argument,
    switches: new Set(given.filter(isSet)),
    values: Object.fromEntries(
      given.map((name) => [name, values[name]]).filter(([, value]) => typeof value === 'string'),
    ),
    help: isSet('help')
      ? positionals.length === 0
        ? helpText(terminal)
        : helpOfCommand(command, terminal)
      : undefined,
    version: isSet('version'),
  };
}
