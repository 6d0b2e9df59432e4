import { SourceFailure, type SourceFailureKind, sourceFailureKinds } from '../../model/observation/source-failure.ts';
import { readLogLine } from '../flexnet/debug-log-line.ts';
import type { LicenseSupply } from '../flexnet/inventory.ts';
import { parseLicenseFile } from '../flexnet/license-file.ts';
import { parseLmstat } from '../flexnet/lmstat.ts';
import { parseLmstatInventory } from '../flexnet/lmstat-inventory.ts';
import { observeFlexnet } from '../flexnet/observe.ts';
import { parseOptionsFile } from '../flexnet/options-file.ts';
import { type FlexnetSettings, lmstatContext, noMemory } from '../flexnet/settings.ts';
import { observeSupplies } from '../flexnet/supplied-licenses.ts';
import { parseObservations } from '../json/observations.ts';
import { DiagnosticsCount, linesOf, type OnUnread, type UnreadPart } from '../lines.ts';
import type { Parsed } from '../parsed.ts';
import { cutFailure } from '../rlm/failure.ts';
import { observeRlm } from '../rlm/observe.ts';
import { parseRlmstat } from '../rlm/parse.ts';
import { createSourceTime, type SourceTime } from '../times.ts';
import { type Capture, type InputKind, inputKinds, type ReadSection } from './capture-file.ts';

/** The texts of a capture, read as those of a source are. */

export interface Replayed {
  /** Several if each server of a source was asked. */
  readonly results: readonly Parsed[];
  readonly failures: readonly SourceFailure[];
  /** Lines are those of the capture. */
  readonly unread: readonly (UnreadPart & { readonly input: InputKind })[];
  /** Lines about refused requests in the debug log, if the capture has one; a source counts repeated ones once. */
  readonly denials: number | undefined;
}

class Replay {
  readonly results: Parsed[] = [];
  readonly failures: SourceFailure[] = [];
  readonly unread: (UnreadPart & { readonly input: InputKind })[] = [];
  readonly #capture: Capture;
  readonly #localTime: SourceTime;

  constructor(capture: Capture) {
    this.#capture = capture;
    this.#localTime = createSourceTime(capture.header.timeZone, capture.header.timeZone);
  }

  *run(): Generator<void, void> {
    const { header, sections } = this.#capture;
    for (const { stream, input, text } of sections)
      if (stream === 'failure') this.failures.push(failureOf(input, text.trim()));
    if (header.manager === 'flexnet') yield* this.#try(() => this.#flexnet());
    for (const section of this.#outputs('rlmstat')) yield* this.#try(() => this.#rlm(section));
    for (const section of this.#outputs('document')) yield* this.#try(() => this.#document(section));
  }

  /** Reads the lines of the debug log. @returns refused requests */
  denials(): number | undefined {
    const sections = this.#sections('log');
    if (sections.length === 0) return undefined;
    let denials = 0;
    for (const section of sections) {
      const diagnostics = new DiagnosticsCount(this.#onUnread(section));
      for (const line of linesOf(section.text)) {
        diagnostics.startLine();
        const event = readLogLine(line)?.event;
        if (event === 'unparsed') diagnostics.addUnparsed(line);
        else if (event?.kind === 'denied') denials += 1;
      }
    }
    return denials;
  }

  *#try(read: () => Generator<void, Parsed | undefined>): Generator<void, void> {
    try {
      const parsed = yield* read();
      if (parsed !== undefined) this.results.push(parsed);
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      this.failures.push(error);
    }
  }

  #sections(input: InputKind): readonly ReadSection[] {
    return this.#capture.sections.filter((one) => one.input === input && one.stream !== 'failure');
  }

  /** Standard output of each run, or standard error if that is empty: some tools print everything there. */
  #outputs(input: InputKind): readonly ReadSection[] {
    const runs = Map.groupBy(this.#sections(input), ({ of }) => of);
    const isOutput = ({ stream, text }: ReadSection): boolean => stream !== 'stderr' && text.trim() !== '';
    return [...runs.values()].flatMap(
      (run) => run.find(isOutput) ?? run.find(({ stream }) => stream === 'stderr') ?? run.slice(0, 1),
    );
  }

  #onUnread({ line: first, input }: ReadSection): OnUnread {
    return (part) => this.unread.push({ ...part, line: first + part.line - 1, input });
  }

  get #settings(): FlexnetSettings {
    const { servers, daemons, lingerAtLeast, split } = this.#capture.header;
    const features = { include: [], exclude: [] };
    return {
      servers,
      part: '',
      daemons,
      lingerAtLeast,
      split,
      dropUnsupported: true,
      features,
      localTime: this.#localTime,
    };
  }

  *#flexnet(): Generator<void, Parsed | undefined> {
    const { header } = this.#capture;
    const localTime = this.#localTime;
    const settings = this.#settings;
    const fileSupply = this.#sections('license').flatMap(
      (section) =>
        parseLicenseFile(section.text, { now: header.time, localTime, onUnread: this.#onUnread(section) }).supplies,
    );
    const options = new Map(
      this.#sections('options').map((section) => {
        const { of: daemon = '', text } = section;
        return [daemon, parseOptionsFile(text, daemon, this.#onUnread(section)).reserves] as const;
      }),
    );
    const inventory: LicenseSupply[] = [];
    for (const section of this.#outputs('inventory')) {
      const onUnread = this.#onUnread(section);
      const { supply } = yield* parseLmstatInventory(section.text, { localTime, onUnread });
      for (const one of supply) inventory.push(one);
    }
    const [output] = this.#outputs('lmstat');
    const supplies = this.#sections('license').length > 0 ? { fileSupply } : { inventory };
    if (output === undefined) return this.#withoutServer([...fileSupply, ...inventory]);
    const at = output.at ?? header.time;
    const context = { ...lmstatContext(settings, noMemory, at), onUnread: this.#onUnread(output) };
    const report = yield* parseLmstat(output.text, context);
    const stderr = this.#sections('lmstat').find(({ stream }) => stream === 'stderr')?.text ?? '';
    const exit = { code: output.exitCode, stderr };
    const run = { at, isCommand: header.via === 'command', exit };
    return yield* observeFlexnet({ report, ...supplies, options, settings, memory: noMemory, output: run });
  }

  #withoutServer(supplies: Parameters<typeof observeSupplies>[0]): Parsed | undefined {
    if (supplies.length === 0) return undefined;
    return {
      vendorLicenses: observeSupplies(supplies, this.#settings, this.#capture.header.time),
      problems: [],
      members: [],
      referenceTime: undefined,
      diagnostics: { unparsed: 0, masks: [], contradictions: 0 },
    };
  }

  *#rlm(section: ReadSection): Generator<void, Parsed> {
    const { servers, time } = this.#capture.header;
    const localTime = this.#localTime;
    const report = yield* parseRlmstat(section.text, { localTime, onUnread: this.#onUnread(section) });
    const number = /^server (\d{1,4})$/.exec(section.of ?? '')?.[1] ?? 1;
    const settings = { server: servers[Number(number) - 1] ?? 'the server', part: '' };
    if (this.#capture.header.via === 'command' && report.isCut) throw cutFailure(settings.server);
    return yield* observeRlm({ report, settings, context: { now: section.at ?? time, localTime } });
  }

  *#document(section: ReadSection): Generator<void, Parsed> {
    const { time: now, interval, via } = this.#capture.header;
    const writtenAt = via === 'file' ? section.at : undefined;
    const context = { now, writtenAt, interval, localTime: this.#localTime, part: '', memory: undefined };
    return yield* parseObservations(section.text, context);
  }
}

function failureOf(input: InputKind, written: string): SourceFailure {
  const kind = Object.hasOwn(sourceFailureKinds, written) ? (written as SourceFailureKind) : 'exit';
  return new SourceFailure(kind, `${inputKinds[input]} could not be read: ${sourceFailureKinds[kind]}`);
}

export function* replay(capture: Capture): Generator<void, Replayed> {
  const run = new Replay(capture);
  yield* run.run();
  const denials = run.denials();
  const unread = run.unread.toSorted((a, b) => a.line - b.line);
  return { results: run.results, failures: run.failures, unread, denials };
}
