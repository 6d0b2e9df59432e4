import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lineKinds, releaseNotes, releasesOf } from '../../deploy/release/changelog.ts';
import { repository } from '../../deploy/release/dependencies.ts';

const changelog = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8');
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

const kindOf = (line: string): number =>
  lineKinds.indexOf(/^- \[([A-Z]+)\] /.exec(line)?.[1] as (typeof lineKinds)[number]);

/** Sorts like the version, as text. */
const order = (release: string): string =>
  release
    .split('.')
    .map((part) => part.padStart(6, '0'))
    .join('.');

describe('CHANGELOG.md', () => {
  const releases = releasesOf(changelog);

  it('has a section with a date for the version of package.json', () => {
    expect(releases.find((release) => release.version === version)?.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it('has at most 40 lines of at most 60 words for that version, so that they are read before an upgrade', () => {
    const { lines } = releases.find((release) => release.version === version) ?? { lines: [] };
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => line.split(' ').length > 60)).toEqual([]);
  });

  it('has releases with a date, the newest first, below what is not released', () => {
    const released = releases.filter(({ version: name }, at) => at > 0 || name !== 'Unreleased');
    expect(released.filter(({ version: name }) => !/^\d+\.\d+\.\d+$/.test(name))).toEqual([]);
    for (const keys of [released.map((release) => order(release.version)), released.map(({ date = '' }) => date)])
      expect(keys).toEqual(keys.toSorted().reverse());
  });

  it.each(releases)('has lines of a known kind in $version, in the order of the kinds, each once', ({ lines }) => {
    expect(lines.filter((line) => kindOf(line) < 0 || !line.endsWith('.'))).toEqual([]);
    expect(lines.map(kindOf)).toEqual(lines.map(kindOf).toSorted((a, b) => a - b));
    expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
  });
});

describe('release notes', () => {
  const sample = '# Changelog\n\n## Unreleased\n\n- [FEATURE] B.\n\n## 0.1.0 / 2026-01-02\n\n- [FEATURE] A.\n';

  it('are the lines of one version', () => {
    expect(releaseNotes(sample, '0.1.0')).toBe('# license-exporter 0.1.0 / 2026-01-02\n\n- [FEATURE] A.\n');
  });

  it.each(['0.2.0', 'Unreleased'])('are an error for %s, which has no section with a date', (missing) => {
    expect(() => releaseNotes(sample, missing)).toThrow(
      `CHANGELOG.md has no released version "${missing}": it has 0.1.0. Begin its section with \`## ${missing} / YYYY-MM-DD\`.`,
    );
  });

  it('are printed for the version of package.json, or of the argument', () => {
    const print = (...args: readonly string[]) =>
      spawnSync(process.execPath, [join(repository, 'deploy/release/release-notes.ts'), ...args], { encoding: 'utf8' });
    expect(print()).toMatchObject({ status: 0, stdout: releaseNotes(changelog, version) });
    expect(print('9.9.9')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('"9.9.9"') });
  });
});
