import { type EndpointName, endpointNames, type ParametersOf } from '../../base/query-api/endpoints.ts';
import type { Answers } from '../inventory/decoding/decode.ts';
import type { Decoder } from '../inventory/decoding/decoder.ts';
import type { Transport } from './transport.ts';

/**
 * One method per endpoint of the Query API. Each throws only `QueryError`. `A` is the type of the answer of each endpoint, `before`
 * an earlier answer to the same question.
 */
export type QueryClient<A = Answers> = {
  readonly [E in EndpointName & keyof A as Uncapitalize<E>]: (
    parameters: ParametersOf<E>,
    signal: AbortSignal,
    before?: A[E],
  ) => Promise<A[E]>;
};

/** The client of the Query API whose answers this decoder decodes. It closes neither transport nor decoder. */
export function createQueryClient<A>(transport: Transport, decoder: Decoder<A>): QueryClient<A> {
  const method =
    <E extends EndpointName & keyof A>(endpoint: E) =>
    (parameters: ParametersOf<E>, signal: AbortSignal, before?: A[E]): Promise<A[E]> =>
      transport.request(endpoint, parameters, signal, decoder, before);
  const methods = endpointNames.map((name) => [
    `${name[0]?.toLowerCase()}${name.slice(1)}`,
    method(name as EndpointName & keyof A),
  ]);
  return Object.fromEntries(methods) as QueryClient<A>;
}
