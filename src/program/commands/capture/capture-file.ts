import { managerCodes } from '../../../analyzer/sources/manager-codes.ts';
import { type Manager, managerNames } from '../../../analyzer/sources/managers.ts';
import type { SourceSettings } from '../../../analyzer/sources/source-settings.ts';

/** A capture: what a source printed at one reading, as a text file. */

/** What each kind of text is called, of all managers. */
export const inputKinds: Readonly<Record<string, string>> = Object.fromEntries(
  managerNames.flatMap((manager) =>
    Object.entries(managerCodes[manager].texts).map(([kind, { title }]) => [kind, title]),
  ),
);

/** One text that was read, or why it could not be. */
export interface CaptureSection {
  /** A kind of text of the manager. */
  readonly input: string;
  readonly stream: 'stdout' | 'stderr' | 'text' | 'failure';
  /** The daemon of an options file, or the server that was asked if each one is. */
  readonly of?: string | undefined;
  readonly exitCode?: number | undefined;
  /** When it was made, epoch seconds. */
  readonly at?: number | undefined;
  readonly text: string;
}

/** What a reader of a capture must know before its texts. */
export interface CaptureHeader {
  readonly manager: Manager;
  /** How the source is read. */
  readonly via: string;
  /** Epoch seconds. */
  readonly time: number;
  readonly timeZone: string;
  readonly servers: readonly string[];
  readonly daemons: readonly string[];
  readonly split: SourceSettings['users']['split'];
  /** Seconds. */
  readonly lingerAtLeast: number;
  /** Seconds. */
  readonly interval: number;
}

export interface ReadSection extends CaptureSection {
  /** The number of the first line of its text, from 1. */
  readonly line: number;
}

/** A file that an operator can send: the texts of a source at one moment. */
export interface Capture {
  readonly header: CaptureHeader;
  readonly sections: readonly ReadSection[];
}

const FIRST_LINE = 'license-exporter capture 1';
const MARK =
  /^== (stdout|stderr|text|failure) of (.+?)(?: \((.+?)\))?(?:, exit code (\d+))?(?:, at (\S+))?(, cut)? ==$/;

const isoTime = (at: number): string => new Date(Math.round(at) * 1000).toISOString().replace('.000', '');

function markOf({ stream, input, of, exitCode, at, text }: CaptureSection): string {
  const whose = of === undefined ? '' : ` (${of})`;
  const exit = exitCode === undefined ? '' : `, exit code ${exitCode}`;
  const time = at === undefined ? '' : `, at ${isoTime(at)}`;
  // parsers take that for an incomplete output
  const cut = text === '' || text.endsWith('\n') ? '' : ', cut';
  return `== ${stream} of ${inputKinds[input]}${whose}${exit}${time}${cut} ==`;
}

/** A line that would look like a mark begins with `\`. */
const escaped = (line: string): string => (/^\\*== /.test(line) ? `\\${line}` : line);
const unescaped = (line: string): string => (/^\\+== /.test(line) ? line.slice(1) : line);

/** @param remarks lines for the one who reads it */
export function writeCapture(
  { header, sections }: Pick<Capture, 'header'> & { sections: readonly CaptureSection[] },
  remarks: readonly string[],
): string {
  const { manager, via, time, timeZone, servers, daemons, split, lingerAtLeast, interval } = header;
  const settings: readonly (readonly [string, string])[] = [
    ['manager', manager],
    ['via', via],
    ['time', isoTime(time)],
    ['time zone', timeZone],
    ['servers', servers.join(', ')],
    ['daemons', daemons.join(', ')],
    ['split', split],
    ['borrowed at', `${lingerAtLeast} s`],
    ['interval', `${interval} s`],
  ];
  const lines = [
    FIRST_LINE,
    ...remarks.map((remark) => `# ${remark}`.trimEnd()),
    ...settings.flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`])),
  ];
  for (const section of sections) {
    const text = section.text.endsWith('\n') ? section.text.slice(0, -1) : section.text;
    lines.push('', markOf(section));
    // one by one: a text can have more lines than a call can have arguments
    if (section.text !== '') for (const line of text.split('\n')) lines.push(escaped(line));
  }
  return `${lines.join('\n')}\n`;
}

/** Whether a text begins as a capture does. */
export const isCapture = (text: string): boolean => /^\ufeff?license-exporter capture \d+\s*\n/.test(text);

/** @throws Error if it is a capture of another version, or not whole */
export function readCapture(text: string): Capture {
  const lines = text.replace(/^\ufeff/, '').split('\n');
  if (lines[0]?.trim() !== FIRST_LINE) throw new Error('it is a capture of another version of license-exporter');
  const marks = lines.flatMap((line, at) => (MARK.test(line.trimEnd()) ? [at] : []));
  const settings = new Map(
    lines.slice(1, marks[0]).flatMap((line) => {
      const [, name = '', value = ''] = /^([a-z ]+): (.*)$/.exec(line.trimEnd()) ?? [];
      return name === '' ? [] : [[name, value] as const];
    }),
  );
  const sections = marks.flatMap((at, i) => {
    const next = marks[i + 1];
    // an empty line stands before a mark
    const end = next === undefined ? lines.length - (lines.at(-1) === '' ? 1 : 0) : next - 1;
    return sectionOf(lines[at] ?? '', at + 2, lines.slice(at + 1, end)) ?? [];
  });
  return { header: headerOf(settings), sections };
}

function sectionOf(mark: string, line: number, lines: readonly string[]): ReadSection | undefined {
  const [, stream, title, of, exitCode, at, cut] = MARK.exec(mark.trimEnd()) ?? [];
  const input = Object.entries(inputKinds).find(([, name]) => name === title)?.[0];
  if (input === undefined) return undefined;
  return {
    input,
    stream: stream as ReadSection['stream'],
    of,
    exitCode: exitCode === undefined ? undefined : Number(exitCode),
    at: at === undefined ? undefined : Date.parse(at) / 1000,
    text: lines.map(unescaped).join('\n') + (lines.length === 0 || cut !== undefined ? '' : '\n'),
    line,
  };
}

const listOf = (text = ''): readonly string[] => text.split(', ').filter((one) => one !== '');

function headerOf(settings: ReadonlyMap<string, string>): CaptureHeader {
  const manager = managerNames.find((name) => name === settings.get('manager'));
  const time = Date.parse(settings.get('time') ?? '') / 1000;
  if (manager === undefined || Number.isNaN(time)) throw new Error('its header has no manager or time');
  const split = settings.get('split');
  return {
    manager,
    via: settings.get('via') ?? '',
    time,
    timeZone: settings.get('time zone') ?? 'UTC',
    servers: listOf(settings.get('servers')),
    daemons: listOf(settings.get('daemons')),
    split: split === 'first_word' || split === 'longest' ? split : 'auto',
    lingerAtLeast: Number.parseInt(settings.get('borrowed at') ?? '3600', 10),
    interval: Number.parseInt(settings.get('interval') ?? '300', 10),
  };
}
