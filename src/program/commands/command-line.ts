import { parseArgs } from 'node:util';
import { suggest } from '../../base/settings/names.ts';
import { ConfigError } from '../config/problems.ts';
import { settingLines, settingOptions, settingsIn, unknownFlag } from '../config/setting-flags.ts';
import { type Command, type CommandLine, flagUsage } from './command.ts';
import { commands, usageOf } from './commands.ts';

/** The texts of `--help`, in lines that fit the terminal. */

/** Columns of a terminal that does not say how many it has. */
const USUAL_WIDTH = 80;
/** Longer lines are hard to read, shorter ones hold too few words, columns. */
const MAX_WIDTH = 100;
const MIN_WIDTH = 50;

const columns = (terminal: number | undefined): number =>
  Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, terminal ?? USUAL_WIDTH));

/** A text in lines, all indented but the first. A word that is longer than a line stays whole. */
function wrapped(text: string, width: number, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

/** A name with what it means below. */
const entry = (name: string, meaning: string, width: number): string =>
  `  ${name}\n      ${wrapped(meaning, width, 6)}`;

/** The flags of a command, with what they do. */
const flagEntries = ({ flags = {} }: Command, width: number, ofWhat = ''): string[] =>
  Object.entries(flags).map(([name, flag]) => entry(flagUsage(name, flag), `${ofWhat}${flag.what}`, width));

const configFile = (width: number): string => entry('--config.file FILE', 'YAML file with the settings.', width);

/** The text of `--help` after the name of a command. @param terminal columns, if they are known */
export function helpOfCommand(command: Command, terminal: number | undefined): string {
  const width = columns(terminal);
  return [
    `Usage: license-exporter ${usageOf(command)} [FLAGS]`,
    '',
    wrapped(command.summary, width, 0),
    '',
    'Flags:',
    ...flagEntries(command, width),
    configFile(width),
    '',
    'All commands, flags and settings: license-exporter --help',
    '',
  ].join('\n');
}

/** The text of `--help`. @param terminal columns, if they are known */
export function helpText(terminal: number | undefined): string {
  const width = columns(terminal);
  const settings =
    'Settings. Each is also a key of the file and, unless stated otherwise, an environment variable (see docs/configure.md):';
  return [
    wrapped('license-exporter: usage and expiry of floating licenses for Prometheus', width, 0),
    '',
    'Usage: license-exporter [COMMAND] [FLAGS]',
    '',
    'Commands:',
    ...commands.map((command) => entry(usageOf(command), command.summary, width)),
    '',
    'Flags:',
    configFile(width),
    entry('--config.check', 'Check the configuration and exit, like check-config.', width),
    ...commands.flatMap((command) => flagEntries(command, width, `${command.name}: `)),
    '  --help, --version',
    '',
    wrapped(settings, width, 0),
    ...settingLines().map(([name, meaning]) => entry(name, meaning, width)),
    '',
  ].join('\n');
}

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
