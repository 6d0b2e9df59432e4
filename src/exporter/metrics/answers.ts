import type { Block } from './family.ts';
import { assembleGzip, type Deflated, deflateEnd, inflatePieces } from './gzip.ts';
import type { Format } from './negotiation.ts';

/** The bytes of an answer, ready to be written, or inflated while they are sent. */
export type Body = Buffer | readonly Uint8Array[] | AsyncIterable<Buffer>;

interface Answer {
  readonly body: Body;
  /** Bytes. */
  readonly length: number;
}

/** What is asked for. The blocks are in page order. */
interface Question {
  readonly format: Format;
  readonly isGzip: boolean;
  readonly blocks: readonly string[];
}

/** The state of a page. Answers are shared while all of it is the same object. */
interface PageState {
  /** By name. Empty before the first inventory is rendered. */
  readonly blocks: Readonly<Record<string, Block>>;
  /** Renders the end of the page: the state of polling and the exporter's own metrics. */
  readonly renderTail: (format: Format) => Promise<Buffer>;
}

/** The end of the page is sampled at most once in this time, milliseconds. */
const SAMPLE_MS = 1_000;
/** Up to this size, the answer is joined to one buffer, bytes. Larger ones are not copied. */
const JOIN_BYTES = 4 * 1024 * 1024;
/**
 * Up to this size, plain text is kept until the next sample, bytes: a few thousand features. It is about 20 times as large as
 * the compressed form, which Prometheus asks for.
 */
const KEEP_PLAIN_BYTES = 8 * 1024 * 1024;

interface Tail {
  readonly plain: Buffer;
  readonly end: Deflated;
}

const totalLength = (parts: readonly { readonly length: number }[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0);

/** Answers that are shared by all scrapes of the same second, so that a scrape only writes finished bytes. */
export class SharedAnswers {
  readonly #nowMs: () => number;
  #sample: { readonly until: number; readonly tag: unknown } | undefined;
  readonly #tails = new Map<Format, Promise<Tail>>();
  readonly #answers = new Map<string, Promise<Answer>>();

  /** @param nowMs a monotonic clock, milliseconds */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Drops all answers. The next page shows the state of that moment. */
  clear(): void {
    this.#sample = undefined;
  }

  /** @param tag answers are dropped when it changes */
  answer(question: Question, state: PageState, tag: unknown): Promise<Answer> {
    const now = this.#nowMs();
    if (this.#sample === undefined || now >= this.#sample.until || this.#sample.tag !== tag) {
      this.#sample = { until: now + SAMPLE_MS, tag };
      this.#tails.clear();
      this.#answers.clear();
    }
    const { format, isGzip, blocks } = question;
    const key = `${format} ${isGzip} ${blocks.join()}`;
    return keepIn(this.#answers, key, () => this.#create(question, state));
  }

  async #create({ format, isGzip, blocks: names }: Question, { blocks, renderTail }: PageState): Promise<Answer> {
    // one answer uses one set of blocks, even if they are replaced meanwhile
    const shown = names.flatMap((name) => blocks[name] ?? []);
    const isWhole = names.length >= Object.keys(blocks).length;
    const tail = await keepIn(this.#tails, format, async () => {
      const plain = await renderTail(format);
      return { plain, end: deflateEnd(plain) };
    });
    if (isGzip) return joined(assembleGzip(shown, tail.end), isWhole);
    const length = totalLength(shown) + tail.plain.length;
    if (length > KEEP_PLAIN_BYTES || !isWhole) return { length, body: inflating(shown, tail.plain) };
    return joined(await Array.fromAsync(inflating(shown, tail.plain)), isWhole);
  }
}

/** Keeps a value, or the attempt to create it. A failed attempt is not kept. */
function keepIn<K, V>(kept: Map<K, Promise<V>>, key: K, create: () => Promise<V>): Promise<V> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const created = create();
  kept.set(key, created);
  created.catch(() => kept.get(key) === created && kept.delete(key));
  return created;
}

/** @param isWhole whether it is the whole page. Parts of it are too many to keep a copy of each */
function joined(parts: readonly Uint8Array[], isWhole: boolean): Answer {
  const length = totalLength(parts);
  return { length, body: isWhole && length <= JOIN_BYTES ? Buffer.concat(parts, length) : parts };
}

/** Can be iterated more than once. */
const inflating = (blocks: readonly Block[], tail: Buffer): AsyncIterable<Buffer> => ({
  async *[Symbol.asyncIterator]() {
    for (const { pieces } of blocks) yield* inflatePieces(pieces);
    yield tail;
  },
});
