import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
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
const installedNode = join(root, 'node_modules/node');

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const versionOf = (folder: string): string => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;

/** Packs this program, or a package of the registry, and unpacks it into the folder. */
function unpackPackage(folder: string, ...names: readonly string[]): void {
  const packed = run('npm', 'pack', '--silent', '--pack-destination', build, ...names).trim();
  const file = join(build, packed.split('\n').at(-1) ?? '');
  mkdirSync(folder, { recursive: true });
  run('tar', '-xzf', file, '-C', folder, '--strip-components=1', '--no-same-owner');
  if (names.length > 0) rmSync(file);
}

/** Tests of dependencies, and maps of sources that they do not ship: nothing that runs reads them. */
const UNUSED = ['**/{test,tests,__tests__,bench,benchmark,benchmarks}', '**/*.map'];

/** Removes what npm packs of dependencies and the program does not need. */
function removeUnused(folder: string): void {
  const modules = join(folder, 'node_modules');
  for (const path of globSync(UNUSED, { cwd: modules })) rmSync(join(modules, path), { recursive: true, force: true });
}

/** The npm package that has Node for the platform, in the version that the tests run under. */
function nodeFolder(platform: string, work: string): string {
  const installed = join(installedNode, 'node_modules', `node-${platform}`);
  if (existsSync(installed)) return installed;
  const folder = join(work, 'node-package');
  unpackPackage(folder, `node-${platform}@${versionOf(installedNode)}`);
  return folder;
}

/** Writes `NAME.tar.gz` of the folder `NAME` in `parent`: sorted, and without users and umask. The time is that of npm's packages. */
function writeArchive(parent: string, name: string): string {
  const file = join(build, `${name}.tar.gz`);
  const fixed = [
    '--sort=name',
    '--mtime=1985-10-26T08:15Z',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
  ];
  run('tar', '--format=gnu', ...fixed, '-I', 'gzip -n', '-cf', file, '-C', parent, name);
  return file;
}

/** The license of Node. The package for Windows has none; it is the same for all platforms. */
function nodeLicense(): string {
  const [license] = globSync(join(installedNode, 'node_modules/node-*/LICENSE'));
  if (license !== undefined) return license;
  throw new Error('the license of Node is missing in node_modules/node; run npm ci');
}

function bundle(name: string): string {
  const platform = platforms[name];
  if (platform === undefined)
    throw new Error(`--platform ${name}: must be one of ${Object.keys(platforms).join(', ')}`);
  mkdirSync(build, { recursive: true });
  const work = mkdtempSync(join(build, 'bundle-'));
  try {
    const folder = join(work, `license-exporter-${versionOf(root)}.${name}`);
    unpackPackage(folder);
    removeUnused(folder);
    cpSync(join(nodeFolder(name, work), platform.program), join(folder, 'node', platform.program));
    cpSync(nodeLicense(), join(folder, 'node/LICENSE'));
    for (const [from, to] of Object.entries(platform.files)) cpSync(join(root, from), join(folder, to));
    return writeArchive(work, basename(folder));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { platform: { type: 'string', default: 'linux-x64' } } });
process.stdout.write(`${relative(process.cwd(), bundle(values.platform))}\n`);
