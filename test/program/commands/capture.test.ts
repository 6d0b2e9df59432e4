import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createFakeSite, type FakeSite, fakeLmutil, fakeRlmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup } from '../../support/harness.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../../support/license-site/render-lmstat.ts';
import { renderRlmstat } from '../../support/license-site/render-rlmstat.ts';
import { createRunner } from '../../support/run.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

const utc = createLocalTime('UTC');
const now = Math.floor(Date.now() / 1000);
const large = { features: 2, users: 2, now, host: 'lic1.acme.example' };
/** Names of the site, its files and its log. */
const PERSONAL = /user\d|ws\d|lic1|acme|jdoe|jroe|Jane|4711|12AB|feature_|flexd|isv1/i;

interface Sources {
  readonly folder: string;
  readonly config: string;
  readonly site: FakeSite;
}

function createSources(): Sources {
  const folder = temporaryFolder();
  const site = createFakeSite(join(folder, 'site'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const flexnet = createLargeSite({ ...large, daemon: 'flexd' });
  site.print('27000@lic1.acme.example', renderLmstat(flexnet, utc));
  site.print('27000@lic1.acme.example', renderLmstatInventory(flexnet, utc), 'i');
  site.print('5053@lic1.acme.example', renderRlmstat(createLargeSite({ ...large, daemon: 'isv1' }), utc));
  write(
    'license.dat',
    'SERVER lic1.acme.example 0012AB 27000\nINCREMENT feature_1 flexd 1.0 permanent 9 SIGN="12AB 4711"\n',
  );
  write('flexd.opt', 'GROUP acme_team jdoe\nRESERVE 2 feature_1 GROUP acme_team\n');
  write(
    'debug.log',
    ' 8:13:04 (flexd) DENIED: "feature_1" jroe@ws4711.acme.example  (Licensed number of users already reached. (-4,342))\n',
  );
  const env = JSON.stringify(site.env);
  write(
    'config.yml',
    `storage: {path: ${folder}}
embedded_analyzer:
  sources:
    - name: cad
      manager: flexnet
      servers: [27000@lic1.acme.example]
      via: {command: ${fakeLmutil}}
      env: ${env}
      license_files: [license.dat]
      options_files: {flexd: flexd.opt}
      debug_log: {path: debug.log}
    - {name: render, manager: rlm, servers: [5053@lic1.acme.example], via: {command: ${fakeRlmutil}}, env: ${env}}
    - {name: scripted, manager: json, via: {file: observations.json}}
`,
  );
  return { folder, site, config: `--config.file=${join(folder, 'config.yml')}` };
}

/** Runs a capture, and tries its file. */
async function captureAndTry({ folder, config }: Sources, source: string) {
  const capture = run(['capture', config, source]);
  const exit = await capture.exit;
  const file = capture.printed();
  const path = join(folder, 'capture.txt');
  writeFileSync(path, file);
  const tried = run(['try-source', path]);
  return { exit, file, lines: capture.lines, triedExit: await tried.exit, tried: tried.output() };
}

describe('capture', () => {
  it('of FlexNet has every input and no name, and is understood by try-source', async () => {
    const sources = createSources();
    const { exit, file, triedExit, tried } = await captureAndTry(sources, 'cad');
    expect(exit).toBe(0);
    expect(file.match(/^== [^,(=]*[^ ,(=]/gm)).toEqual([
      '== stdout of lmutil lmstat -a',
      '== stdout of lmutil lmstat -i',
      '== text of a license file',
      '== text of an options file',
      '== text of the end of the debug log',
    ]);
    expect(file).not.toMatch(PERSONAL);
    expect(file).toMatch(
      /^ {4}[uw]\w+ (\w+)\.\w+\.\w+ \1:0 \(v2020\.1\) \(\w+\.\w+\.\w+\/\d{5} \d{3}\), start \w{3} \d/m,
    );
    expect(tried).toMatch(
      / f\w+_1.*: \d licenses, 3 in use, 2 checkouts, 0 reserved and not in use, queued not known, expires permanent\n/,
    );
    expect(tried).toContain('debug log: 1 line about refused requests');
    expect(tried).toContain('Every line is understood.');
    expect(triedExit).toBe(0);
  });

  it('of RLM has no name, and try-source prints its licenses', async () => {
    const { exit, file, tried, triedExit } = await captureAndTry(createSources(), 'render');
    expect([exit, triedExit]).toEqual([0, 0]);
    expect(file).not.toMatch(PERSONAL);
    expect(tried).toMatch(/;d\d+: up, 2 features\n {4}f\w+_1 2020\.1: 4 licenses, 3 in use, 2 checkouts, /);
  });

  it('of a source in another time zone has the dates that its tool printed', async () => {
    const sources = createSources();
    const { file } = await captureAndTry(sources, 'render');
    expect(file).toMatch(/exp: 28-/);
    for (const zone of ['America/Los_Angeles', 'Pacific/Auckland']) {
      const path = join(sources.folder, 'moved.txt');
      writeFileSync(path, file.replace(/(time zone\W+)UTC/, `$1${zone}`));
      const tried = run(['try-source', path]);
      await tried.exit;
      expect(tried.output()).toMatch(/expires \d{4}-\d{2}-28\n/);
    }
  });

  it('shows what is not understood, with the number of its line', async () => {
    const sources = createSources();
    const text = renderLmstat(createLargeSite({ ...large, daemon: 'flexd' }), utc);
    sources.site.print('27000@lic1.acme.example', `${text}a new kind of line about jdoe at ws1\n`);
    const { exit, file, tried, triedExit } = await captureAndTry(sources, 'cad');
    expect([exit, triedExit]).toEqual([0, 1]);
    expect(file).not.toMatch(PERSONAL);
    const line = file.split('\n').findIndex((one) => /^a \S+ \S+ of \S+ \S+ \S+ at \S+$/.test(one)) + 1;
    expect(line).toBeGreaterThan(0);
    expect(tried).toContain('Not understood: 1 line\n');
    expect(tried).toMatch(new RegExp(`^ {2}line ${line}, lmutil lmstat -a: a .* of .* at \\S+$`, 'm'));
  });

  it('of a source that cannot be read says why in the log, and that it could not in the file', async () => {
    const { exit, file, lines, tried, triedExit } = await captureAndTry(createSources(), 'scripted');
    expect(exit).toBe(1);
    expect(lines.find(({ msg }) => msg === 'not read')?.['reason']).toMatch(/observations\.json does not exist; /);
    expect(file).toMatch(/^== failure of the observation document, at .* ==\nmissing_tool\n$/m);
    expect(file).not.toContain('observations.json');
    expect(tried).toContain('failure: missing_tool: the observation document could not be read');
    expect(triedExit).toBe(0);
  });

  it('needs no folder of the daemon: its user may have none', async () => {
    const sources = createSources();
    const path = join(sources.folder, 'config.yml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^storage: .*/, 'storage: {path: /nowhere/state}'));
    const { exit, lines } = await captureAndTry(sources, 'cad');
    expect([exit, lines]).toEqual([0, []]);
  });

  it('that recognizes nothing says so', async () => {
    const sources = createSources();
    sources.site.print('5053@lic1.acme.example', 'Welcome, jdoe!\nhave a nice day\n');
    const { exit, file, lines } = await captureAndTry(sources, 'render');
    expect(exit).toBe(1);
    expect(lines.find(({ msg }) => msg === 'not recognized')?.['reason']).toContain(
      'nothing of it is an output of rlm;',
    );
    expect(file).not.toMatch(PERSONAL);
  });

  it('of a server that is down is understood', async () => {
    const sources = createSources();
    sources.site.play('27000@lic1.acme.example', 'lmgrd_down');
    const { exit, file, tried, triedExit } = await captureAndTry(sources, 'cad');
    expect([exit, triedExit]).toEqual([0, 0]);
    expect(file).toContain('lmgrd is not running: License server machine is down or not responding. (-96,7:2');
    expect(tried).toContain('failure: unreachable: ');
  });

  it('refuses a source that does not exist', async () => {
    const { config } = createSources();
    const capture = run(['capture', config, 'cda']);
    expect(await capture.exit).toBe(1);
    expect(capture.output()).toBe('no source has the name cda, did you mean cad?; there are cad, render, scripted\n');
  });
});

describe('try-source', () => {
  const flexnet = createLargeSite({ ...large, daemon: 'flexd' });
  it.each<[string, string, number, RegExp]>([
    [
      'lmstat -a',
      renderLmstat(flexnet, utc),
      0,
      /^flexnet: lmutil lmstat -a\n {2}server 27000@lic1\S+: up, master\n {2}27000@lic1\.acme\.example;flexd: up, 2 features\n {4}feature_1: \S+ licenses|^flexnet: lmutil lmstat -a\n/,
    ],
    [
      'lmstat -i',
      renderLmstatInventory(flexnet, utc),
      0,
      /^flexnet: lmutil lmstat -i\n[\s\S]* feature_1 2020\.1: 4 licenses, .*expires permanent\n/,
    ],
    ['rlmstat -a', renderRlmstat(flexnet, utc), 0, /^rlm: rlmutil rlmstat -a\n[\s\S]* feature_2 2021\.1: /],
    [
      'a license file',
      'INCREMENT f flexd 1.0 permanent 9 SIGN=0\nINCREMENT broken\n',
      1,
      /f 1\.0: 9 licenses[\s\S]*line 2, a license file: INCREMENT broken\n/,
    ],
    [
      'a document',
      '{"version":1,"time":1700000000,"vendor_licenses":[{"server":"1@h","daemon":"d","features":[{"feature":"f","count":3,"in_use":1}]}]}',
      0,
      /^json: [\s\S]* f: 3 licenses, 1 in use, 0 checkouts, .*queued not known, expires not known\n/,
    ],
    ['a wrong document', '{"version":1}', 1, /failure: unparsed: [\s\S]*The text gives no data\.\n/],
    [
      'a debug log',
      ' 8:13:04 (flexd) OUT: "f" u@h  \n',
      0,
      /^flexnet: the end of the debug log\n {2}debug log: 0 lines/,
    ],
  ])('recognizes %s', async (_, text, exit, expected) => {
    const path = join(temporaryFolder(), 'text');
    writeFileSync(path, text);
    const tried = run(['try-source', path]);
    expect([await tried.exit, tried.output()]).toEqual([exit, expect.stringMatching(expected)]);
  });

  it.each([
    ['that does not exist', undefined, 'cannot be read: ENOENT; check the path'],
    [
      'of another form',
      'Dear team,\nplease find attached\n',
      'is neither a capture nor a text that a license manager prints',
    ],
    [
      'that is a capture of another version',
      'license-exporter capture 2\n',
      'cannot be tried: it is a capture of another version',
    ],
  ])('refuses a file %s', async (_, text, message) => {
    const path = join(temporaryFolder(), 'text');
    if (text !== undefined) writeFileSync(path, text);
    const tried = run(['try-source', path]);
    expect([await tried.exit, tried.output()]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('the example in docs/sources.md', () => {
  it('is what try-source prints', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/sources.md'), 'utf8');
    const [, capture = '', printed = ''] =
      /```text\n(license-exporter capture 1\n[\s\S]*?)```[\s\S]*?```text\n([\s\S]*?)```/.exec(page) ?? [];
    const path = join(temporaryFolder(), 'capture.txt');
    writeFileSync(path, capture);
    const tried = run(['try-source', path]);
    expect([await tried.exit, tried.output()]).toEqual([1, printed]);
  });
});
