import { readPage } from '../support/markdown.ts';

/** What a page tells its reader to do, in the order of the page. */
export type DocumentedStep = DocumentedFile | DocumentedCommand;

/** A file that the page shows. The comment in its first line names it. */
export interface DocumentedFile {
  readonly kind: 'file';
  readonly path: string;
  readonly text: string;
}

/** A command line of a block of `sh`, without its comment. */
export interface DocumentedCommand {
  readonly kind: 'command';
  readonly command: string;
}

/** Blocks in which `#` begins a comment, so that the first line can name the file. */
const FILES: ReadonlySet<string> = new Set(['yaml', 'ini', 'csv', 'sh']);

/** Its files and commands. */
export function stepsOf(page: string): readonly DocumentedStep[] {
  const blocks = readPage(page).matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm);
  return [...blocks].flatMap(([, indent = '', language = '', block = '']): DocumentedStep[] => {
    const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (language === 'sh') return commandsOf(text).map((command) => ({ kind: 'command', command }));
    const [, path] = /^# ([\w./@-]+\.\w+)\b/.exec(text) ?? [];
    return FILES.has(language) && path !== undefined ? [{ kind: 'file', path, text }] : [];
  });
}

/** Joins continued lines; removes comments and empty lines. */
function commandsOf(block: string): string[] {
  return block
    .replaceAll(/\\\n */g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s+)# .*$/, '').trim())
    .filter((line) => line !== '');
}
