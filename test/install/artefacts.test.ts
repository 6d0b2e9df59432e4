import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { artefacts, buildArtefacts } from '../support/artefacts.ts';
import { linksOf, pagePaths, readPage } from '../support/markdown.ts';

const root = join(import.meta.dirname, '../..');

/** The paths in an archive, without its one folder at the top. */
const content = (file: string): string[] =>
  execFileSync('tar', ['-tzf', file], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.slice(path.indexOf('/') + 1))
    .filter((path) => path !== '' && !path.endsWith('/'));

/** Pages for those who change the program: they are in the repository. */
const ofDevelopers: ReadonlySet<string> = new Set([
  'AGENTS.md',
  'CONTRIBUTING.md',
  ...pagePaths.filter((page) => /^(docs\/developers|src)\//.test(page)),
]);

const isOurs = (path: string): boolean => !path.startsWith('node_modules/');

describe('the npm package', () => {
  const paths = content(artefacts.package);

  it('has the program, what it reads, and what is copied from it, but no source and no tests', () => {
    const top = new Set(paths.filter(isOurs).map((path) => path.split('/')[0]));
    expect([...top].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'THIRD-PARTY-LICENSES',
      'deploy',
      'dist',
      'docs',
      'grafana',
      'package.json',
    ]);
    expect(paths).toEqual(
      expect.arrayContaining(['dist/base/html/style.css', 'dist/build.json', 'deploy/runbooks.md']),
    );
    expect(paths.filter((path) => isOurs(path) && /\.(ts|map)$|\.test\.|(^|\/)test\//.test(path))).toEqual([]);
  });

  it('has every page for users, and every file to which one links', () => {
    expect(paths.filter((path) => ofDevelopers.has(path))).toEqual([]);
    const files = pagePaths
      .filter((page) => !ofDevelopers.has(page))
      .flatMap((page) => [
        page,
        ...linksOf(readPage(page))
          .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
          .map((target) => normalize(join(dirname(page), target.split('#')[0] ?? ''))),
      ]);
    const missing = (file: string): boolean => !paths.some((path) => path === file || path.startsWith(`${file}/`));
    expect([...new Set(files)].filter((file) => missing(file) && !ofDevelopers.has(file))).toEqual([]);
    // only README says where they are
    const others = pagePaths.filter((page) => !ofDevelopers.has(page) && page !== 'README.md');
    const links = others.flatMap((page) =>
      linksOf(readPage(page)).map((to) => normalize(join(dirname(page), to.split('#')[0] ?? ''))),
    );
    expect(links.filter((to) => ofDevelopers.has(to))).toEqual([]);
  });

  it('has every package that is not for development only', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const entries = Object.entries<{ readonly dev?: boolean }>(lock.packages);
    const needed = entries.filter(([path, { dev = false }]) => path !== '' && !dev).map(([path]) => path);
    const folder = /^((?:node_modules\/(?:@[^/]+\/)?[^/@]+\/)+)package\.json$/;
    const packed = paths.flatMap((path) => folder.exec(path)?.[1]?.slice(0, -1) ?? []);
    expect(packed.sort()).toEqual(needed.sort());
  });
});

describe('a build', () => {
  const version = (env: Readonly<Record<string, string>>): string => {
    // not in `dist`, which others start meanwhile
    const folder = join(root, 'build/named');
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
    const built = join(folder, 'dist');
    execFileSync(process.execPath, ['deploy/package/build.ts', built], { cwd: root, env: { ...process.env, ...env } });
    return execFileSync(process.execPath, [join(built, 'launch.js'), '--version'], { encoding: 'utf8' });
  };

  it('names the commit and branch of the repository, or those that it is given', () => {
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
    expect(version({})).toMatch(new RegExp(`\\(branch: [^ ,]+, revision: ${head}(-dirty)?\\)\n`));
    expect(version({ SOURCE_REVISION: '0123abc', SOURCE_BRANCH: 'release' })).toContain(
      ' (branch: release, revision: 0123abc)\n',
    );
  });
});

describe('the archives', () => {
  it('have the content of the npm package, Node and what starts it', () => {
    const own = new Set(content(artefacts.package));
    const isUnused = (path: string): boolean =>
      /^node_modules\/(.*\/)?(test|tests|__tests__|bench|benchmark|benchmarks)\/|^node_modules\/.*\.map$/.test(path);
    const beside = (file: string): string[] => content(file).filter((path) => !own.has(path));
    const linux = beside(artefacts.bundle);
    expect(linux).toEqual(['license-exporter', 'node/LICENSE', 'node/bin/node']);
    const shipped = content(artefacts.bundle);
    expect(shipped.filter(isUnused)).toEqual([]);
    expect([...own].filter((path) => !isUnused(path) && !shipped.includes(path))).toEqual([]);
    expect([...own].some(isUnused)).toBe(true);
    buildArtefacts('--', '--platform', 'win-x64');
    const windows = beside(artefacts.windowsBundle);
    expect(windows).toEqual([
      'license-exporter-service.xml',
      'license-exporter.cmd',
      'node/LICENSE',
      'node/bin/node.exe',
    ]);
  });

  it('and the package are the same bytes after another build', () => {
    const files = [artefacts.package, artefacts.bundle];
    const hashes = () => files.map((file) => hash('sha256', readFileSync(file)));
    const before = hashes();
    buildArtefacts();
    expect(hashes()).toEqual(before);
  });
});
