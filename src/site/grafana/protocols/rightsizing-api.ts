import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvParts } from '../../../base/model/csv-text.ts';
import { slicedBody } from '../../../base/scheduling/sliced-body.ts';
import { inTurn } from '../../../base/scheduling/slices.ts';
import type { Backend } from '../answers/backend.ts';
import { DatasourceError } from '../answers/errors.ts';
import { type Cell, keyOf, LazyList, type Table, type TargetAnswer } from '../answers/panel-data.ts';
import { type Query, show } from '../answers/query.ts';
import { readQuery } from '../answers/read-query.ts';
import { answerRightsizing } from '../answers/rightsizing-answers.ts';
import { answerBody, withDeadline } from './answer-text.ts';
import { sendError } from './api-error.ts';
import { toDatasourceError } from './routes.ts';
import { rowValues, SEMICOLON_HINT } from './rows.ts';

/** `/api/v1/rightsizing`: the advice on the number of licenses, for scripts and spreadsheets. */

/** What the paths of advice need of the program that serves them. */
export interface RightsizingApiOptions {
  /** The current backend for the user of a request. */
  readonly backend: (request: FastifyRequest) => Backend;
  /** Deadline of a request in seconds. */
  readonly deadline: () => number;
  /** Called with errors that are bugs. */
  readonly onProblem: (error: unknown) => void;
}

type Parameters = Readonly<Record<string, string | readonly string[]>>;

const formats = ['json', 'csv'] as const;

interface Request {
  readonly format: (typeof formats)[number];
  readonly query: Query;
  /** `undefined` if all rows are wanted. */
  readonly limit: number | undefined;
  readonly skip: number;
}

/** Rows of a page of JSON. */
const PAGE = '100';
const MAX_SKIP = 10_000_000;

const bad = (message: string): DatasourceError => new DatasourceError('bad_parameter', `rightsizing: ${message}`);

function formatOf(raw: unknown): Request['format'] {
  const found = formats.find((format) => format === (raw ?? 'json'));
  if (found === undefined) throw bad(`format is ${show(raw)}, not one of ${formats.join(', ')}`);
  return found;
}

function offsetOf(raw: unknown): number {
  const skip = raw === undefined ? 0 : /^\d{1,8}$/.test(String(raw)) ? Number(raw) : Number.NaN;
  if (!(skip <= MAX_SKIP)) throw bad(`offset is ${show(raw)}, not an integer from 0 to ${MAX_SKIP}`);
  return skip;
}

/** @throws DatasourceError with the parameter and its valid values */
function readRequest({ format: rawFormat, offset, ...rest }: Parameters): Request {
  const format = formatOf(rawFormat);
  const query = readQuery({
    target: 'rightsizing',
    payload: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, rowValues(value)])),
    range: { from: undefined, to: undefined },
    filters: [],
    prefix: '',
    hint: SEMICOLON_HINT,
  });
  const top = query.values.top ?? (format === 'json' ? PAGE : undefined);
  return { format, query, limit: top === undefined ? undefined : Number(top), skip: offsetOf(offset) };
}

/** The next page, relative to the address of the request; `undefined` after the last one. */
function nextOf(parameters: Parameters, { limit, skip }: Request, total: number): string | undefined {
  if (limit === undefined || skip + limit >= total) return undefined;
  const { offset: _, ...others } = parameters;
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries(others)) {
    for (const item of [value].flat()) next.append(name, item);
  }
  next.append('offset', String(skip + limit));
  return `?${next}`;
}

/** The rows with times as texts. */
function datedRows({ columns, rows }: Table): LazyList<readonly Cell[]> {
  const isTime = columns.map(({ type }) => type === 'time');
  const shown = (value: Cell, i: number): Cell =>
    isTime[i] === true && typeof value === 'number' ? new Date(value).toISOString() : value;
  return new LazyList(() => Iterator.from(rows).map((row) => row.map(shown)));
}

async function send(
  reply: FastifyReply,
  parameters: Parameters,
  request: Request,
  answer: TargetAnswer,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const [table] = answer.items as readonly Table[];
  if (table === undefined) throw new Error('unreachable: every shape is a table');
  const keys = table.columns.map(({ text }) => keyOf(text));
  const rows = datedRows(table);
  const total = answer.total ?? 0;
  const next = request.query.shape === 'table' ? nextOf(parameters, request, total) : undefined;
  reply.header('cache-control', 'no-store');
  if (next !== undefined) reply.header('link', `<${next}>; rel="next"`);
  if (request.format === 'csv') {
    return reply
      .header('content-type', 'text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="rightsizing.csv"')
      .send(await slicedBody(csvParts(keys, rows), signal));
  }
  const data = new LazyList(() =>
    Iterator.from(rows).map((row) => Object.fromEntries(keys.map((key, i) => [key, row[i] ?? null]))),
  );
  const notices = answer.notices.map(({ text }) => text);
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(await answerBody({ status: 'success', total, next: next ?? null, notices, data }, signal));
}

/** The route, and the format of its errors. */
export const rightsizingApiRoutes = ({ backend, deadline, onProblem }: RightsizingApiOptions) => ({
  '/': (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    withDeadline(reply, deadline(), async (signal) => {
      const parameters = request.query as Parameters;
      const asked = readRequest(parameters);
      const { query, limit = Number.POSITIVE_INFINITY, skip } = asked;
      const current = backend(request);
      const answer = await inTurn(() => answerRightsizing(query, current.inventory(), current, { skip, limit }));
      return send(reply, parameters, asked, answer, signal);
    }).catch((error: unknown) => {
      const known = toDatasourceError(error);
      if (known === undefined) onProblem(error);
      return sendError(reply, known?.status ?? 500, known?.message ?? 'internal error, see the log');
    }),
});
