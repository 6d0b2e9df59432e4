import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../../deploy/release/dependencies.ts';

/** package.json has the version. What else names it is of the same one. */

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

/** How a text names this version: the files of a release, the tags of the image and the label in it. */
const named = /(?:license-exporter[-:]|newTag: |image\.version=")(\d+\.\d+\.\d+)/g;

describe('the version of package.json', () => {
  it('is that of package-lock.json', () => {
    const lock = JSON.parse(read('package-lock.json'));
    expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  });

  it('is that of every file and image that pages, manifests and Dockerfile name', () => {
    const pages = ['README.md', 'docs/**/*.md', 'deploy/**/*.{md,ts,yml,yaml,xml}', 'deploy/Dockerfile'];
    const files = globSync(pages, { cwd: repository });
    const found = files.flatMap((file) => [...read(file).matchAll(named)].map(([text, of]) => ({ file, text, of })));
    expect(found.filter(({ of }) => of !== version)).toEqual([]);
    const paths = new Set(found.map(({ file }) => file));
    const expected = ['docs/install.md', 'deploy/Dockerfile', 'deploy/docker/compose.yml'];
    expect([...expected, 'deploy/kubernetes/kustomization.yaml'].filter((file) => !paths.has(file))).toEqual([]);
  });
});
