import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a release consists of. `npm run test:install` builds it before its tests. */

const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

const name = `license-exporter-${version}`;

export const artefacts = {
  version,
  /** The npm package. */
  package: join(root, 'build', `${name}.tgz`),
  /** The archive with its own Node, and the one folder in it. */
  bundle: join(root, 'build', `${name}.linux-x64.tar.gz`),
  bundleFolder: `${name}.linux-x64`,
  /** The same for Windows. */
  windowsBundle: join(root, 'build', `${name}.win-x64.tar.gz`),
  windowsBundleFolder: `${name}.win-x64`,
} as const;

/** Builds the package and the archive, from the files as they are now. */
export function buildArtefacts(...args: readonly string[]): void {
  execFileSync('npm', ['run', '--silent', 'bundle', ...args], { cwd: root, stdio: 'pipe' });
}

/** Global setup of the test run. */
export function setup(): void {
  buildArtefacts();
}
