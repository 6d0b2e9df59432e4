import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { root } from './markdown.ts';
import { wings } from './rooms.ts';

/** What the files of src import of each other, by the table of wings and rooms. */

export const src = join(root, 'src');

export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.(ts|js)$/.test(entry.name) ? [path] : [];
  });
}

/** The imports of a source text: static, re-export, side-effect and dynamic forms, and URLs of worker files. */
export function importsOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const forms = [
    // the words can be texts too
    /(?<!['".])\bfrom\s*['"]([^'"]+)['"]/g,
    /(?<!['"])\bimport\s*['"]([^'"]+)['"]/g,
    /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g,
    /\bnew URL\(\s*['"`](\.[^'"`]+)['"`]/g,
  ];
  return forms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] ?? ''));
}

/** Where a file of src stands, by the table: its wing and its room, or its own name. A file of a wing itself has an empty room. */
export function placeOf(path: string): { readonly wing: string; readonly room: string } {
  const [wing = '', ...below] = relative(src, path).split(sep);
  const inside = below.join('/');
  const room = Object.keys(wings[wing]?.rooms ?? {}).find((name) => inside.startsWith(`${name}/`));
  return { wing, room: room ?? '' };
}

const roomOf = (path: string): string => {
  const { wing, room } = placeOf(path);
  return room === '' ? wing : `${wing}/${room}`;
};

interface Import {
  readonly file: string;
  readonly from: string;
  readonly specifier: string;
}

export const imports: readonly Import[] = sourceFiles(src).flatMap((path) =>
  importsOf(readFileSync(path, 'utf8')).map((specifier) => ({
    file: relative(root, path),
    from: roomOf(path),
    specifier,
  })),
);

/** The files of a wing that other wings import, by their paths in it. */
export function doorsOf(wing: string): readonly string[] {
  const doors = imports.flatMap(({ file, specifier }) => {
    const to = join(root, dirname(file), specifier);
    const isDoor = specifier.startsWith('.') && placeOf(to).wing === wing && placeOf(join(root, file)).wing !== wing;
    return isDoor && existsSync(to) ? [relative(join(src, wing), to)] : [];
  });
  return [...new Set(doors)].sort();
}
