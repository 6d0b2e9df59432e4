import { settingLines } from '../config/setting-flags.ts';
import { type Command, flagUsage } from './command.ts';
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
