import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recipes as namedRecipes } from '../../src/config/sections/sources.ts';
import { parseObservations } from '../../src/sources/json/observations.ts';
import { createSourceTime } from '../../src/sources/times.ts';
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

const dslsHeader =
  'Editor,EditorId,Feature,Model,Commercial Type,Max Release Number,Max Release Date,Pricing Structure,' +
  'Max Casual Duration,Expiration Date,Customer ID,Count,Inuse,Tokens,Casual Usage (mn),Host,User,Internal ID,' +
  'Active Process,Client Code Version,Session ID,Granted Since,Last Used At,Granted At,Queue Position,';

const dslsPool = (feature: string, model: string, expires: string, count: string, inUse: string): string =>
  `Our Editor,5E756A80-1C80-478D-B83A-1D5913677621,${feature},${model},STD,27,2030-01-01 00:00:00,YLC,0,${expires},C100,${count},${inUse},`;

const dslsUsage = `
DSLicSrv, version 2026
admin >connect lic1 4084 -r
Ready: yes
admin >${dslsHeader}
${dslsPool('CAD', 'ConcurrentUser', '2027-12-31 23:59:00', '10', '2')}1,,ws1 (ABC-1)/10.0.0.1,"Doe, Jane",17,prog,5,S1,2026-01-02 03:04:05,2026-01-02 03:04:05,x,,
${dslsPool('CAD', 'ConcurrentUser', '2027-12-31 23:59:00', '10', '2')}1,,ws2 (ABC-2)/10.0.0.2,u2,18,prog,5,S2,yesterday,,x,,
${dslsPool('CAD', 'ConcurrentUser', '2028-12-31 23:59:00', '5', '0')}
${dslsPool('CAD', 'ConcurrentUser', '2028-12-31 23:59:00', '5', '0')},,ws3 (ABC-3)/10.0.0.3,u3,19,prog,5,S3,2026-01-02 04:04:05,,,1,
${dslsPool('SIM', 'Token', '2027-12-31 23:59:00', '1000', '700')}493,,ws1 (ABC-1)/10.0.0.1,u1,17,prog,5,S4,2026-01-02 03:04:05,,x,,
${dslsPool('SITE', 'NamedUser', 'never', 'unlimited', '0')}
admin >quit
`;

it('are those that the message about an unknown manager names', () => {
  const named = globSync('*.py', { cwd: recipes }).map((file) => file.replace('.py', ''));
  // this one is for any table
  expect(named.filter((name) => name !== 'csv_to_observations').sort()).toEqual([...namedRecipes].sort());
});

describe.runIf(peer('python3'))('the recipe for DSLS', () => {
  it('asks the tool on standard input, for a restricted connection and times in UTC', () => {
    const { path, asked } = tool('DSLicSrv', dslsUsage);
    const { vendorLicenses } = observe('dsls.py', ['4084@lic1', '--tool', path]);
    expect(vendorLicenses).toMatchObject([{ server: '4084@lic1', daemon: 'dsls', part: '', reachable: true }]);
    const question = spawnSync('cat', [asked], { encoding: 'utf8' }).stdout;
    expect(question).toBe('-admin TZ=UTC\nconnect lic1 4084 -r\ngetLicenseUsage -csv\nquit\n');
  });

  it('counts each pool once, however many users it has', () => {
    const file = join(folder, 'usage.csv');
    writeFileSync(file, dslsUsage);
    const { vendorLicenses, diagnostics, problems } = observe('dsls.py', ['4084@lic1', '--input', file]);
    expect({ problems, contradictions: diagnostics.contradictions }).toEqual({ problems: [], contradictions: 0 });
    const pools = vendorLicenses[0]?.pools ?? [];
    const at = (text: string): number => Date.parse(text) / 1000;
    expect(pools.map(({ feature, version, licenseModel, inUse }) => [feature, version, licenseModel, inUse])).toEqual([
      ['CAD', '27', 'concurrent', 2],
      ['SIM', '27', 'token', 700],
      ['SITE', '27', 'named', 0],
    ]);
    expect(pools[0]?.increments).toEqual([
      { count: 10, expires: at('2027-12-31T23:59:00Z') },
      { count: 5, expires: at('2028-12-31T23:59:00Z') },
    ]);
    expect(pools[0]?.checkouts).toMatchObject([
      { user: 'Doe, Jane', host: 'ws1', licenses: 1, handle: 'S1', since: at('2026-01-02T03:04:05Z') },
      { user: 'u2', host: 'ws2', licenses: 1, handle: 'S2' },
    ]);
    expect(pools[0]?.checkouts[1]).not.toHaveProperty('since');
    expect(pools[0]?.queued).toMatchObject([{ user: 'u3', host: 'ws3', since: at('2026-01-02T04:04:05Z') }]);
    expect(pools[0]?.unknownOfCheckouts).toEqual(['borrowed', 'status']);
    // 700 tokens are in use, and 493 of them are listed
    expect(pools[1]?.unknownOfCheckouts).toContain('list');
    expect(pools[2]?.increments).toEqual([{ count: undefined, expires: 'unknown' }]);
  });

  it('reports a server that does not answer, and a tool that is missing', () => {
    const { path } = tool('DSLicSrv-down', 'admin >connect lic1 4084 -r\nConnection refused\nadmin >quit\n');
    const { vendorLicenses, problems } = observe('dsls.py', ['4084@lic1', '--tool', path]);
    expect(vendorLicenses).toEqual([{ server: '4084@lic1', daemon: 'dsls', part: '', reachable: false, pools: [] }]);
    expect(problems[0]).toEqual({ kind: 'unreachable', message: expect.stringContaining('by hand') });
    const { stdout, stderr, status } = run('dsls.py', ['4084@lic1', '--tool', join(folder, 'missing')]);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toMatch(/^dsls.py: .*No such file or directory/);
  });
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

describe.runIf(peer('python3'))('the recipe for LM-X', () => {
  const status = (state: string): string => `LM-X End-user Utility v5
<?xml version="1.0" encoding="UTF-8"?>
<LM-X STAT_VERSION="3"><LICENSE_PATH TYPE="NETWORK" HOST="6200@lic1" STATUS="${state}">
<FEATURE NAME="Solve &amp; Co" VERSION="21.0" VENDOR="ACME" START="2026-01-01" END="2027-06-30" USED_LICENSES="3" TOTAL_LICENSES="100" DENIED_LICENSES="7">
<USER NAME="jane" HOST="ws1" IP="10.0.0.1" USED_LICENSES="2" LOGIN_TIME="2026-01-02 03:04" CHECKOUT_TIME="2026-01-02 03:05"/>
<USER NAME="joe" HOST="ws2" IP="10.0.0.2" USED_LICENSES="1" LOGIN_TIME="2026-01-02 03:04" BORROW_EXPIRE_TIME="2026-02-02 03:04"/>
</FEATURE>
<FEATURE NAME="Mesh" VERSION="21.0" VENDOR="ACME" END="NONE" USED_LICENSES="0" TOTAL_LICENSES="UNLIMITED"/>
</LICENSE_PATH></LM-X>
`;

  it('reads the XML by the names of its attributes', () => {
    const { path, asked } = tool('lmxendutil', status('SUCCESS'));
    const { vendorLicenses } = observe('lmx.py', ['6200@lic1', '--vendor', 'ACME', '--tool', path]);
    expect(spawnSync('cat', [asked], { encoding: 'utf8' }).stdout).toContain('-licstatxml -host lic1 -port 6200');
    const [solve, mesh] = vendorLicenses[0]?.pools ?? [];
    expect(solve).toMatchObject({
      feature: 'Solve & Co',
      version: '21.0',
      increments: [{ count: 100, expires: Date.UTC(2027, 5, 30, 23, 59, 59) / 1000 }],
      inUse: 3,
      checkouts: [
        { user: 'jane', host: 'ws1', licenses: 2, borrowed: false },
        { user: 'joe', licenses: 1, borrowed: true },
      ],
    });
    expect(mesh).toMatchObject({ increments: [{ count: Infinity, expires: 'unknown' }], inUse: 0, checkouts: [] });
    expect(mesh?.unknownOfCheckouts).toEqual(['status']);
  });

  it('keeps vendors of a server that does not answer, and refuses one that is not named', () => {
    const { path } = tool('lmxendutil-down', status('CONNECT_FAILED'));
    const { vendorLicenses } = observe('lmx.py', ['6200@lic1', '--vendor', 'ACME', '--tool', path]);
    expect(vendorLicenses).toMatchObject([{ daemon: 'ACME', reachable: false }]);
    const other = run('lmx.py', [
      '6200@lic1',
      '--vendor',
      'OTHER',
      '--tool',
      tool('lmxendutil-2', status('SUCCESS')).path,
    ]);
    expect(other).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('add --vendor ACME') });
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
