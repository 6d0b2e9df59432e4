import { type FailureKind, QueryError } from '../../base/model/failure.ts';
import type { Log } from '../../base/model/log.ts';
import type { PolledAnswers } from '../../base/model/snapshot.ts';
import type { QueryClient } from '../client/query-client.ts';

/** The parameter `search` (spec 4.5): 0 features, 1 also packages, 2 also components; `none` omits it. */
export type SearchLevel = 'none' | '0' | '1' | '2';

/** Failures that the search level may cause. */
export const searchRefusals: ReadonlySet<FailureKind> = new Set(['status', 'timeout', 'too_large', 'parse', 'schema']);

/** Consecutive refusals after which the search level is no longer sent for a vendor license. */
const MAX_REFUSALS = 2;

type Expirations = PolledAnswers['GetExpirationFeatures'];

interface SearchOptions {
  readonly client: Pick<QueryClient<PolledAnswers>, 'getExpirationFeatures'>;
  readonly level: SearchLevel;
  readonly log: Log;
}

/**
 * Requests GetExpirationFeatures with a search level, which is "for internal use" (spec 4.5). If the server refuses it, or
 * returns fewer records with it, requests are sent without it. This is compared once for each vendor license.
 */
export function createExpirationSearch({ client, level, log }: SearchOptions) {
  /** Vendor licenses that are requested without a search level. */
  const without = new Set<string>();
  const compared = new Set<string>();
  const refusals = new Map<string, number>();
  let isLogged = false;

  const giveUp = (product: string, reason: string): void => {
    without.add(product);
    if (isLogged) return;
    isLogged = true;
    const fields = { endpoint: 'GetExpirationFeatures', part: product, level, reason };
    log.info(fields, 'search level does not work, requesting without it; packages and components may be missing');
  };

  /** Retries a refused request without the search level. Only if that succeeds, the search level was the cause. */
  const requestPlain = async (
    product: string,
    failure: QueryError,
    signal: AbortSignal,
    before: Expirations | undefined,
  ) => {
    const answer = await client.getExpirationFeatures({ product }, signal, before);
    const count = (refusals.get(product) ?? 0) + 1;
    refusals.set(product, count);
    if (count >= MAX_REFUSALS) giveUp(product, failure.message);
    return answer;
  };

  /** The answer without the search level if it has more records, else `undefined`. */
  const compare = async (product: string, answer: Expirations, signal: AbortSignal) => {
    try {
      const plain = await client.getExpirationFeatures({ product }, signal, answer);
      compared.add(product);
      const [found, count] = [answer.records.length, plain.records.length];
      if (count <= found) return undefined;
      giveUp(product, `${found} records with it, ${count} without`);
      return plain;
    } catch (error) {
      // compared again later
      if (error instanceof QueryError && !signal.aborted) return undefined;
      throw error;
    }
  };

  return async (product: string, signal: AbortSignal, before?: Expirations): Promise<Expirations> => {
    if (level === 'none' || without.has(product)) return client.getExpirationFeatures({ product }, signal, before);
    try {
      const answer = await client.getExpirationFeatures({ product, search: level }, signal, before);
      refusals.delete(product);
      if (compared.has(product)) return answer;
      return (await compare(product, answer, signal)) ?? answer;
    } catch (error) {
      if (!(error instanceof QueryError) || !searchRefusals.has(error.kind) || signal.aborted) throw error;
      return requestPlain(product, error, signal, before);
    }
  };
}
