import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foreignWords } from './support/words.ts';

/** Names, comments, messages and documentation are in the words of the Prometheus and Grafana documentation. */

const root = join(import.meta.dirname, '..');

/** A name such as `isBlind` is split into its words. Code and comments are checked alike. */
const wordsOf = (line: string): string => line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

function foreignIn(pattern: string): string[] {
  const paths = globSync(pattern, { cwd: root }).filter(
    (path) => !/^test\/(support\/words|words\.test)\.ts$/.test(path),
  );
  return paths.sort().flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        foreignWords
          .map(([found, instead]) => [found.exec(wordsOf(line))?.[0], instead])
          .filter(([found]) => found !== undefined)
          .map(([found, instead]) => `${path}:${at + 1} "${found}": ${instead}`),
      ),
  );
}

describe('foreign words', () => {
  it.each([
    '*.md',
    'docs/**/*.md',
    'deploy/**/*.{md,ts,yml,sh}',
    'grafana/**/*.ts',
    'src/**/*.{ts,js}',
    'test/**/*.ts',
  ])('are not used in %s', (pattern) => {
    expect(foreignIn(pattern)).toEqual([]);
  });

  it('are found in a sentence and in a name', () => {
    const isFound = (line: string): boolean => foreignWords.some(([found]) => found.test(wordsOf(line)));
    expect(['Whoever asks gets it.', 'const isBlind = true;', 'rule.judge(view)'].map(isFound)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['Rules are evaluated.', 'const hasNoData = true;'].map(isFound)).toEqual([false, false]);
  });
});
