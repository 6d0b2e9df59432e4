import type { Backend } from '../answers/backend.ts';
import { DatasourceError } from '../answers/errors.ts';
import { noRowText } from '../answers/notes.ts';
import { flatRows, hasRows, type PanelData, type Table, type TargetAnswer } from '../answers/panel-data.ts';
import {
  type Json,
  payloadOf,
  type RawPayload,
  requireObject,
  restoreVariables,
  unescapePayload,
} from '../answers/payload.ts';
import { type Query, readFilters, readRange, readTexts, show } from '../answers/query.ts';
import { readQuery, readTargetName } from '../answers/read-query.ts';
import { answerTarget, type Target, targets } from '../answers/targets.ts';
import { requireUsers } from '../answers/user-names.ts';
import { namesOf } from './option-lists.ts';

/** Requests of simpod-json-datasource: several targets at once, and variables. */

const EMPTY_PAYLOAD =
  'the payload is empty. The usual causes are a multi-value variable inside quotes (write {"feature":$feature}, ' +
  'without quotes) and a variable value with a backslash or a double quote: both make the payload invalid JSON, which the ' +
  'plugin replaces with {}';

/** Maximum number of targets of a request. */
const MAX_TARGETS = 100;

interface QueryTarget {
  readonly refId: string | undefined;
  readonly raw: Json;
}

function targetsOf(body: Json): readonly QueryTarget[] {
  const { targets: list } = body;
  if (!Array.isArray(list)) throw new DatasourceError('bad_request', 'the request has no array "targets"');
  if (list.length > MAX_TARGETS) {
    throw new DatasourceError('too_many', `the request has ${list.length} targets, the maximum is ${MAX_TARGETS}`);
  }
  return list
    .map((raw, i) => requireObject(raw, `targets[${i}]`))
    .filter(({ hide, target }) => hide !== true && target !== undefined && target !== '')
    .map((raw) => ({ refId: typeof raw.refId === 'string' ? raw.refId : undefined, raw }));
}

function readTarget({ raw }: QueryTarget, body: Json): Query {
  const target = readTargetName(raw.target);
  const sent = payloadOf(raw.payload, `${target}: payload`);
  const restored = restoreVariables(sent, body.scopedVars);
  const payload = raw.editorMode === 'builder' ? unescapePayload(restored) : restored;
  const filters = [...readFilters(body.filters), ...readFilters(body.adhocFilters)];
  const { required }: Target = targets[target];
  if (Object.keys(payload).length === 0 && required.length > 0 && filters.length === 0) {
    throw new DatasourceError('empty_payload', `${target}: ${EMPTY_PAYLOAD}`);
  }
  const range = readRange(body.range as object | undefined, 'range.');
  return readQuery({ target, payload, range, filters, prefix: 'payload.' });
}

/** A table without rows has no columns: Grafana then shows the text of the panel for no data, and not a bare header. */
function withoutHeader(item: PanelData): object {
  return hasRows(item) ? item : { ...item, columns: [], rows: [] };
}

/** One text as the only row. The columns of the panel do not apply to it, so it has no link and no colour. */
const textTable = (name: string, text: string) =>
  ({ name, type: 'table', columns: [{ text: 'Result', type: 'string' }], rows: [[text]] }) as const;

/**
 * The answer to a query that names a text for no row. Grafana's own text for no data cannot say that no row exists: it is also
 * shown while the daemon does not answer.
 */
function withNone({ target, values }: Query, answer: TargetAnswer): TargetAnswer {
  const { items, incomplete, unknown } = answer;
  if (values.none === undefined || incomplete !== undefined || items.some(hasRows)) return answer;
  return { ...answer, items: [textTable(target, noRowText(values.none, unknown))] };
}

/** @param target as it was sent, which may be anything */
const emptyTable = (target: unknown) =>
  ({ name: typeof target === 'string' ? target : show(target), type: 'table', columns: [], rows: [] }) as const;

/** The items of one target with its `refId`. The first one has the notices. */
function itemsOf(
  refId: string | undefined,
  target: unknown,
  { items, notices, executed }: TargetAnswer,
): readonly object[] {
  const nothing =
    executed === undefined
      ? 'no vendor license and feature matches the query'
      : 'the analyzer has no value in the time range';
  const shownNotices = items.length > 0 ? notices : [...notices, { severity: 'info' as const, text: nothing }];
  const shown: readonly object[] = items.length > 0 ? items.map(withoutHeader) : [emptyTable(target)];
  return shown.map((item, i) => {
    const meta = {
      ...('meta' in item ? (item.meta as object) : {}),
      ...(i === 0 && executed !== undefined && { executedQueryString: executed }),
      ...(i === 0 && shownNotices.length > 0 && { notices: shownNotices }),
    };
    return { ...(refId !== undefined && { refId }), ...item, ...(Object.keys(meta).length > 0 && { meta }) };
  });
}

/**
 * Answers the targets of a request independently. A target that fails becomes a notice, unless all of them fail.
 *
 * @throws DatasourceError if all targets fail
 */
export async function answerQuery(body: Json, backend: Backend, signal: AbortSignal): Promise<readonly object[]> {
  const asked = targetsOf(body);
  const outcomes = await Promise.allSettled(
    asked.map(async (target) => {
      const query = readTarget(target, body);
      return withNone(query, await answerTarget(query, backend, signal));
    }),
  );
  const failures: DatasourceError[] = [];
  const items = outcomes.flatMap((outcome, i): readonly object[] => {
    const { refId, raw } = asked[i] as QueryTarget;
    if (outcome.status === 'fulfilled') return itemsOf(refId, raw.target, outcome.value);
    if (!(outcome.reason instanceof DatasourceError)) throw outcome.reason;
    failures.push(outcome.reason);
    const notices = [{ severity: 'error' as const, text: outcome.reason.message }];
    return itemsOf(refId, raw.target, { items: [emptyTable(raw.target)], notices });
  });
  const [first] = failures;
  if (first === undefined || failures.length < outcomes.length) return items;
  // the status of the first failure, with the messages of all
  const messages = new Set(failures.map(({ message }) => message));
  throw messages.size === 1 ? first : new DatasourceError(first.code, [...messages].join('; '));
}

/** Values of a dashboard variable, or an empty list. */
export async function answerVariable(body: Json, backend: Backend, signal: AbortSignal): Promise<readonly object[]> {
  const payload = payloadOf(body.payload, 'payload');
  const { target, product } = payload;
  const names =
    target === 'users'
      ? await userNames(payload, backend, signal)
      : namesOf(target, backend.inventory(), readTexts('product', product, true));
  return [...new Set(names)].map((name) => ({ __text: name, __value: name }));
}

async function userNames(payload: RawPayload, backend: Backend, signal: AbortSignal): Promise<readonly string[]> {
  requireUsers(backend.users);
  const { target: _, ...asked } = payload;
  const query = readQuery({
    target: 'users',
    payload: { product: '%', feature: '%', wildcard: 'upstream', ...asked },
    range: { from: undefined, to: undefined },
    filters: [],
    prefix: 'payload.',
  });
  const { items } = await answerTarget(query, backend, signal);
  return Array.from(flatRows(items as readonly Table[]), ({ user }) => String(user)).sort();
}
