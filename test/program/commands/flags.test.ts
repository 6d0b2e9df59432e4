import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/program/commands/command-line.ts';
import { commands } from '../../../src/program/commands/commands.ts';

const src = join(import.meta.dirname, '../../../src');
const source = [join(src, 'main.ts'), ...globSync(join(src, 'program/commands/*.ts'))].map((path) =>
  readFileSync(path, 'utf8'),
);

it('every flag of a command is read, and no other one', () => {
  const forms = /switches\.has\('([\w-]+)'\)|values: \{ ([\w-]+): \w+ \}|\bvalues\['([\w-]+)'\]|line\.values\.(\w+)/g;
  const read = source.join('\n').matchAll(forms);
  const names = commands.flatMap(({ flags = {} }) => Object.keys(flags));
  expect(new Set([...read].map((found) => found.slice(1).find((name) => name !== undefined)))).toEqual(new Set(names));
});

it('has the flags that are given', () => {
  const { switches, values } = parseCommandLine(['hash-password', 'ann', '--output=web.yml']);
  expect([[...switches], values]).toEqual([[], { output: 'web.yml' }]);
  expect([...parseCommandLine(['doctor', '--json', '--no-demo']).switches]).toEqual(['json']);
  expect(() => parseCommandLine(['demo', '--output=x'])).toThrow(
    '--output is only valid for the command analyzer hash-password or hash-password',
  );
});
