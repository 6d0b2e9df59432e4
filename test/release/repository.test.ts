import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repository } from '../../deploy/release/dependencies.ts';
import { publishedRunbooks } from '../../src/alerting/alerts/prometheus/published.ts';

/** What a repository has for people who come to it with a problem. */

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

describe('the repository', () => {
  it('is named in package.json, with where to report a problem', () => {
    const { repository: source, bugs } = JSON.parse(read('package.json'));
    const [, address] = /^git\+(https:\/\/.+)\.git$/.exec(source.url) ?? [];
    expect(bugs).toBe(`${address}/issues`);
    // the shipped rules link to it
    expect(publishedRunbooks()).toBe(`${address}/blob/main/deploy/runbooks.md`);
  });

  it('asks in its templates for the outputs that show what is wrong', () => {
    interface Template {
      readonly body: readonly { readonly id: string; readonly validations?: { readonly required: boolean } }[];
    }
    const required = (name: string): readonly string[] =>
      (parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as Template).body
        .filter(({ validations }) => validations?.required === true)
        .map(({ id }) => id);
    expect(required('problem')).toEqual(['seen', 'doctor', 'version']);
    expect(required('license-manager')).toEqual(['manager', 'command', 'capture']);
    expect(read('CONTRIBUTING.md')).toMatch(/license-exporter capture [\s\S]*\(SECURITY\.md\)/);
  });
});
