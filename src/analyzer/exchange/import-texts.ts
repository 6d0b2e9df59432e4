import { readFile } from 'node:fs/promises';
import type { LocalTime } from '../../base/model/local-time.ts';
import { type VendorLicenseObservation, vendorLicenseName } from '../../base/model/observation/observation.ts';
import { SLOT } from '../history/imported-samples.ts';
import type { DayOfSamples, Figures, Sample, Series } from '../history/sample.ts';
import { figuresOf } from '../history/sample.ts';
import { createSlots } from '../history/slots.ts';
import { contentStream, type InputFile, type LeftOut } from './input-files.ts';

/** What a text of a tool says. */
export interface ReadText {
  /** When it was printed, epoch seconds; undefined if it does not say so. */
  readonly at: number | undefined;
  readonly observations: readonly VendorLicenseObservation[];
  /** Numbers of lines that are not understood, from 1. */
  readonly unread: readonly number[];
}

/** The texts, how they are read, and where their days go. */
export interface TextImportOptions {
  /** In the order in which they were written, as far as it is known. */
  readonly files: readonly InputFile[];
  /** Undefined for a text that no tool prints. @param now for one that does not say when it was printed */
  readonly readText: (text: string, now: number) => ReadText | undefined;
  /** The calendar of the history. */
  readonly localTime: LocalTime;
  readonly write: (days: readonly DayOfSamples[]) => void;
  readonly onProgress: (name: string, read: number, all: number) => void;
}

/** What was found in texts, and what was not. */
export interface TextImport {
  readonly texts: number;
  /** Files whose own time is used, because their text has none. */
  readonly guessed: readonly string[];
  readonly leftOut: readonly LeftOut[];
  readonly unparsed: readonly { readonly name: string; readonly line: number }[];
  readonly unparsedCount: number;
}

const MAX_NAMED = 20;
/** A larger file is no output of a tool. */
const MAX_SIZE = 1 << 28;
/** Nobody knows what happens between two texts: a figure stands no longer than an analyzer may wait. */
const MAX_SECONDS = 3600;
/** Where the output of `lmstat` begins, if one file has several. */
const BEGINNING = /^(?=lmstat - Copyright |lmutil - Copyright )/m;

/** Figures of a vendor license at a moment. */
interface Moment {
  readonly at: number;
  readonly figures: ReadonlyMap<string, readonly [Series, Figures]>;
}

/** The moments of a vendor license on one local day. */
interface Day {
  readonly day: number;
  readonly moments: Moment[];
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? MAX_SECONDS;

/** Days of vendor licenses, written when texts of later days come. */
class TextDays {
  readonly #localTime: LocalTime;
  readonly #write: TextImportOptions['write'];
  readonly #days = new Map<string, Day>();

  constructor({ localTime, write }: Pick<TextImportOptions, 'localTime' | 'write'>) {
    this.#localTime = localTime;
    this.#write = write;
  }

  add(observation: VendorLicenseObservation, at: number): void {
    const name = vendorLicenseName(observation);
    const day = this.#localTime.dayOf(at);
    const known = this.#days.get(name);
    if (known !== undefined && known.day !== day) this.#flush(known);
    const open = known?.day === day ? known : { day, moments: [] };
    this.#days.set(name, open);
    const figures = observation.reachable ? figuresOf(observation, name, at) : [];
    open.moments.push({ at, figures: new Map(figures.map((pair) => [JSON.stringify(pair[0]), pair])) });
  }

  finish(): void {
    for (const day of this.#days.values()) this.#flush(day);
    this.#days.clear();
  }

  #flush({ day, moments }: Day): void {
    const sorted = moments.toSorted((a, b) => a.at - b.at);
    const gaps = sorted.slice(1).map(({ at }, i) => at - (sorted[i] as Moment).at);
    const usual = Math.min(MAX_SECONDS, Math.ceil(median(gaps.filter((gap) => gap > 0)) / SLOT) * SLOT);
    const slots = createSlots(this.#localTime, SLOT);
    const end = this.#localTime.startOf(day + 1);
    const bySeries = new Map<string, { readonly series: Series; readonly samples: Sample[] }>();
    for (const [i, { at, figures }] of sorted.entries()) {
      const from = slots.of(at);
      const next = sorted[i + 1];
      const until = Math.min(from + usual, next === undefined ? end : slots.of(next.at), end);
      for (const [key, [series, known]] of figures) {
        const entry = bySeries.get(key) ?? { series, samples: [] };
        bySeries.set(key, entry);
        for (let slot = from; slot < until; slot = slots.after(slot))
          entry.samples.push({ ...known, at: slot, seconds: slots.after(slot) - slot });
      }
    }
    this.#write([...bySeries.values()].filter(({ samples }) => samples.length > 0).map((one) => ({ ...one, day })));
  }
}

async function textOf(file: InputFile): Promise<string> {
  if (file.compression === undefined) return readFile(file.path, 'utf8');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of contentStream(file)) {
    size += (chunk as Buffer).length;
    if (size > MAX_SIZE) throw new Error('it is too large for an output of a tool');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Imports texts that tools have printed, one or several in each file. */
export async function importTexts(options: TextImportOptions): Promise<TextImport> {
  const { files, readText, onProgress } = options;
  const days = new TextDays(options);
  const guessed = new Set<string>();
  const leftOut: LeftOut[] = [];
  const unparsed: { name: string; line: number }[] = [];
  const all = files.reduce((sum, { size }) => sum + size, 0);
  let [texts, unparsedCount, before] = [0, 0, 0];
  for (const file of files) {
    const { name, writtenAt, size } = file;
    try {
      let line = 0;
      let found = 0;
      for (const text of (await textOf(file)).split(BEGINNING)) {
        const read = readText(text, writtenAt);
        const firstLine = line;
        line += text.split('\n').length - 1;
        if (read === undefined) continue;
        found += 1;
        if (read.at === undefined) guessed.add(name);
        for (const observation of read.observations) days.add(observation, Math.floor(read.at ?? writtenAt));
        unparsedCount += read.unread.length;
        for (const number of read.unread.slice(0, MAX_NAMED - unparsed.length))
          unparsed.push({ name, line: firstLine + number });
      }
      if (found === 0) leftOut.push({ name, why: 'has no text of a license manager' });
      texts += found;
    } catch (error) {
      leftOut.push({ name, why: `cannot be read (${(error as Error).message})` });
    }
    before += size;
    onProgress(name, before, all);
  }
  days.finish();
  return { texts, guessed: [...guessed], leftOut, unparsed, unparsedCount };
}
