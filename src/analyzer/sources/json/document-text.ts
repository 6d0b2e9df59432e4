import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import { isNoNumber } from '../../../base/query-api/json.ts';
import { faultIn, lineAndColumn } from '../../../base/query-api/json-fault.ts';

const CONTROL = /\p{Cc}/u;
const CONTROLS = /\p{Cc}/gu;

/** A text of the document in one line, without the blanks around it. */
export function plainText(text: string | null | undefined): string {
  if (text === undefined || text === null || text === '') return '';
  const whole = text.toWellFormed();
  return (CONTROL.test(whole) ? whole.replaceAll(CONTROLS, ' ') : whole).trim();
}

/** What is wrong with a text that is not JSON. Nothing of it is repeated: it can be the output of a tool, with users. */
function problemOf(text: string): string {
  const start = text.trimStart();
  if (start === '') return 'the output is empty';
  if (start.startsWith('<')) return 'the output is HTML or XML';
  if (!/^[{[]/.test(start)) return 'the output is not JSON';
  const { at } = faultIn(text) ?? { at: text.length };
  const place = lineAndColumn(text, at);
  if (at === text.length) return `the output is only the beginning of JSON, up to ${place}`;
  const [, word = ''] = /^([-+\w.#]+)/.exec(text.slice(at, at + 40)) ?? [];
  if (isNoNumber(word)) return `${word} at ${place} is no number of JSON: leave out what is not known`;
  return `the output is not JSON at ${place}`;
}

/** @throws SourceFailure */
export function readJson(text: string): unknown {
  // PowerShell writes a byte order mark
  const written = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    return JSON.parse(written);
  } catch {
    throw new SourceFailure(
      'unparsed',
      `${problemOf(written)}: the script must print one observation document and nothing else, see docs/json-source.md`,
    );
  }
}
