import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Operators write passwords, keys and configurations beside compose.yml. None may reach the package, the image or the repository. */

const root = join(import.meta.dirname, '../..');
const folder = 'deploy/docker';
const shipped = readdirSync(join(root, folder)).filter((name) => isTracked(join(folder, name)));
const written = ['config.yml', 'analyzer-password', 'web.yml', 'key.pem', 'secrets/analyzer-password'];

function isTracked(path: string): boolean {
  return spawnSync('git', ['ls-files', '--error-unmatch', path], { cwd: root }).status === 0;
}

describe('what an operator writes beside compose.yml', () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'license-exporter-secrets-'));
    for (const name of ['package.json', '.gitignore', folder])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    for (const name of written) {
      const path = join(copy, folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'secret');
    }
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  it('is not in the npm package, which has the files of the repository', () => {
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
    const [{ files }] = JSON.parse(execFileSync('npm', pack, { cwd: copy, encoding: 'utf8' }));
    const paths = files.map(({ path }: { path: string }) => path);
    const packed = paths.filter((path: string) => path.startsWith(`${folder}/`));
    expect(shipped.length).toBeGreaterThan(2);
    expect(packed.sort()).toEqual(shipped.map((name) => `${folder}/${name}`).sort());
  });

  it('is not committed', () => {
    execFileSync('git', ['init', '--quiet'], { cwd: copy });
    execFileSync('git', ['add', '--all'], { cwd: copy });
    const added = execFileSync('git', ['ls-files', folder], { cwd: copy, encoding: 'utf8' }).trim().split('\n');
    expect(added.sort()).toEqual(shipped.map((name) => `${folder}/${name}`).sort());
  });

  it('is not sent to the container engine, by the rules that git has too', () => {
    const rules = (file: string): string[] =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => line.replace('!', '').startsWith(`${folder}/`));
    // the last rule that matches decides, in both files
    expect(rules('.dockerignore')).toEqual(rules('.gitignore'));
    expect(readFileSync(join(root, '.dockerignore'), 'utf8').trimEnd()).toMatch(
      new RegExp(`${rules('.gitignore').join('\n').replaceAll('*', '\\*')}$`),
    );
  });
});
