import type { FastifyRequest } from 'fastify';
import { WHOLE } from '../../../base/model/snapshot.ts';
import type { Backend } from '../answers/backend.ts';
import { DatasourceError } from '../answers/errors.ts';
import { requireFresh } from '../answers/known-data.ts';
import { type Json, payloadOf, requireObject, unescapePayload } from '../answers/payload.ts';
import { readTexts } from '../answers/query.ts';
import { readTargetName } from '../answers/read-query.ts';
import { payloadOptions, tagKeys, tagValues, targetOptions } from './option-lists.ts';
import { answerRows } from './rows.ts';
import { answerQuery, answerVariable } from './simpod.ts';

/** What answers the routes of Grafana. */

interface HealthAnswer {
  readonly status: 'ok';
  readonly vendor_licenses: number;
  readonly polled_at: string;
}

/**
 * Whether the analyzer answered the last poll of GetProducts. Everything else depends on it.
 *
 * @throws DatasourceError if it did not
 */
export function health({ inventory }: Backend): HealthAnswer {
  const known = inventory();
  if (known === undefined) throw new DatasourceError('upstream_down', 'the analyzer has not been polled yet');
  try {
    requireFresh(known, 'GetProducts', () => true);
    const { vendorLicenses, readings } = known;
    const { failure, goodAt = 0 } = readings.of('GetProducts')?.parts.get(WHOLE) ?? {};
    if (failure !== undefined) throw new Error(`GetProducts: ${failure.message}`);
    return { status: 'ok', vendor_licenses: vendorLicenses.length, polled_at: new Date(goodAt * 1000).toISOString() };
  } catch (error) {
    throw new DatasourceError('upstream_down', (error as Error).message);
  }
}

type Handler = (request: FastifyRequest, backend: Backend, signal: AbortSignal) => Promise<unknown> | unknown;

const post =
  (answer: (body: Json, current: Backend, signal: AbortSignal) => unknown): Handler =>
  (request, current, signal) =>
    answer(requireObject(request.body ?? {}, 'the body'), current, signal);

const products = ({ payload }: Json): readonly string[] =>
  readTexts('product', unescapePayload(payloadOf(payload, 'payload')).product, true);

/** By the names of the table of routes. */
export const handlers = {
  health: (_, current) => health(current),
  query: post(answerQuery),
  metrics: post((_, { users }) => targetOptions(users.refusal() === undefined)),
  payloadOptions: post((body, { inventory }) => payloadOptions(body.name, inventory(), products(body))),
  variable: post(answerVariable),
  tagKeys: post(() => tagKeys()),
  tagValues: post(({ key }, { inventory }) => tagValues(key, inventory())),
  rows: (request, current, signal) => {
    const { target } = request.params as { target: string };
    const parameters = request.query as Readonly<Record<string, string | readonly string[]>>;
    return answerRows(readTargetName(target), parameters, current, signal);
  },
} as const satisfies Readonly<Record<string, Handler>>;
