import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Marked } from 'marked';

/** The page `/runbooks`: `deploy/runbooks.md` as HTML. The links of alerts lead to its sections. */

const source = new URL('../../deploy/runbooks.md', import.meta.url);

/** The anchor of a heading. An alert links to its name in lower case. */
const anchorOf = (heading: string): string => heading.toLowerCase().replace(/[^\w]+/g, '-');

interface Section {
  readonly name: string;
  readonly anchor: string;
}

function contentsHtml(sections: readonly Section[]): string {
  const items = sections.map(({ name, anchor }) => `<li><a href="#${anchor}">${name}</a></li>`);
  return `<nav><h2>Alerts</h2>\n<ul>\n${items.join('\n')}\n</ul></nav>\n`;
}

/** The page of a text in Markdown. Each heading of the second level is a section, with a link in the list at the top. */
export function runbookPage(markdown: string): string {
  const sections: Section[] = [];
  const marked = new Marked({
    async: false,
    renderer: {
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens);
        if (depth !== 2) return `<h${depth}>${content}</h${depth}>\n`;
        const section = { name: content, anchor: anchorOf(content) };
        sections.push(section);
        return `<h2 id="${section.anchor}"><a href="#${section.anchor}">${content}</a></h2>\n`;
      },
    },
  });
  const html = marked.parse(markdown) as string;
  const first = html.indexOf('<h2');
  const [introduction, rest] = first < 0 ? [html, ''] : [html.slice(0, first), html.slice(first)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runbooks - license-exporter</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 3rem auto; padding: 0 1rem; color: #1c2430; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; padding: .4rem .6rem; background: #eef1f5; border-radius: 3px; }
h2 a { color: inherit; text-decoration: none; } h2:target { background: #fff3cd; }
nav h2 { background: none; padding: 0; margin-top: 1.5rem; }
nav ul { columns: 17rem; padding: 0; list-style: none; } nav li { margin: 0; padding: .15rem 0; overflow-wrap: anywhere; }
li { margin: .25rem 0; }
code { background: #eef1f5; padding: .1rem .3rem; border-radius: 3px; font-size: .85rem; overflow-wrap: anywhere; }
pre { background: #eef1f5; padding: .6rem .8rem; overflow-x: auto; } pre code { padding: 0; }
table { border-collapse: collapse; } th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border-bottom: 1px solid #dde3ea; }
</style>
</head>
<body>
${introduction}${contentsHtml(sections)}${rest}<p><a href="alerts">Alerts</a> · <a href="./">license-exporter</a></p>
</body>
</html>
`;
}

/** `/runbooks`: what to check when an alert fires. The text is part of the package and is read once. */
export function createRunbookPage() {
  let page: string | undefined;
  return {
    plugin: async (app: FastifyInstance): Promise<void> => {
      app.get('/', { prefixTrailingSlash: 'no-slash' }, async (_, reply) => {
        page ??= runbookPage(await readFile(source, 'utf8'));
        return reply
          .header('content-type', 'text/html; charset=utf-8')
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
          .send(page);
      });
    },
    refuse: (reply: FastifyReply, _: string, message: string): FastifyReply =>
      reply.header('content-type', 'text/plain; charset=utf-8').send(`${message}\n`),
  };
}
