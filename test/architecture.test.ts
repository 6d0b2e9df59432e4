import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rooms } from './support/rooms.ts';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');

/** The rooms a package may be used in. A package that is not named here may not be imported at all. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  undici: ['client', 'alerts', 'sources'],
  'prom-client': ['metrics'],
  'node-cron': ['scheduling'],
  httpntlm: ['ntlm'],
  fastify: ['web', 'pages', 'app', 'html', 'datasource', 'analyzer'],
  bcryptjs: ['web', 'commands'],
  yaml: ['config', 'alerts'],
  zod: ['settings', 'config', 'alerts', 'sources', 'exchange'],
  pino: ['main.ts'],
  marked: ['pages'],
  hono: ['html'],
  nodemailer: ['messages'],
  '@rgrove/parse-xml': ['sources'],
  'ical-generator': ['expiries'],
  'modern-tar': ['exchange'],
  yauzl: ['exchange'],
  pg: ['archive'],
};

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.(ts|js)$/.test(entry.name) ? [path] : [];
  });
}

/** The imports of a source text: static, re-export, side-effect and dynamic forms, and URLs of worker files. */
function importsOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const forms = [
    // the words can be texts too
    /(?<!['"])\bfrom\s*['"]([^'"]+)['"]/g,
    /(?<!['"])\bimport\s*['"]([^'"]+)['"]/g,
    /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g,
    /\bnew URL\(\s*['"`](\.[^'"`]+)['"`]/g,
  ];
  return forms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] ?? ''));
}

const roomOf = (path: string): string => relative(src, path).split(sep)[0] ?? '';

const isHigher = (room: string, other: string): boolean => (rooms[room]?.floor ?? 0) > (rooms[other]?.floor ?? 0);

const declaration =
  /^export (?:declare )?(?:async |abstract )*(?:function\*?|class|interface|type|const|let|enum) ([A-Za-z0-9_$]+)/;
/** Words that say nothing about a name. */
const fillers = new Set([
  'the',
  'a',
  'an',
  'of',
  'for',
  'in',
  'is',
  'are',
  'and',
  'or',
  'to',
  'it',
  'its',
  'that',
  'this',
  'with',
]);
const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];

/** The exports of a source text without a doc comment directly above them, or with one that only repeats the name. */
function undocumentedIn(source: string): string[] {
  const lines = source.split('\n');
  return lines.flatMap((line, at) => {
    const name = declaration.exec(line)?.[1];
    if (name === undefined) return [];
    const begin = lines.slice(0, at).findLastIndex((above) => above.startsWith('/**'));
    const comment = lines[at - 1]?.endsWith('*/') === true ? lines.slice(begin, at).join(' ') : '';
    const known = new Set([...wordsOf(name), ...fillers]);
    return wordsOf(comment).some((word) => !known.has(word)) ? [] : [name];
  });
}

interface Import {
  readonly file: string;
  readonly from: string;
  readonly specifier: string;
}

const imports: Import[] = sourceFiles(src).flatMap((path) =>
  importsOf(readFileSync(path, 'utf8')).map((specifier) => ({
    file: relative(root, path),
    from: roomOf(path),
    specifier,
  })),
);

describe('architecture', () => {
  it('has every room in the table', () => {
    const found = new Set(sourceFiles(src).map(roomOf));
    expect([...found].filter((room) => rooms[room] === undefined)).toEqual([]);
  });

  it('has no room in the table that does not exist', () => {
    const missing = Object.keys(rooms).filter((room) => !existsSync(join(src, room)));
    expect(missing).toEqual([]);
  });

  it('imports only in the allowed direction', () => {
    const forbidden = imports.filter(({ file, from, specifier }) => {
      if (!specifier.startsWith('.')) return false;
      const to = roomOf(join(root, dirname(file), specifier));
      const allowed = rooms[from]?.mayImport;
      if (to === '..' || to === '' || to === from) return false;
      return isHigher(to, from) || (allowed !== 'all' && !allowed?.includes(to));
    });
    expect(forbidden).toEqual([]);
  });

  it('allows no import from a higher floor and no cycle of rooms', () => {
    const allowed = Object.entries(rooms).flatMap(([from, { mayImport }]) =>
      mayImport === 'all' ? [] : mayImport.map((to) => ({ from, to })),
    );
    expect(allowed.filter(({ from, to }) => rooms[to] === undefined || isHigher(to, from))).toEqual([]);
    let left = new Set(Object.keys(rooms));
    for (let before = left.size + 1; left.size < before; ) {
      before = left.size;
      left = new Set([...left].filter((room) => allowed.some(({ from, to }) => from === room && left.has(to))));
    }
    expect([...left]).toEqual([]);
  });

  it('has no circle of files, not even of types', () => {
    const targets = new Map(sourceFiles(src).map((path) => [relative(root, path), [] as string[]]));
    for (const { file, specifier } of imports) {
      const to = join(dirname(file), specifier);
      if (specifier.startsWith('.') && targets.has(to)) targets.get(file)?.push(to);
    }
    let left = new Set(targets.keys());
    for (let before = left.size + 1; left.size < before; ) {
      before = left.size;
      left = new Set([...left].filter((file) => targets.get(file)?.some((to) => left.has(to))));
    }
    expect([...left]).toEqual([]);
  });

  it('uses each package only in its rooms', () => {
    const forbidden = imports.filter(({ from, specifier }) => {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) return false;
      const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0];
      return !packageRooms[name ?? '']?.includes(from);
    });
    expect(forbidden).toEqual([]);
  });

  it('has no barrels, no default exports and no folder of mixed helpers', () => {
    const paths = sourceFiles(src).map((path) => relative(src, path));
    expect(paths.filter((path) => /(^|\/)(index\.ts|utils?|helpers?|common)(\/|$)/.test(path))).toEqual([]);
    const withDefault = sourceFiles(src).filter((path) => /^export default/m.test(readFileSync(path, 'utf8')));
    expect(withDefault).toEqual([]);
  });

  it('has a doc comment for every export, which says more than its name', () => {
    const silent = sourceFiles(src).flatMap((path) =>
      undocumentedIn(readFileSync(path, 'utf8')).map((name) => `${relative(src, path)}: ${name}`),
    );
    expect(silent).toEqual([]);
    const source =
      'export const a = 1;\n\n/** The used licenses. */\nexport type UsedLicenses = A;\n/** Seconds. */\nexport const b = 1;';
    expect(undocumentedIn(source)).toEqual(['a', 'UsedLicenses']);
  });

  it('recognizes every form of import', () => {
    const source = `import a from './a.ts';\nexport { b } from "./b.ts";\nimport './c.ts';\nawait import('./d.ts');\n// from './no.ts'`;
    expect(importsOf(source).sort()).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts']);
  });
});
