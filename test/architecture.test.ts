import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');

/** Who may import whom. Files directly in src are rooms of their own, named by their file. */
const mayImport: Readonly<Record<string, readonly string[] | 'all'>> = {
  model: ['query-api'],
  'query-api': [],
  ntlm: [],
  storage: ['model'],
  scheduling: [],
  config: ['model'],
  inventory: ['model', 'query-api', 'scheduling'],
  client: ['model', 'query-api', 'ntlm'],
  analyzer: ['model', 'query-api', 'ntlm', 'scheduling'],
  metrics: ['model', 'query-api', 'inventory', 'scheduling'],
  alerts: ['model', 'inventory', 'storage'],
  poll: ['model', 'inventory', 'client', 'scheduling'],
  datasource: ['model', 'query-api', 'inventory', 'client'],
  web: ['model'],
  app: [
    'model',
    'query-api',
    'ntlm',
    'storage',
    'config',
    'inventory',
    'client',
    'analyzer',
    'metrics',
    'alerts',
    'poll',
    'datasource',
    'web',
  ],
  commands: ['model', 'query-api', 'ntlm', 'config', 'inventory', 'client', 'analyzer', 'alerts', 'poll', 'app'],
  'main.ts': ['commands', 'app', 'config', 'model'],
  'launch.js': ['main.ts'],
};

/** The rooms a package may be used in. A package that is not named here may not be imported at all. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  undici: ['client', 'alerts'],
  'prom-client': ['metrics'],
  'node-cron': ['poll'],
  httpntlm: ['ntlm'],
  fastify: ['web', 'datasource', 'analyzer', 'alerts'],
  bcryptjs: ['web', 'commands'],
  yaml: ['config'],
  pino: ['main.ts'],
};

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.(ts|js)$/.test(entry.name) ? [path] : [];
  });
}

/** What a source text imports: static, re-export, side-effect and dynamic forms, and URLs of worker files. */
function importsOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const forms = [
    /\bfrom\s*['"]([^'"]+)['"]/g,
    /\bimport\s*['"]([^'"]+)['"]/g,
    /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g,
    /\bnew URL\(\s*['"`](\.[^'"`]+)['"`]/g,
  ];
  return forms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] ?? ''));
}

const roomOf = (path: string): string => relative(src, path).split(sep)[0] ?? '';

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
    const rooms = new Set(sourceFiles(src).map(roomOf));
    expect([...rooms].filter((room) => mayImport[room] === undefined)).toEqual([]);
  });

  it('has no room in the table that does not exist', () => {
    expect(Object.keys(mayImport).filter((room) => !existsSync(join(src, room)))).toEqual([]);
  });

  it('imports only in the allowed direction', () => {
    const forbidden = imports.filter(({ file, from, specifier }) => {
      if (!specifier.startsWith('.')) return false;
      const to = roomOf(join(root, dirname(file), specifier));
      const allowed = mayImport[from];
      if (to === '..' || to === '' || to === from) return false;
      return allowed !== 'all' && !allowed?.includes(to);
    });
    expect(forbidden).toEqual([]);
  });

  it('uses each package in its room only', () => {
    const forbidden = imports.filter(({ from, specifier }) => {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) return false;
      const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0];
      return !packageRooms[name ?? '']?.includes(from);
    });
    expect(forbidden).toEqual([]);
  });

  it('has no barrels, no default exports and no folder of leftovers', () => {
    const paths = sourceFiles(src).map((path) => relative(src, path));
    expect(paths.filter((path) => /(^|\/)(index\.ts|utils?|helpers?|common)(\/|$)/.test(path))).toEqual([]);
    const withDefault = sourceFiles(src).filter((path) => /^export default/m.test(readFileSync(path, 'utf8')));
    expect(withDefault).toEqual([]);
  });

  it('sees every form of import', () => {
    const source = `import a from './a.ts';\nexport { b } from "./b.ts";\nimport './c.ts';\nawait import('./d.ts');\n// from './no.ts'`;
    expect(importsOf(source).sort()).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts']);
  });
});
