import { parseLmstat } from '../../../../src/analyzer/sources/flexnet/lmstat.ts';
import type { LmstatReport } from '../../../../src/analyzer/sources/flexnet/lmstat-report.ts';
import { parseRlmstat } from '../../../../src/analyzer/sources/rlm/parse.ts';
import type { RlmReport } from '../../../../src/analyzer/sources/rlm/report.ts';
import { createSourceTime } from '../../../../src/analyzer/sources/times.ts';
import { type Anonymized, anonymize } from '../../../../src/program/commands/capture/anonymize.ts';
import {
  type CaptureHeader,
  type CaptureSection,
  readCapture,
  writeCapture,
} from '../../../../src/program/commands/capture/capture-file.ts';

/** Captures in tests. */

const utc = createSourceTime('UTC', 'UTC');

export const headerOf = (more: Partial<CaptureHeader> = {}): CaptureHeader => ({
  manager: 'flexnet',
  via: 'command',
  time: 1_800_000_000,
  timeZone: 'UTC',
  servers: ['27000@lic1'],
  daemons: [],
  split: 'auto',
  lingerAtLeast: 3600,
  interval: 300,
  ...more,
});

export const sectionOf = (input: string, text: string): CaptureSection => ({ input, stream: 'stdout', text });

/** The capture of texts, after it was written to a file and read again, and the text of the file. */
export function capture(
  sections: readonly CaptureSection[],
  header: Partial<CaptureHeader> = {},
): { readonly file: string; readonly texts: readonly string[]; readonly anonymized: Anonymized } {
  const anonymized = anonymize(headerOf(header), sections);
  const file = writeCapture(anonymized, []);
  return { file, texts: readCapture(file).sections.map(({ text }) => text), anonymized };
}

/** The capture of one text. */
export const captured = (input: string, text: string, header: Partial<CaptureHeader> = {}): string =>
  capture([sectionOf(input, text)], header).texts[0] ?? '';

export const lmstatOf = (text: string): LmstatReport =>
  parseLmstat(text, { localTime: utc, now: 1_800_000_000, split: 'auto', knownHosts: new Set() });

export const rlmOf = (text: string): RlmReport => parseRlmstat(text, { localTime: utc });

/** Keys of reports with names that a capture replaces, and what they are of. */
const kinds: Readonly<Record<string, string>> = {
  user: 'user',
  host: 'host',
  display: 'display',
  server: 'server',
  holder: 'holder',
  name: 'name',
  version: 'version',
  feature: 'name',
  vendor: 'name',
  product: 'name',
  serverLists: 'server list',
  servers: 'server list',
  listedDaemons: 'name',
  unknownTail: 'tail',
  pid: 'pid',
  handle: 'handle',
};

/** A report in which each name is the number of its first occurrence: two reports are equal if only names differ. */
export function withoutNames(report: object): unknown {
  const numbers = new Map<string, Map<string, number>>();
  const numberOf = (kind: string, name: string): string => {
    const known = numbers.get(kind) ?? new Map<string, number>();
    numbers.set(kind, known);
    known.set(name, known.get(name) ?? known.size);
    return `${kind} ${known.get(name)}`;
  };
  const walk = (value: unknown, key: string): unknown => {
    const kind = kinds[key];
    if (typeof value === 'string') return kind === undefined || value === '' ? value : numberOf(kind, value);
    if (Array.isArray(value)) return value.map((one) => walk(one, key));
    if (typeof value !== 'object' || value === null) return value;
    if (key === 'diagnostics') return (value as { unparsed: number }).unparsed;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name)]));
  };
  return walk(report, '');
}
