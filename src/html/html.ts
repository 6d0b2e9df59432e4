import { raw, html as template } from 'hono/html';

/** Markup of pages and mails. A value in a template is text, never markup, unless it is markup itself. */

/** Controls, and what changes the direction of the text around it. Names of license files can contain them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Markup that is safe to write into a page. Only `html` and `trusted` make it. */
export interface Html {
  readonly isEscaped: true;
  toString(): string;
}

/** What a template takes: text is escaped, lists are joined, nothing is written for `undefined`. */
export type Content = Html | string | number | undefined | readonly Content[];

/** Text in which every character can be seen, and which keeps its direction to itself. */
export const visible = (text: string): string => text.replace(INVISIBLE, '\ufffd');

function inert(value: Content): Content {
  if (typeof value === 'string') return visible(value);
  return Array.isArray(value) ? value.map(inert) : value;
}

/** Markup from a template literal. */
export const html = (strings: TemplateStringsArray, ...values: readonly Content[]): Html =>
  // it is a promise only if a value is one
  template(strings, ...values.map(inert)) as unknown as Html;

/** Pieces of markup with a separator between them. */
export const joined = (pieces: readonly Content[], separator: Content): Content =>
  pieces.flatMap((piece, at) => (at === 0 ? [piece] : [separator, piece]));

/** Pieces that are written in one part of a page. */
const PIECES = 10;

/** A long list in parts, so that writing it can be interrupted. */
export function* listParts<T>(
  start: Html,
  items: readonly T[],
  itemHtml: (item: T) => Html,
  end: Html,
): Generator<Html> {
  yield start;
  for (let i = 0; i < items.length; i += PIECES) yield html`${items.slice(i, i + PIECES).map(itemHtml)}`;
  yield end;
}

/** A name, whose direction does not change the text around it. */
export const nameHtml = (name: string): Html => html`<bdi>${name}</bdi>`;

/** Markup that this program wrote itself, for example from a file of the package. Never for a text from outside. */
export const trusted = (markup: string): Html => raw(markup);
