import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkConfig } from '../../../src/program/commands/check-config.ts';
import { parseCommandLine } from '../../../src/program/commands/command-line.ts';
import { createCertificate } from '../../support/certificate.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';
import { readPage } from '../../support/markdown.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** What the command prints of a configuration. */
async function check(yaml: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-check-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'c.yml');
  writeFileSync(file, yaml);
  writeFileSync(join(folder, 'users'), 'svc:0123456789abcdef0123456789abcdef\n', { mode: 0o600 });
  writeFileSync(join(folder, 'password'), 'geheim\n', { mode: 0o600 });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  let printed = '';
  const code = await checkConfig({
    line: parseCommandLine(['check-config', file]),
    env: {},
    version: '0.0.0',
    revision: 'test',
    createLog: createTestLog,
    print: (text) => {
      printed += text;
    },
    printAll: async () => undefined,
    stop: new AbortController().signal,
    input: () => process.stdin,
    onReload: () => undefined,
  });
  expect(code).toBe(0);
  return printed.replaceAll(folder, 'HERE');
}

const analyzer =
  'analyzer: {url: http://h/a, username: u, password_file: password}\nweb: {listen_address: 127.0.0.1:10319}\n';

describe('check-config prints the commands of a configuration', () => {
  it.each([
    [analyzer, 'HERE/c.yml: OK for serve, doctor, demo\n'],
    [
      `${analyzer}alerting: {alertmanagers: http://am:9093}\nembedded_analyzer: {users_file: users}\n`,
      'HERE/c.yml: OK for serve, doctor, test-alert, analyzer, demo\n',
    ],
    // an analyzer alone
    [
      'embedded_analyzer: {users_file: users}\n',
      'HERE/c.yml: OK for analyzer, demo; serve requires analyzer.url or embedded_analyzer.sources\n',
    ],
    [
      'embedded_analyzer: {site: {seed: 7}}\nstorage: {path: users}\n',
      'warning: storage.path: HERE/users is not a directory\n' +
        'HERE/c.yml: OK for demo; serve requires analyzer.url or embedded_analyzer.sources; analyzer requires embedded_analyzer.users_file\n',
    ],
  ])('%j', async (yaml, printed) => {
    expect(await check(yaml)).toBe(printed);
  });

  it('with a line about listening on all addresses without users, for the daemon that listens there', async () => {
    const warning =
      'warning: every client that reaches port 10319 can read licenses, owners and alerts: web.listen_address is on all addresses, and no password is required; add users to web.config_file, or set web.listen_address to one address, such as 127.0.0.1:10319\n';
    const open = 'analyzer: {url: http://h/a, username: u, password_file: password}\n';
    expect(await check(open)).toBe(`${warning}HERE/c.yml: OK for serve, doctor, demo\n`);
    expect(await check('embedded_analyzer: {users_file: users}\n')).not.toContain('warning');
  });

  it('of the documentation of the embedded analyzer', async () => {
    const { cert, key } = createCertificate(cleanup);
    const [, yaml = ''] = /^```yaml\n(# analyzer\.yml\n[^`]*)^```$/m.exec(readPage('docs/analyzer.md')) ?? [];
    expect(yaml).toContain('tls: {cert_file: analyzer.pem, key_file: analyzer.key}');
    const printed = await check(yaml, {
      'analyzer.pem': cert,
      'analyzer.key': key,
    });
    expect(printed).toBe(
      'HERE/c.yml: OK for analyzer, demo; serve requires analyzer.url or embedded_analyzer.sources\n',
    );
  });

  it('and refuses one without any command', async () => {
    await expect(check('log: {level: warn}\n')).rejects.toThrow('no analyzer is configured');
    await expect(check('embedded_analyzer: {users_fil: users}\n')).rejects.toThrow(
      'c.yml:1: embedded_analyzer.users_fil: unknown setting, did you mean users_file?',
    );
  });
});

describe('check-config on sources', () => {
  it('warns of a tool and of files that this host does not have', async () => {
    const printed = await check(`web: {listen_address: 127.0.0.1:10319}
embedded_analyzer:
  source_defaults: {manager: flexnet}
  sources:
    - {name: a, servers: [27000@lic1], via: {command: /opt/nowhere/lmutil}, license_files: [license.dat]}
    - {name: b, servers: [27000@lic2], via: {command: /bin/lmstat}, daemons: [flexd]}
    - {name: c, servers: [27000@lic3], via: {command: [/bin/sh, lmstat]}, options_files: {flexd: c.yml}}
    - {name: d, manager: json, via: {file: usage.json}}
`);
    expect(printed).toBe(
      'source a: flexnet at 27000@lic1, every 300 s\n' +
        'source b: flexnet at 27000@lic2, every 300 s\n' +
        'source c: flexnet at 27000@lic3, every 300 s\n' +
        'source d: json, every 300 s\n' +
        'note: until a license server has answered once, only license_source_up shows it, because its vendor daemons are not known; name them in `daemons` of the sources c\n' +
        'warning: source a: /opt/nowhere/lmutil does not exist; install the tool, or correct the path in `command`\n' +
        'warning: source a: license_files: HERE/license.dat does not exist\n' +
        'warning: source b: /bin/lmstat does not exist; install the tool, or correct the path in `command`\n' +
        'warning: source c: the file HERE/c.yml is not an options file: it has no statement of an options file; 0 of 8 statements were understood, the first that was not is in line 1 and looks like "a: {a_a: 9.9.9.9:9}"; the file was read as UTF-8; correct the path in `options_files`\n' +
        'warning: source d: via.file: HERE/usage.json does not exist\n' +
        'HERE/c.yml: OK for serve, doctor, demo\n',
    );
  });
});
