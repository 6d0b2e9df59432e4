import type { Backend } from './backend.ts';
import { DatasourceError } from './errors.ts';
import { flatRows, type Table } from './panel-data.ts';
import { readQuery, readRange } from './query.ts';
import { answerTarget } from './target-answers.ts';
import { type TargetName, targets } from './targets.ts';

/** Flat rows for Infinity, curl and scripts. */

/** Values of a parameter of a URL: repeated, or as `{a,b}` in the glob format of Grafana. */
export function rowValues(raw: string | readonly string[]): string | readonly string[] {
  const values = [raw]
    .flat()
    .flatMap((value) => (/^\{.*,.*\}$/s.test(value) ? value.slice(1, -1).split(',') : [value]));
  return values.length === 1 ? (values[0] ?? '') : values;
}

/** For the message of a missing parameter. */
export const SEMICOLON_HINT = '; in a URL, write ";" as %3B';

/**
 * The rows of one target. They cannot contain a notice, so an incomplete answer is an error.
 *
 * @throws DatasourceError
 */
export async function answerRows(
  target: TargetName,
  parameters: Readonly<Record<string, string | readonly string[]>>,
  backend: Backend,
  signal: AbortSignal,
): Promise<Iterable<object>> {
  const { from, to, ...rest } = parameters;
  const query = readQuery({
    target,
    payload: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, rowValues(value)])),
    range: readRange({ from, to }, ''),
    filters: [],
    prefix: '',
    hint: SEMICOLON_HINT,
    shape: targets[target].rowShape,
  });
  const { items, incomplete } = await answerTarget(query, backend, signal);
  if (incomplete !== undefined) throw new DatasourceError(incomplete.code, `${target}: ${incomplete.message}`);
  return flatRows(items as readonly Table[]);
}
