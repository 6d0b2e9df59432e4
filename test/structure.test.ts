import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawnYears, matrix } from './support/extent.ts';
import { longest } from './support/longest-first.ts';

/** Rules for all tests. */

const root = import.meta.dirname;
const files = globSync('**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));
const folderOf = (path: string): string => (path.includes(sep) ? (path.split(sep)[0] ?? '') : '');

/** Folders of separate programs with their own helpers. */
const programs = ['bench', 'record', 'storm'];

describe('tests', () => {
  it('share helpers in support only', () => {
    const strange = files.flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)';/gm)]
        .map(([, specifier = '']) => relative(root, join(root, dirname(path), specifier)))
        .filter((target) => !target.startsWith('..'))
        .filter((target) => ![folderOf(path), 'support', ...programs].includes(folderOf(target)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(strange).toEqual([]);
  });

  it('are the same in every run: random values have a seed', () => {
    const random = files.filter(({ path, text }) => path !== 'structure.test.ts' && text.includes('Math.random('));
    expect(random.map(({ path }) => path)).toEqual([]);
  });

  it('wait for events, and have a comment wherever they wait for time', () => {
    const silent = files
      .filter(({ path }) => path !== 'structure.test.ts' && !programs.includes(folderOf(path)))
      .flatMap(({ path, text }) => {
        const lines = text.split('\n');
        const isSaid = (at: number): boolean => lines.slice(at - 2, at + 1).some((line) => line.includes('// '));
        return lines.flatMap((line, at) => (line.includes('setTimeout(') && !isSaid(at) ? [`${path}:${at + 1}`] : []));
      });
    expect(silent).toEqual([]);
  });

  it('assert no elapsed time, which is that of the other programs too', () => {
    const measured =
      /\b(?:performance\.now|hrtime(?:\.bigint)?|(?:c|threadC)puUsage)\(|Date\.now\(\) - (?:start|begin|began|before|since|from)/;
    const timed = files.filter(({ path, text }) => {
      const isTest = path !== 'structure.test.ts' && !programs.includes(folderOf(path)) && text.includes('expect(');
      return isTest && measured.test(text);
    });
    expect(timed.map(({ path }) => path)).toEqual([]);
  });

  it('list only existing files as the slowest, and as left out', () => {
    expect([...matrix, ...drawnYears].filter((path) => !existsSync(join(root, '..', path)))).toEqual([]);
    expect(longest.filter((name) => !existsSync(join(root, `${name}.test.ts`)))).toEqual([]);
  });
});
