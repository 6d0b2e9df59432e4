import { readFile } from 'node:fs/promises';
import { Marked } from 'marked';
import { type PageLink, pageHtml } from '../../../base/html/frame.ts';
import { type Html, html, trusted } from '../../../base/html/html.ts';
import { sendPage } from '../../web/page-answers.ts';
import type { PageContext } from '../page.ts';
import type { Routes } from '../routes.ts';

/** `deploy/runbooks.md` as HTML. The links of alerts lead to its sections. */

const source = new URL('../../../../deploy/runbooks.md', import.meta.url);

/** The anchor of a heading. An alert links to its name in lower case. */
const anchorOf = (heading: string): string => heading.toLowerCase().replace(/[^\w]+/g, '-');

/** The content of a text in Markdown. Each heading of the second level is a section, with a link in the list at the top. */
export function runbookContent(markdown: string): Html {
  const sections: { readonly name: string; readonly anchor: string }[] = [];
  const marked = new Marked({
    async: false,
    renderer: {
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens);
        if (depth !== 2) return `<h${depth}>${content}</h${depth}>\n`;
        const anchor = anchorOf(content);
        sections.push({ name: content, anchor });
        return `<h2 id="${anchor}"><a href="#${anchor}">${content}</a></h2>\n`;
      },
    },
  });
  const text = marked.parse(markdown) as string;
  const first = text.search(/<h2|$/);
  const contents = sections.map(({ name, anchor }) => html`<li><a href="#${anchor}">${trusted(name)}</a></li>\n`);
  return html`<div class="prose">
<div>${trusted(text.slice(0, first))}</div>
<nav class="contents" aria-label="Sections"><ul>\n${contents}</ul></nav>
<div>${trusted(text.slice(first))}</div></div>`;
}

/** What to check when an alert fires. The text is part of the package and is read once. */
export const runbooksRoutes = ({ site }: Pick<PageContext, 'site'>, link: PageLink): Routes => {
  let page: string | undefined;
  return {
    '/': async (_, reply) => {
      page ??= pageHtml(site, link, runbookContent(await readFile(source, 'utf8')));
      return sendPage(reply, page);
    },
  };
};
