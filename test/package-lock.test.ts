import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface LockEntry {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '..');
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));

describe('package-lock.json', () => {
  const packages: Record<string, LockEntry> = read('package-lock.json').packages;

  it('has an entry for every optional dependency, so that npm ci accepts it on every platform', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => {
        const nested = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`;
        return packages[nested] === undefined && packages[`node_modules/${name}`] === undefined;
      }),
    );
    expect(missing).toEqual([]);
  });

  it('holds exact versions only', () => {
    const { dependencies, devDependencies } = read('package.json');
    const ranges = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^(npm:@?[a-z/-]+@)?\d+\.\d+\.\d+$/.test(String(version)),
    );
    expect(ranges).toEqual([]);
  });
});

describe('runtime', () => {
  it('is Node 24', () => {
    expect(Number(process.versions.node.split('.')[0])).toBe(24);
  });
});
