import { execFileSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLicenseFile, productionDependencies, repository } from '../../deploy/release/dependencies.ts';

/** The files of the npm package, of which the archives and the image are made. */
function packedFiles(): string[] {
  const flags = ['--dry-run', '--json', '--ignore-scripts'];
  const output = execFileSync('npm', ['pack', ...flags], { cwd: repository, encoding: 'utf8' });
  return JSON.parse(output).flatMap(({ files }: { files: { path: string }[] }) => files.map(({ path }) => path));
}

describe('the npm package', () => {
  const files = packedFiles();
  const filesIn = (folder: string): string[] =>
    files.filter((path) => dirname(path) === folder).map((path) => basename(path));

  it('has every production dependency', () => {
    const missing = productionDependencies().filter(({ path }) => !filesIn(path).includes('package.json'));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it('has the license file of each that ships one, and the file with the other texts', () => {
    const missing = productionDependencies().filter(
      ({ path, licenseText }) => licenseText !== '' && !filesIn(path).some(isLicenseFile),
    );
    expect(missing.map(({ path }) => path)).toEqual([]);
    expect(files).toContain('THIRD-PARTY-LICENSES');
    expect(files).toContain('LICENSE');
  });
});
