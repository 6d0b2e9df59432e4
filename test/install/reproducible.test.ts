import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { artefacts, buildArtefacts } from '../support/artefacts.ts';

const root = join(import.meta.dirname, '../..');

/** The paths in an archive, without its one folder at the top. */
const content = (file: string): string[] =>
  execFileSync('tar', ['-tzf', file], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.slice(path.indexOf('/') + 1))
    .filter((path) => path !== '' && !path.endsWith('/'));

const isOurs = (path: string): boolean => !path.startsWith('node_modules/');

describe('the npm package', () => {
  const paths = content(artefacts.package);

  it('has the program, what it reads, and what is copied from it, but no source and no tests', () => {
    const places = paths.filter(isOurs).map((path) =>
      path
        .split('/')
        .slice(0, path.startsWith('d') ? 2 : 1)
        .join('/'),
    );
    const folders = [...new Set(places)].filter((place) => !/^(dist|docs)\//.test(place)).sort();
    expect(folders).toMatchInlineSnapshot(`
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "deploy/alertmanager",
        "deploy/config.schema.json",
        "deploy/license-exporter.example.yml",
        "deploy/observations.schema.json",
        "deploy/openapi.json",
        "deploy/prometheus",
        "deploy/recipes",
        "deploy/runbooks.md",
        "grafana",
        "package.json",
      ]
    `);
    expect(paths.filter((path) => isOurs(path) && /\.(ts|map)$|\.test\.|(^|\/)test\//.test(path))).toEqual([]);
  });

  it('has every package that is not for development only', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; peer?: boolean }>;
    };
    const needed = Object.entries(packages).filter(([path, { dev = false }]) => path !== '' && !dev);
    const packed = paths.filter((path) =>
      /^node_modules\/(?:.+\/node_modules\/)?(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path),
    );
    expect(packed.map((path) => path.replace('/package.json', '')).sort()).toEqual(needed.map(([path]) => path).sort());
  });
});

describe('the archives', () => {
  it('have the content of the npm package, Node and what starts it', () => {
    const own = new Set(content(artefacts.package));
    const beside = (file: string): string[] => content(file).filter((path) => !own.has(path));
    const linux = beside(artefacts.bundle);
    expect(linux).toEqual(['license-exporter', 'node/LICENSE', 'node/bin/node']);
    expect(content(artefacts.bundle)).toHaveLength(own.size + linux.length);
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
