import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run bundle`: an archive for hosts without npm: the content of the npm package with its own Node and a start script.
 * The same commit gives the same bytes.
 */

interface Platform {
  /** The program of Node in its npm package. */
  readonly program: string;
  /** Files for this platform, and where they are in the archive. */
  readonly files: Readonly<Record<string, string>>;
}

const platforms: Readonly<Record<string, Platform>> = {
  'linux-x64': {
    program: 'bin/node',
    files: { 'deploy/package/license-exporter': 'license-exporter' },
  },
  'win-x64': {
    program: 'bin/node.exe',
    files: {
      'deploy/windows/license-exporter.cmd': 'license-exporter.cmd',
      'deploy/windows/license-exporter-service.xml': 'license-exporter-service.xml',
    },
  },
};

const root = join(import.meta.dirname, '../..');
const build = join(root, 'build');

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Packs this program, or a package of the registry, and unpacks it into the folder. */
function unpackPackage(folder: string, ...names: readonly string[]): void {
  const packed = run('npm', 'pack', '--silent', '--pack-destination', build, ...names).trim();
  const file = join(build, packed.split('\n').at(-1) ?? '');
  mkdirSync(folder, { recursive: true });
  run('tar', '-xzf', file, '-C', folder, '--strip-components=1', '--no-same-owner');
  if (names.length > 0) rmSync(file);
}

/** The npm package that has Node for the platform, in the version that the tests run under. */
function nodeFolder(platform: string, work: string): string {
  const installed = join(root, 'node_modules/node/node_modules', `node-${platform}`);
  if (existsSync(installed)) return installed;
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/node/package.json'), 'utf8'));
  const folder = join(work, 'node-package');
  unpackPackage(folder, `node-${platform}@${version}`);
  return folder;
}
