import { sourceFailureKinds } from '../../model/observation/source-failure.ts';
import { beginsStatement } from '../flexnet/license-line.ts';
import { MAX_LINE, withoutControls } from '../lines.ts';
import { createSourceTime, type SourceTime } from '../times.ts';
import type { CaptureHeader, CaptureSection } from './capture-file.ts';
import { type Collected, collectNames, spansOf } from './collect.ts';
import { FreeText, masked } from './free-text.ts';
import { jsonText } from './json-words.ts';
import { KeptNames } from './kept-names.ts';
import { licenseWord } from './license-words.ts';
import { replaceSpans } from './line-spans.ts';
import { optionsWord } from './options-words.ts';
import { type Role, StandIns } from './stand-ins.ts';
import { StatementWords } from './statement-words.ts';

/** Lines between two pauses. */
const STEP = 256;

export interface Anonymized {
  readonly header: CaptureHeader;
  readonly sections: readonly CaptureSection[];
  /** Names of features and daemons that were replaced, because they contain the name of a user, host, server or group. */
  readonly replacedNames: number;
}

interface Anonymizing {
  readonly header: CaptureHeader;
  readonly sections: readonly CaptureSection[];
  /** Names that are known without the texts, for instance that of this host. */
  readonly known: readonly { readonly name: string; readonly role: Role }[];
}

/**
 * Replaces the names of users, hosts, servers and groups by stand-ins, and removes signatures, keys and texts for people.
 * It does not depend on what the parsers understand: of all other words, only those of the tools and names of features and
 * daemons stay.
 */
export function* anonymize({ header, sections, known }: Anonymizing): Generator<void, Anonymized> {
  const hosts = header.servers.map((server) => server.slice(server.lastIndexOf('@') + 1));
  const names = [...hosts.map((name) => ({ name, role: 'server' as const })), ...known];
  const standIns = new StandIns([...sections.map(({ text }) => text), ...names.map(({ name }) => name)]);
  for (const { name, role } of names) standIns.add(name, role);
  yield;
  const collected = yield* collectNames(header, sections, standIns);
  const kept = new KeptNames(collected.names, standIns.parts);
  yield;
  const writer = new SectionWriter(
    collected,
    new FreeText(standIns, kept),
    standIns,
    createSourceTime(header.timeZone, header.timeZone),
  );
  const written: CaptureSection[] = [];
  for (const section of sections) written.push(yield* writer.write(section));
  return { header: writer.header(header), sections: written, replacedNames: kept.replaced };
}

class SectionWriter {
  readonly #collected: Collected;
  readonly #free: FreeText;
  readonly #standIns: StandIns;
  readonly #localTime: SourceTime;

  constructor(collected: Collected, free: FreeText, standIns: StandIns, localTime: SourceTime) {
    this.#collected = collected;
    this.#free = free;
    this.#standIns = standIns;
    this.#localTime = localTime;
  }

  header(header: CaptureHeader): CaptureHeader {
    const server = (one: string): string => {
      const at = one.lastIndexOf('@');
      return `${one.slice(0, at + 1)}${this.#free.server(one.slice(at + 1))}`;
    };
    return {
      ...header,
      servers: header.servers.map(server),
      daemons: header.daemons.map((daemon) => this.#free.name(daemon)),
    };
  }

  *write(section: CaptureSection): Generator<void, CaptureSection> {
    const { text, input, of } = section;
    const isDocument = input === 'document' && section.stream !== 'failure';
    const whose = of === undefined || input !== 'options' ? {} : { of: this.#free.name(of) };
    // what failed is a word of this program
    if (section.stream === 'failure' && Object.hasOwn(sourceFailureKinds, text.trim())) return { ...section, ...whose };
    if (isDocument) return { ...section, text: jsonText(withoutControls(text), this.#free, this.#standIns) };
    return { ...section, ...whose, text: yield* this.#lines(section) };
  }

  *#lines(section: CaptureSection): Generator<void, string> {
    const replace = this.#lineWriter(section);
    const lines: string[] = [];
    for (const line of section.text.split('\n')) {
      lines.push(replace(withoutControls(line), lines.length + 1));
      if (lines.length % STEP === 0) yield;
    }
    return lines.join('\n');
  }

  #lineWriter(section: CaptureSection): (line: string, number: number) => string {
    const free = this.#free;
    const { input, stream } = section;
    if (stream !== 'failure' && (input === 'license' || input === 'options')) {
      const words =
        input === 'license'
          ? new StatementWords(beginsStatement, (word) => licenseWord(word, free))
          : new StatementWords(undefined, (word) => optionsWord(word, free));
      return (line) => words.line(line);
    }
    const unread = this.#collected.unread.get(section);
    const isParsed = stream !== 'failure' && input !== 'log';
    return (line, number) => {
      if (line.length > MAX_LINE) return masked(line);
      if (/^\s*vendor_string:/i.test(line)) return line.replace(/(?<=vendor_string:).*/is, masked);
      const isUnderstood = isParsed && unread?.has(number) === false;
      return replaceSpans(line, spansOf(section, line, isUnderstood, this.#localTime), free, isUnderstood);
    };
  }
}
