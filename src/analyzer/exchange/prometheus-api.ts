import { z } from 'zod';
import { OperatorError } from '../../base/model/operator-error.ts';

/** A server with the HTTP API of Prometheus: Prometheus itself, Thanos, Mimir, VictoriaMetrics. */

export interface PrometheusServer {
  /** Base address, with a prefix of the path if there is one. */
  readonly url: string;
  /** The value of the header `Authorization`. */
  readonly authorization: string | undefined;
}

export interface MatrixSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Epoch seconds and value. */
  readonly values: readonly (readonly [at: number, value: number])[];
}

const TIMEOUT_MS = 120_000;

const matrix = z.object({
  data: z.object({
    resultType: z.literal('matrix'),
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.number(), z.string()])),
      }),
    ),
  }),
});

const series = z.object({ data: z.array(z.record(z.string(), z.string())) });

/** A name and a password in an address must not reach a message. */
const shown = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
};

async function ask<T>(
  { url, authorization }: PrometheusServer,
  path: string,
  parameters: Readonly<Record<string, string>>,
  schema: z.ZodType<T>,
): Promise<T> {
  const address = `${url.replace(/\/+$/, '')}/api/v1/${path}`;
  const failed = (why: string, cause?: unknown): OperatorError =>
    new OperatorError(`${shown(url)} does not answer as Prometheus does: ${why}`, { cause });
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(address, {
      method: 'POST',
      body: new URLSearchParams(parameters),
      headers: authorization === undefined ? {} : { authorization },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    body = await response.json();
  } catch (error) {
    const { cause, message } = error as Error;
    throw failed(cause instanceof Error ? cause.message : message, error);
  }
  if (!response.ok) {
    const { error } = body as { error?: unknown };
    const hint = response.status === 401 ? '; pass --authorization-file' : '';
    throw failed(`${response.status} ${String(error ?? response.statusText)}${hint}`);
  }
  const read = schema.safeParse(body);
  if (!read.success) throw failed('the answer has another form');
  return read.data;
}

/** Samples from one second to another, both included, every `step` seconds. @throws OperatorError */
export async function queryRange(
  server: PrometheusServer,
  query: string,
  { from, to, step }: { readonly from: number; readonly to: number; readonly step: number },
): Promise<readonly MatrixSeries[]> {
  const parameters = { query, start: String(from), end: String(to), step: String(step) };
  const { data } = await ask(server, 'query_range', parameters, matrix);
  return data.result.map(({ metric, values }) => ({
    labels: metric,
    values: values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
  }));
}

/** The labels of the series of a metric in a time. @throws OperatorError */
export async function labelsOf(
  server: PrometheusServer,
  metric: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly Readonly<Record<string, string>>[]> {
  const parameters = { 'match[]': metric, start: String(from), end: String(to) };
  return (await ask(server, 'series', parameters, series)).data;
}
