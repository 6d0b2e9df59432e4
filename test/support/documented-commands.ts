import { readPage } from './markdown.ts';

/** What a reader of a page does, in the order of the page. */
export type DocumentedStep = DocumentedFile | DocumentedCommands;

/** A file that the page shows. The comment in its first line names it. */
interface DocumentedFile {
  readonly path: string;
  readonly text: string;
}

/** The command lines of a block of `sh`, without comments. */
interface DocumentedCommands {
  readonly commands: readonly string[];
}

/** Blocks in which `#` begins a comment, so that the first line can name the file. */
const FILES: ReadonlySet<string> = new Set(['yaml', 'ini', 'csv']);

/** Its files and blocks of commands. */
export function stepsOf(page: string): readonly DocumentedStep[] {
  const blocks = readPage(page).matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm);
  return [...blocks].flatMap(([, indent = '', language = '', block = '']): DocumentedStep[] => {
    const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (language === 'sh') return [{ commands: commandsOf(text) }];
    const [, path] = /^# (\S+\.\w+)$/m.exec(text.split('\n')[0] ?? '') ?? [];
    return FILES.has(language) && path !== undefined ? [{ path, text }] : [];
  });
}

/** Joins continued lines; separates commands that are joined by `&&`; removes comments. */
function commandsOf(block: string): string[] {
  return block
    .replaceAll(/\\\n */g, '')
    .split('\n')
    .flatMap((line) => line.replace(/(^|\s+)# .*$/, '').split(' && '))
    .map((command) => command.trim())
    .filter((command) => command !== '');
}
