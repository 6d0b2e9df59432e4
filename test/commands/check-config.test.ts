import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkConfig } from '../../src/commands/check-config.ts';
import { parseCommandLine } from '../../src/commands/command-line.ts';
import { createCleanup, createTestLog } from '../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** What the command prints of a configuration. */
async function check(yaml: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-check-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'c.yml');
  writeFileSync(file, yaml);
  writeFileSync(join(folder, 'users'), 'svc:0123456789abcdef0123456789abcdef\n', { mode: 0o600 });
  writeFileSync(join(folder, 'password'), 'geheim\n', { mode: 0o600 });
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
    stop: new AbortController().signal,
    onReload: () => undefined,
  });
  expect(code).toBe(0);
  return printed.replaceAll(folder, 'HERE');
}

const analyzer = 'analyzer: {url: http://h/a, username: u, password_file: password}\n';

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
      'HERE/c.yml: OK for analyzer, demo; serve requires analyzer.url, username and a password\n',
    ],
    [
      'embedded_analyzer: {site: {seed: 7}}\nstorage: {path: users}\n',
      'warning: storage.path: HERE/users is not a directory\n' +
        'HERE/c.yml: OK for demo; serve requires analyzer.url, username and a password; analyzer requires embedded_analyzer.users_file\n',
    ],
  ])('%j', async (yaml, printed) => {
    expect(await check(yaml)).toBe(printed);
  });

  it('and refuses one without any command', async () => {
    await expect(check('log: {level: warn}\n')).rejects.toThrow('no analyzer is configured');
    await expect(check('embedded_analyzer: {users_fil: users}\n')).rejects.toThrow(
      'c.yml:1: embedded_analyzer.users_fil: unknown setting, did you mean users_file?',
    );
  });
});
