import { QueryError } from '../../../base/model/failure.ts';
import type { Answer } from '../../../base/model/records.ts';
import type { PolledAnswers } from '../../../base/model/snapshot.ts';
import { type EndpointName, endpoints } from '../../../base/query-api/endpoints.ts';
import { runSliced } from '../../../base/scheduling/slices.ts';
import type { ExpirationSection } from '../settings.ts';
import { structureLimitsOf } from './body-limits.ts';
import { BodyRecords } from './body-records.ts';
import type { Answers } from './decode.ts';
import type { Decoder, IncomingAnswer } from './decoder.ts';
import { createLocalDecoder } from './local-decoder.ts';
import { expirations, features, products, type RecordKind, serversDown } from './record-kinds.ts';

/** The answers that are read record by record. */
const kinds: Readonly<Partial<Record<EndpointName, RecordKind<unknown>>>> = {
  GetProducts: products,
  GetFeatures: features,
  GetServerDown: serversDown,
  GetExpirationFeatures: expirations,
};

/** Another body up to this size is decoded at once in this thread, bytes. It takes a few milliseconds. */
const SMALL = 256 * 1024;
/** Smaller chunks are collected, bytes: about what one read of a socket returns. */
const LEAST = 32 * 1024;
/** More bytes are accepted, but should wait. Otherwise a whole body would be in memory at once. */
const MOST_UNREAD = 8 * 1024 * 1024;

/** How polled answers are decoded. */
interface PolledDecoderOptions extends Pick<ExpirationSection, 'permanentAfter'> {
  /** Decodes large bodies that have no records: in another thread, because it blocks its own. */
  readonly whole: Decoder<Answers>;
}

/** Decodes polled answers in this thread, in slices. */
export function createPolledDecoder({ permanentAfter, whole }: PolledDecoderOptions): Decoder<PolledAnswers> {
  const local = createLocalDecoder({ permanentAfter });
  const closing = new AbortController();

  const openRecords = <R>(endpoint: EndpointName, kind: RecordKind<R>, before: unknown): IncomingAnswer<Answer<R>> => {
    const records = new BodyRecords<R>({
      kind,
      isNested: endpoints[endpoint].answer === 'nested-records',
      permanentAfter,
      limits: structureLimitsOf(endpoint),
      before: before as Answer<R> | undefined,
    });
    const { promise, resolve, reject } = Promise.withResolvers<Answer<R>>();
    // a failure before the caller waits for the result must not end the process
    promise.catch(() => undefined);
    const aborting = new AbortController();
    let last: Promise<unknown> = Promise.resolve();
    /** What comes after an error is not read. */
    const then = (work: () => unknown): void => {
      last = last.then(() => {
        closing.signal.throwIfAborted();
        return aborting.signal.aborted ? undefined : work();
      });
      last.catch(reject);
    };
    let collected: Buffer[] = [];
    let size = 0;
    let unread = 0;
    /** Reads what is collected: a record that goes on in the next chunk is begun again there. */
    const read = (): void => {
      const [first, ...others] = collected;
      if (first === undefined) return;
      const chunk = others.length === 0 ? first : Buffer.concat(collected);
      collected = [];
      size = 0;
      // its memory is freed when it was read
      const { length } = chunk;
      unread += length;
      then(async () => {
        await runSliced(records.read(chunk));
        unread -= length;
      });
    };
    return {
      write: (chunk) => {
        collected.push(chunk);
        size += chunk.length;
        if (size >= LEAST) read();
        // it resolves also after an error
        return unread > MOST_UNREAD
          ? last.then(
              () => undefined,
              () => undefined,
            )
          : undefined;
      },
      end: () => {
        read();
        then(async () => resolve(await runSliced(records.end())));
      },
      abort: () => aborting.abort(),
      result: promise,
    };
  };

  const openWhole = <T>(endpoint: EndpointName): IncomingAnswer<T> => {
    const chunks: Buffer[] = [];
    const { promise, resolve } = Promise.withResolvers<T>();
    promise.catch(() => undefined);
    return {
      write: (chunk) => {
        chunks.push(chunk);
        return undefined;
      },
      end: () => {
        const isSmall = chunks.reduce((sum, { length }) => sum + length, 0) <= SMALL;
        const answer = (isSmall ? local : whole).open(endpoint);
        for (const chunk of chunks.splice(0)) answer.write(chunk);
        answer.end();
        resolve(answer.result as Promise<T>);
      },
      abort: () => void chunks.splice(0),
      result: promise,
    };
  };

  return {
    open: <E extends EndpointName & keyof PolledAnswers>(endpoint: E, before?: PolledAnswers[E]) => {
      const kind = kinds[endpoint];
      if (kind === undefined) return openWhole<PolledAnswers[E]>(endpoint);
      return openRecords(endpoint, kind, before) as unknown as IncomingAnswer<PolledAnswers[E]>;
    },
    close: async () => {
      closing.abort(new QueryError('aborted', 'the client is closed'));
      await local.close();
    },
  };
}
