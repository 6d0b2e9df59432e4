import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doorsOf, imports, importsOf, placeOf, sourceFiles, src } from './support/imports.ts';
import { root } from './support/markdown.ts';
import { startFiles, wings } from './support/rooms.ts';

/** The rooms that a package may be used in. A package that is not named here may not be imported at all. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  undici: ['exporter/client', 'alerting/alerts', 'analyzer/sources'],
  'prom-client': ['exporter/metrics'],
  'node-cron': ['base/scheduling'],
  httpntlm: ['base/ntlm'],
  fastify: ['site', 'program/app', 'analyzer/server'],
  bcryptjs: ['site/web', 'program/commands'],
  yaml: ['program/config', 'alerting/alerts'],
  // schemas of settings stand beside what reads them
  zod: ['base/settings', 'exporter', 'alerting', 'analyzer', 'insight', 'site', 'program'],
  pino: ['main.ts'],
  marked: ['site/pages'],
  hono: ['base/html'],
  nodemailer: ['alerting/messages'],
  '@rgrove/parse-xml': ['analyzer/sources'],
  'ical-generator': ['alerting/expiries'],
  pg: ['analyzer/archive'],
};

/** The names that are in a circle of this graph, or lead to one. */
function circular(targetsOf: ReadonlyMap<string, readonly string[]>): readonly string[] {
  let left = new Set(targetsOf.keys());
  for (let before = left.size + 1; left.size < before; ) {
    before = left.size;
    left = new Set([...left].filter((name) => targetsOf.get(name)?.some((to) => left.has(to))));
  }
  return [...left];
}

const exportedFunction =
  /^export (?:(?:async )?(?:function\*?|class) (?<name>[\w$]+)|const (?<constant>[\w$]+)(?:: [^=]+)? =\s*(?:async )?(?:<[^>]*>)?\()/gm;

/** The exported functions and classes of a source text without a doc comment directly above them. */
const undocumentedIn = (source: string): string[] =>
  [...source.matchAll(exportedFunction)].flatMap(({ index, groups: { name, constant } = {} }) =>
    source.slice(0, index).endsWith('*/\n') ? [] : [name ?? constant ?? ''],
  );

describe('architecture', () => {
  it('has every file in a room of the table', () => {
    const strange = sourceFiles(src).filter((path) => {
      const { wing, room } = placeOf(path);
      const isOfWing = wings[wing] !== undefined && dirname(path) === join(src, wing);
      return room === '' && !isOfWing && startFiles[wing] === undefined;
    });
    expect(strange).toEqual([]);
  });

  it('has no room in the table that does not exist', () => {
    const paths = Object.entries(wings).flatMap(([wing, { rooms }]) =>
      Object.keys(rooms).map((room) => join(wing, room)),
    );
    const missing = [...paths, ...Object.keys(startFiles)].filter((path) => !existsSync(join(src, path)));
    expect(missing).toEqual([]);
  });

  it('imports only in the allowed direction', () => {
    const forbidden = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return false;
      const target = join(root, dirname(file), specifier);
      const [from, to] = [placeOf(join(root, file)), placeOf(target)];
      // files outside of src, such as package.json, are read and not imported
      if (relative(src, target).startsWith('..')) return false;
      if (startFiles[from.wing] !== undefined) return startFiles[from.wing]?.uses.includes(to.wing) !== true;
      if (from.wing !== to.wing) return wings[from.wing]?.uses.includes(to.wing) !== true;
      // the files of a wing put its rooms together
      return (
        from.room !== '' && from.room !== to.room && wings[from.wing]?.rooms[from.room]?.uses.includes(to.room) !== true
      );
    });
    expect(forbidden).toEqual([]);
  });

  it('allows no arrow that nothing needs', () => {
    const needed = new Set(
      imports.flatMap(({ file, specifier }) => {
        const [from, to] = [placeOf(join(root, file)), placeOf(join(root, dirname(file), specifier))];
        return [`${from.wing} ${to.wing}`, `${from.wing}/${from.room} ${to.wing}/${to.room}`];
      }),
    );
    const allowed = Object.entries(wings).flatMap(([wing, { uses, rooms }]) => [
      ...uses.map((to) => `${wing} ${to}`),
      ...Object.entries(rooms).flatMap(([room, { uses: own }]) => own.map((to) => `${wing}/${room} ${wing}/${to}`)),
    ]);
    expect(allowed.filter((arrow) => !needed.has(arrow))).toEqual([]);
  });

  it('allows no circle of wings, and none of rooms', () => {
    expect(circular(new Map(Object.entries(wings).map(([wing, { uses }]) => [wing, uses])))).toEqual([]);
    for (const { rooms } of Object.values(wings)) {
      expect(circular(new Map(Object.entries(rooms).map(([room, { uses }]) => [room, uses])))).toEqual([]);
    }
  });

  it('has no circle of files, not even of types', () => {
    const targets = new Map(sourceFiles(src).map((path) => [relative(root, path), [] as string[]]));
    for (const { file, specifier } of imports) {
      const to = join(dirname(file), specifier);
      if (specifier.startsWith('.') && targets.has(to)) targets.get(file)?.push(to);
    }
    expect(circular(targets)).toEqual([]);
  });

  it('uses each package only in its rooms', () => {
    const forbidden = imports.filter(({ from, specifier }) => {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) return false;
      const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0];
      return !packageRooms[name ?? '']?.some((room) => from === room || from.startsWith(`${room}/`));
    });
    expect(forbidden).toEqual([]);
  });

  it('uses libraries by their public doors', () => {
    const isPublic = (specifier: string): boolean => {
      const parts = specifier.split('/');
      const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
      if (specifier === name) return true;
      const { exports = {} } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
      return Object.hasOwn(exports, `.${specifier.slice(name.length)}`);
    };
    const inner = imports
      .map(({ specifier }) => specifier)
      .filter((specifier) => !/^(?:\.|node:)/.test(specifier) && !isPublic(specifier));
    // its main file loads a package with a known vulnerability
    expect([...new Set(inner)]).toEqual(['httpntlm/ntlm.js']);
  });

  it('has no file of more than 400 lines', () => {
    const long = sourceFiles(src).filter((path) => readFileSync(path, 'utf8').split('\n').length > 401);
    expect(long.map((path) => relative(src, path))).toEqual([]);
  });

  it('has no barrels, no default exports and no folder of mixed helpers', () => {
    const paths = sourceFiles(src).map((path) => relative(src, path));
    expect(paths.filter((path) => /(^|\/)(index\.ts|utils?|helpers?|common)(\/|$)/.test(path))).toEqual([]);
    const withDefault = sourceFiles(src).filter((path) => /^export default/m.test(readFileSync(path, 'utf8')));
    expect(withDefault).toEqual([]);
  });

  it('has a doc comment for every exported function that another wing calls', () => {
    const doors = Object.keys(wings).flatMap((wing) => doorsOf(wing).map((door) => join(src, wing, door)));
    const silent = doors.flatMap((path) =>
      undocumentedIn(readFileSync(path, 'utf8')).map((name) => `${relative(src, path)}: ${name}`),
    );
    expect(silent).toEqual([]);
    const source =
      'export function a() {}\n\n/** The used licenses. */\nexport const b = (): number => 1;\nexport const c = async () => 1;\nexport const d =\n  <T>(value: T) => value;\nexport const e = 1;';
    expect(undocumentedIn(source)).toEqual(['a', 'c', 'd']);
  });

  it('has a README for each wing that fits on a screen', () => {
    const long = Object.keys(wings).filter(
      (wing) => readFileSync(join(src, wing, 'README.md'), 'utf8').split('\n').length > 21,
    );
    expect(long).toEqual([]);
  });

  it('recognizes every form of import', () => {
    const source = `import a from './a.ts';\nexport { b } from "./b.ts";\nimport './c.ts';\nawait import('./d.ts');\n// from './no.ts'`;
    expect(importsOf(source).sort()).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts']);
  });
});
