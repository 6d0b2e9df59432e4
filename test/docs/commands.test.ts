import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stepsOf } from '../support/documented-commands.ts';
import { instead } from '../support/documented-instead.ts';
import { pagePaths, root } from '../support/markdown.ts';

/** The commands of the pages as texts. `npm run test:install` types them. */

const commands = new Set(
  pagePaths.flatMap((page) => stepsOf(page).flatMap((step) => ('commands' in step ? step.commands : []))),
);

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

const scriptsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name);

/** Files and scripts that a script of package.json names and that do not exist. */
function missingIn(name: string): readonly string[] {
  const text = scripts[name];
  if (text === undefined) return [name];
  const files = text.match(/\b[\w/.-]+\.(?:ts|js)\b/g) ?? [];
  return [
    ...files.filter((file) => !existsSync(join(root, file))),
    ...scriptsIn(text).filter((called) => scripts[called] === undefined),
  ];
}

describe('documented commands', () => {
  it('call scripts that exist', () => {
    const called = [...commands].flatMap(scriptsIn);
    expect(called.length).toBeGreaterThan(20);
    expect(called.flatMap(missingIn)).toEqual([]);
  });

  it('that are not typed as they are written stand on a page, and where they are carried out', () => {
    const entries = Object.entries(instead);
    expect(entries.filter(([command]) => !commands.has(command))).toEqual([]);
    const isThere = (file: string, command: string): boolean =>
      readFileSync(join(root, file), 'utf8').includes(command);
    expect(entries.filter(([command, entry]) => 'in' in entry && !isThere(entry.in, command))).toEqual([]);
    expect(entries.flatMap(([, entry]) => ('script' in entry ? missingIn(entry.script) : []))).toEqual([]);
  });
});
