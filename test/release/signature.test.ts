import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { repository } from '../../deploy/release/dependencies.ts';
import { signChecksums, signerOf, writeChecksums } from '../../deploy/release/signature.ts';
import { createCleanup } from '../support/harness.ts';
import { peer } from '../support/peers.ts';

/** The checksums of a release and their signatures, checked as docs/install.md says. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** The files of a release with their checksums, and a folder for keys. */
function createRelease() {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-release-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const build = join(folder, 'build');
  const keys = join(folder, 'keys');
  mkdirSync(build);
  mkdirSync(keys, { mode: 0o700 });
  writeFileSync(join(build, 'license-exporter.tgz'), 'package');
  writeFileSync(join(build, 'sbom.cdx.json'), '{}');
  writeChecksums(build);
  const type = (command: string): number | null =>
    spawnSync('sh', ['-c', command], { cwd: build, env: { ...process.env, GNUPGHOME: keys } }).status;
  const change = (name: string): void =>
    writeFileSync(join(build, name), readFileSync(join(build, name), 'utf8').replace(/^./, 'X'));
  return { build, keys, type, change };
}

const check = 'sha256sum -c SHA256SUMS --ignore-missing';

describe('checksums', () => {
  it('are those of all files, and find one that was changed', () => {
    const { build, type, change } = createRelease();
    const lines = readFileSync(join(build, 'SHA256SUMS'), 'utf8').trim().split('\n');
    expect(lines.map((line) => line.split('  ')[1])).toEqual(['license-exporter.tgz', 'sbom.cdx.json']);
    expect(type(check)).toBe(0);
    change('license-exporter.tgz');
    expect(type(check)).toBe(1);
  });
});

describe.runIf(peer('minisign'))('a signature of minisign', () => {
  it('is verified by the documented command, and not of other checksums', () => {
    const { build, keys, type, change } = createRelease();
    const secret = join(keys, 'release.key');
    execFileSync('minisign', ['-G', '-W', '-p', join(build, 'release.pub'), '-s', secret], { stdio: 'ignore' });
    expect(signChecksums(build, signerOf(`minisign:${secret}`))).toBe('SHA256SUMS.minisig');
    const command = 'minisign -Vm SHA256SUMS -p release.pub';
    expect(type(command)).toBe(0);
    change('SHA256SUMS');
    expect(type(command)).toBe(1);
  });
});

describe.runIf(peer('gpg'))('a signature of GPG', () => {
  it('is verified by the documented command, and not of other checksums', () => {
    const { build, keys, type, change } = createRelease();
    cleanup.add(() => void spawnSync('gpgconf', ['--homedir', keys, '--kill', 'gpg-agent']));
    const name = 'release@example.com';
    const generate = ['--batch', '--passphrase', '', '--quick-generate-key', name, 'ed25519', 'sign'];
    execFileSync('gpg', ['--homedir', keys, ...generate], { stdio: 'ignore' });
    // GPG finds its keys in the environment of the process
    const script = `
      import { signChecksums, signerOf } from './deploy/release/signature.ts';
      console.log(signChecksums(process.argv[1], signerOf('gpg:${name}')));`;
    const signed = spawnSync(process.execPath, ['--input-type=module', '-e', script, build], {
      cwd: repository,
      encoding: 'utf8',
      env: { ...process.env, GNUPGHOME: keys },
    });
    expect(signed).toMatchObject({ status: 0, stdout: 'SHA256SUMS.asc\n' });
    const command = 'gpg --verify SHA256SUMS.asc SHA256SUMS';
    expect(type(command)).toBe(0);
    change('SHA256SUMS');
    expect(type(command)).toBe(1);
  });
});

describe('what a release is signed with', () => {
  it.each([
    [
      'pgp:ABC',
      'write minisign:KEY, where KEY is the file of the secret key, or gpg:KEY, where KEY is the fingerprint',
    ],
    ['minisign', 'write minisign:KEY'],
    ['minisign:/nowhere/release.key', 'there is no file /nowhere/release.key'],
  ])('%s is refused with the remedy', (text, remedy) => {
    expect(() => signerOf(text)).toThrow(remedy);
  });

  it('is refused by npm run release before it removes anything', () => {
    const script = join(repository, 'deploy/release/release.ts');
    const called = spawnSync(process.execPath, [script, '--sign-with=pgp:ABC'], { encoding: 'utf8' });
    expect(called).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('"pgp:ABC"') });
  });
});
