import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addressesOf, manifest, placeholderLines, placeholdersIn } from '../../deploy/release/addresses.ts';
import { repository } from '../../deploy/release/dependencies.ts';

const filled = {
  version: '1.2.3',
  repository: { url: 'git+https://git.site.test/licenses/license-exporter.git' },
  bugs: 'https://git.site.test/licenses/license-exporter/issues',
  config: { image: 'registry.site.test/license-exporter', security: 'security@site.test' },
};

describe('placeholders', () => {
  it('are found in each address of package.json', () => {
    expect(placeholdersIn(addressesOf(filled))).toEqual([]);
    const others = {
      'repository.url': { ...filled, repository: { url: 'git+https://git.example.com/a/license-exporter.git' } },
      bugs: { ...filled, bugs: 'https://example.org/issues' },
      'config.security': { ...filled, config: { ...filled.config, security: 'security@example.com' } },
      'config.image': { ...filled, config: { ...filled.config, image: 'registry.example/license-exporter' } },
    };
    for (const [key, other] of Object.entries(others))
      expect(placeholdersIn(addressesOf(other)).map((address) => address.key)).toEqual([key]);
  });

  it('are printed by npm run placeholders, whose exit code is 1 if there is one', () => {
    const script = join(repository, 'deploy/release/addresses.ts');
    const { stdout, status } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    const lines = placeholderLines(addressesOf(manifest()));
    expect(stdout).toBe(lines.length === 0 ? 'no placeholders\n' : `${lines.join('\n')}\n`);
    expect(status).toBe(lines.length === 0 ? 0 : 1);
  });
});

describe('the addresses of package.json', () => {
  /** Each address of a project of this name, and of its contact and image, by the file that has it. */
  const named = (files: readonly string[]) =>
    files.flatMap((file) => {
      const text = readFileSync(join(repository, file), 'utf8');
      const urls = text.match(
        /\bhttps?:\/\/[\w.-]+\/[\w./-]*\blicense-exporter(?:\.git|\/(?:blob|issues|releases|tree)\b)/g,
      );
      const contacts = text.match(/\bsecurity@[\w.-]+\w/g);
      return [...(urls ?? []), ...(contacts ?? [])].map((address) => ({ file, address }));
    });

  it('are the only ones of this project in the repository', () => {
    const listed = execFileSync('git', ['ls-files'], { cwd: repository, encoding: 'utf8' }).trim().split('\n');
    const files = listed.filter(
      (file) => /\.(?:ts|md|ya?ml|json|txt|xml|libsonnet)$/.test(file) && !file.startsWith('test/release/'),
    );
    const found = named(files);
    const { repository: source, config } = manifest();
    const address = source.url.replace(/^git\+|\.git$/g, '');
    expect(found.filter((one) => !one.address.startsWith(address) && one.address !== config.security)).toEqual([]);
    expect(new Set(found.map(({ file }) => file))).toEqual(
      new Set([
        ...found.map(({ file }) => file),
        'package.json',
        'SECURITY.md',
        'deploy/prometheus/license-alerts.yml',
      ]),
    );
  });
});
