import { SourceFailure } from '../../../base/model/observation/source-failure.ts';

const CONTROL = /\p{Cc}/u;
const CONTROLS = /\p{Cc}/gu;

/** A text of the document in one line, without the blanks around it. */
export function plainText(text: string | null | undefined): string {
  if (text === undefined || text === null || text === '') return '';
  const whole = text.toWellFormed();
  return (CONTROL.test(whole) ? whole.replaceAll(CONTROLS, ' ') : whole).trim();
}

/** What is wrong with a text that is not JSON. Nothing of it is repeated: it can be the output of a tool, with users. */
function problemOf(text: string, error: unknown): string {
  const start = text.trimStart();
  if (start === '') return 'the output is empty';
  if (start.startsWith('<')) return 'the output is HTML or XML';
  // the rest of the message of the engine quotes the text
  const [, place] =
    /at position \d+ \((line \d+ column \d+)\)$/.exec(error instanceof Error ? error.message : '') ?? [];
  if (place !== undefined) return `the output is not JSON at ${place}`;
  return start.startsWith('{') ? 'the output is not JSON, or only the beginning of it' : 'the output is not JSON';
}

/** @throws SourceFailure */
export function readJson(text: string): unknown {
  try {
    // PowerShell writes a byte order mark
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    throw new SourceFailure(
      'unparsed',
      `${problemOf(text, error)}: the script must print one observation document and nothing else, see docs/json-source.md`,
    );
  }
}
