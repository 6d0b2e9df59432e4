import { raw, html as template } from 'hono/html';
import { visible } from '../model/visible-text.ts';

/** Markup of pages and mails. A value in a template is text, never markup, unless it is markup itself. */

/** Markup that is safe to write into a page. Only `html` and `trusted` make it. */
export interface Html {
  readonly isEscaped: true;
  toString(): string;
}

/** What a template takes: text is escaped, lists are joined, nothing is written for `undefined`. */
export type Content = Html | string | number | undefined | readonly Content[];

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

/** A name, whose direction does not change the text around it. */
export const nameHtml = (name: string): Html => html`<bdi>${name}</bdi>`;

/** Markup that this program wrote itself, for example from a file of the package. Never for a text from outside. */
export const trusted = (markup: string): Html => raw(markup);
