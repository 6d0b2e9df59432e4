import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wings } from './rooms.ts';

/** The pages of the documentation as Markdown: tables, links and anchors. */

export const root = join(import.meta.dirname, '../..');

/** Every page, by its path below the root. */
export const pagePaths: readonly string[] = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['docs', 'docs/managers', 'docs/developers', 'deploy', ...Object.keys(wings).map((wing) => `src/${wing}`)].flatMap(
    (folder) =>
      readdirSync(join(root, folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}/${name}`),
  ),
];

export const readPage = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Text escaped for a table cell. */
export const cell = (text: string): string => text.replaceAll('|', '\\|');
export const code = (text: string): string => (text === '' ? '' : `\`${cell(text)}\``);
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** The text without fenced blocks. */
export const withoutFences = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```$/gm, '');

/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\-_ ]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** The anchors of a page. GitHub numbers repeated headings, but pages have none. */
export const anchorsOf = (text: string): string[] =>
  [...withoutFences(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** The targets of the links and images of a page. */
export const linksOf = (text: string): string[] =>
  [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
