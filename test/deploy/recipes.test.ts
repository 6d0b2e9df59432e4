import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseObservations } from '../../src/analyzer/sources/json/observations.ts';
import { recipes as namedRecipes } from '../../src/analyzer/sources/settings.ts';
import { createSourceTime } from '../../src/analyzer/sources/times.ts';
import { peer } from '../support/peers.ts';

/** The recipes, with scripts instead of the tools of vendors. The samples are our own, in the shape of their documentation. */

const recipes = join(import.meta.dirname, '../../deploy/recipes');
const folder = mkdtempSync(join(tmpdir(), 'license-exporter-recipes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const now = Date.now() / 1000;

function run(recipe: string, args: readonly string[], input = '') {
  const { stdout, stderr, status } = spawnSync('python3', [join(recipes, recipe), ...args], {
    input,
    encoding: 'utf8',
  });
  return { stdout, stderr, status };
}

/** What license-exporter understands of a recipe's document. */
function observe(recipe: string, args: readonly string[], input?: string) {
  const { stdout, stderr } = run(recipe, args, input);
  expect(stderr).toBe('');
  const context = {
    now,
    writtenAt: undefined,
    interval: 300,
    localTime: createSourceTime('UTC', 'UTC'),
    part: '',
    memory: undefined,
  };
  return parseObservations(stdout, context);
}

/** A tool that prints a text, and with `asked` keeps its arguments and its input in files. */
function tool(name: string, output: string): { path: string; asked: string } {
  const path = join(folder, name);
  const asked = join(folder, `${name}.asked`);
  writeFileSync(join(folder, `${name}.out`), output);
  writeFileSync(path, `#!/bin/sh\n{ echo "$* TZ=$TZ"; cat; } > '${asked}'\ncat '${path}.out'\n`);
  chmodSync(path, 0o755);
  return { path, asked };
}

it('are those that the message about an unknown manager names', () => {
  const named = globSync('*.py', { cwd: recipes }).map((file) => file.replace('.py', ''));
  // this one is for any table
  expect(named.filter((name) => name !== 'csv_to_observations').sort()).toEqual([...namedRecipes].sort());
});

describe.runIf(peer('python3'))('the recipe for MathLM', () => {
  const output = `
total|Mathematica|2|20
total|MathKernel|2|40
total|SubMathematica|0|80
total|SubMathKernel|0|unlimited

process|Mathematica|jane|ws1.example.com|26:10
process|Mathematica|a|b|ws2.example.com|00:05
process|MathKernel|jane|ws1.example.com|1:02:03
`;

  it('gives monitorlm its template, and reads what it prints', () => {
    const { path, asked } = tool('monitorlm', output);
    const { vendorLicenses, problems } = observe('mathlm.py', ['lic1', '--tool', path]);
    const question = spawnSync('cat', [asked], { encoding: 'utf8' }).stdout;
    expect(question).toContain(`lic1 -format text -template ${join(recipes, 'mathlm.template')}`);
    expect(problems).toEqual([]);
    const pools = vendorLicenses[0]?.pools ?? [];
    expect(pools.map(({ feature, inUse, increments }) => [feature, inUse, increments[0]?.count])).toEqual([
      ['Mathematica', 2, 20],
      ['MathKernel', 2, 40],
      ['SubMathematica', 0, 80],
      ['SubMathKernel', 0, undefined],
    ]);
    expect(pools[0]?.checkouts.map(({ user, host }) => [user, host])).toEqual([
      ['jane', 'ws1.example.com'],
      ['a|b', 'ws2.example.com'],
    ]);
    const age = Date.now() / 1000 - (pools[0]?.checkouts[0]?.since ?? 0);
    expect(age).toBeGreaterThanOrEqual(26 * 3600 + 600);
    expect(age).toBeLessThan(26 * 3600 + 660);
    // a duration of another form is not known, and one of two is not listed
    expect(pools[1]?.checkouts[0]).not.toHaveProperty('since');
    expect(pools.map(({ unknownOfCheckouts: unknown }) => unknown?.includes('list'))).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it('reports a server that does not answer', () => {
    const { path } = tool('monitorlm-down', 'monitorlm: cannot connect\n');
    const { vendorLicenses, problems } = observe('mathlm.py', ['lic1', '--tool', path]);
    expect(vendorLicenses).toMatchObject([{ daemon: 'mathlm', reachable: false }]);
    expect(problems).toContainEqual({ kind: 'unreachable', message: expect.stringContaining('-health') });
  });
});

describe.runIf(peer('python3'))('the recipe for tables', () => {
  const names = ['--server', 'lic1', '--daemon', 'acme', '--map', 'feature=Product'];
  const withMaps = (...maps: readonly string[]): string[] => [...names, ...maps.flatMap((map) => ['--map', map])];

  it('reads a row for each feature', () => {
    const table = '\ufeffProduct,Total,Used,Until\nCAD,10,3,2027-06-30\n"CAM, 5 axes",uncounted,,permanent\n';
    const { vendorLicenses } = observe(
      'csv_to_observations.py',
      withMaps('count=Total', 'in_use=Used', 'expires=Until'),
      table,
    );
    expect(vendorLicenses[0]?.pools).toMatchObject([
      { feature: 'CAD', increments: [{ count: 10 }], inUse: 3 },
      { feature: 'CAM, 5 axes', increments: [{ count: Infinity, expires: undefined }] },
    ]);
    expect(vendorLicenses[0]?.pools[1]).not.toHaveProperty('inUse');
  });

  it('reads a row for each checkout', () => {
    const table = 'Product; Total; Who\nCAD; 10; jane\nCAD; 10; joe\nCAM; 2;\n';
    const maps = withMaps('count=Total', 'user=Who');
    const file = join(folder, 'table.csv');
    writeFileSync(file, table);
    const { vendorLicenses } = observe('csv_to_observations.py', [...maps, '--delimiter', ';', '--input', file]);
    expect(
      vendorLicenses[0]?.pools.map(({ feature, checkouts }) => [feature, checkouts.map(({ user }) => user)]),
    ).toEqual([
      ['CAD', ['jane', 'joe']],
      ['CAM', []],
    ]);
    expect(vendorLicenses[0]?.pools[1]?.unknownOfCheckouts).not.toContain('list');
  });

  it.each([
    [['count=Total'], 'Product,Used\nCAD,1\n', 'no column Total'],
    [['in_use=Used'], 'Product,Used\nCAD,jane\n', 'in_use in line 2 is not a number'],
    [['in_use=Used'], 'Product,Used\nCAD,1\nCAD,1\n', 'line 3 repeats a feature'],
    [['in_use=Used', 'user=Who'], 'Product,Used,Who\nCAD,1,a\nCAD,2,b\n', 'line 3 has no feature, or other figures'],
    [['colour=Used'], 'Product,Used\n', '--map does not know colour'],
  ])('with %j refuses %j', (maps, table, message) => {
    const { stdout, stderr, status } = run('csv_to_observations.py', withMaps(...maps), table);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('jane');
  });
});
