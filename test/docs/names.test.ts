import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingKeys } from '../../src/program/config/settings.ts';
import { drawnYears, matrix } from '../support/extent.ts';
import { pagePaths, readPage, root } from '../support/markdown.ts';
import { wings } from '../support/rooms.ts';

/** What pages name of the code is there: paths, scripts, names of the source, variables and settings. */

const top = ['src', 'test', 'docs', 'grafana', 'deploy', 'types', '.ci'];
const isPath = new RegExp(`^(?:${top.map((name) => name.replace('.', '\\.')).join('|')})/[\\w./*-]*$`);

const paths: ReadonlySet<string> = new Set([
  ...readdirSync(root),
  ...top.flatMap((folder) => globSync(`${folder}/**`, { cwd: root })),
]);
const isThere = (path: string): boolean =>
  path.includes('*') ? globSync(path, { cwd: root }).length > 0 : paths.has(path.replace(/\/$/, ''));
const folderOf = (path: string): string =>
  !path.includes('*') && statSync(join(root, path)).isDirectory() ? path.replace(/\/$/, '') : dirname(path);

const spansIn = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
const fencesIn = (text: string): string[] =>
  [...text.matchAll(/^ *```(?!mermaid)[\s\S]*?^ *```$/gm)].map(([fence]) => fence);
/** The words of all code of a page. */
const codeWords = (page: string): string[] =>
  [...fencesIn(page), ...spansIn(page.replace(/^ *```[\s\S]*?^ *```$/gm, ''))].flatMap((text) => text.split(/\s+/));

const developersPages = pagePaths.filter((path) =>
  /^(?:AGENTS|CONTRIBUTING)\.md$|^(?:docs\/developers|src)\//.test(path),
);
const source = globSync(['src/**/*.{ts,js}', '{test,grafana,deploy}/**/*.{ts,sh}', 'package.json', '*.config.ts'], {
  cwd: root,
}).map((path) => readFileSync(join(root, path), 'utf8'));
const namesIn = (text: string): readonly string[] => text.match(/\w+/g) ?? [];
const names: ReadonlySet<string> = new Set(source.flatMap(namesIn));

/** The sections of a page, each with its heading. */
const sectionsOf = (page: string): string[] => readPage(page).split(/^(?=## )/m);

/** A file or folder as developers' pages shorten it: below the page, `src`, or a folder that its section names. */
function found(name: string, page: string, section: string): string[] {
  const named = spansIn(section).filter((span) => isPath.test(span) && isThere(span));
  const folders = named.map(folderOf).flatMap((folder) => [folder, `${folder}/*`]);
  const bases = ['', 'src', dirname(page), ...folders];
  return [...new Set(bases.map((base) => join(base, name)))].filter(isThere);
}

/** Files that a recipe creates, that a build writes, or that are those of a running program. */
const notInSource = /^(?:dist|build)\/|^(?:work|[\w-]+\.(?:db|key))$|^(?:fields|listed|alert-state|messages)\.json$/;

describe('pages', () => {
  it('name only paths that exist', () => {
    const named = pagePaths.flatMap((page) => codeWords(readPage(page)).filter((word) => isPath.test(word)));
    expect(named.length).toBeGreaterThan(200);
    expect([...new Set(named)].filter((path) => !isThere(path)).sort()).toEqual([]);
  });

  it('name only settings that exist', () => {
    const sections = new Set(settingKeys.map((key) => key.split('.')[0]));
    const isSetting = (key: string): boolean =>
      settingKeys.some((one) => one === key || one.startsWith(`${key}.`) || key.startsWith(`${one}.`));
    const named = pagePaths.flatMap((page) =>
      spansIn(readPage(page))
        .map((span) => /^([a-z_]+)\.[a-z_.]*[a-z](?=$|:)/.exec(span))
        .flatMap((match) => (match !== null && sections.has(match[1] ?? '') ? [match[0]] : []))
        .filter((key) => !/\.(?:ts|js|md|ya?ml|json|db|key)$/.test(key)),
    );
    expect(named.length).toBeGreaterThan(50);
    expect([...new Set(named)].filter((key) => !isSetting(key))).toEqual([]);
  });
});

describe("developers' pages", () => {
  it('name only files and folders that exist, also in short', () => {
    const short = developersPages.flatMap((page) =>
      sectionsOf(page).flatMap((section) =>
        spansIn(section)
          .filter(
            (span) =>
              !isPath.test(span) &&
              (/^[\w/.-]+\.(?:ts|js|json|db|key)$/.test(span) || /^\w[\w-]*\/[\w/-]*$/.test(span)),
          )
          .filter((span) => !notInSource.test(span))
          .map((span) => ({ page, span, found: found(span, page, section) })),
      ),
    );
    expect(short.length).toBeGreaterThan(30);
    expect(short.filter((one) => one.found.length === 0)).toEqual([]);
  });

  it('name only wings and rooms that exist', () => {
    const rooms = new Set(
      Object.entries(wings).flatMap(([wing, { rooms: own }]) =>
        [wing, ...Object.keys(own)].flatMap((room) => room.split('/')),
      ),
    );
    const bold = developersPages.flatMap((page) =>
      [...readPage(page).matchAll(/\*\*`([\w-]+)`\*\*/g)].map(([, name = '']) => name),
    );
    expect(bold.length).toBeGreaterThan(20);
    expect(bold.filter((name) => !rooms.has(name))).toEqual([]);
  });

  it('name only what the source has, in the file that they say', () => {
    const missing = developersPages.flatMap((page) =>
      sectionsOf(page).flatMap((section) => {
        const unknown = spansIn(section)
          .flatMap((span) => /^([A-Za-z]\w*?[a-z][A-Z]\w*|[A-Z]+_[A-Z_]+)(?:\(.*\)|=\d)?(?: |$)/.exec(span)?.[1] ?? [])
          .filter((name) => !names.has(name));
        const elsewhere = [...section.matchAll(/`(\w+)` (?:in|of) `([\w/.-]+\.ts)`/g)].flatMap(
          ([mention, name = '', path = '']) =>
            found(path, page, section).some((file) => namesIn(readFileSync(join(root, file), 'utf8')).includes(name))
              ? []
              : [mention],
        );
        return [...unknown, ...elsewhere].map((name) => `${page}: ${name}`);
      }),
    );
    expect(missing).toEqual([]);
  });

  it('call only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly scripts: object };
    const called = developersPages.flatMap((page) =>
      [...fencesIn(readPage(page)), ...spansIn(readPage(page))].flatMap((text) =>
        [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name),
      ),
    );
    expect(called.length).toBeGreaterThan(40);
    expect(called.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('run each test with the variable without which it is left out', () => {
    const needs = [
      [matrix, 'TEST_MATRIX=1'],
      [drawnYears, 'TEST_YEARS=1'],
    ] as const;
    const runs = developersPages.flatMap((page) =>
      spansIn(readPage(page)).filter((span) => span.includes('npx vitest run test/')),
    );
    expect(runs.length).toBeGreaterThan(10);
    const left = needs.flatMap(([tests, variable]) =>
      runs.filter((run) => !run.includes(variable) && tests.some((test) => run.split(' ').includes(test))),
    );
    expect(left).toEqual([]);
  });
});
