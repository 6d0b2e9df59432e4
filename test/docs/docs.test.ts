import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { catalogue } from '../../src/exporter/metrics/catalogue.ts';
import { loadConfig } from '../../src/program/config/load.ts';
import type { ConfigError } from '../../src/program/config/problems.ts';
import { settingKeys } from '../../src/program/config/settings.ts';
import { dashboards } from '../support/dashboards.ts';
import { anchorOf, anchorsOf, linksOf, pagePaths, readPage, root, withoutFences } from '../support/markdown.ts';
import { tables } from './tables.ts';

/** Checks the documentation against the code, and its pages against each other. `UPDATE_DOCS=1` writes the generated parts. */

const sources = globSync(['src/**/*.{ts,js}', 'grafana/**/*.{ts,json}', 'deploy/**/*.{ts,yml,json}', 'test/**/*.ts'], {
  cwd: root,
});
const readSource = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the parts generated from the code', () => {
  it.each(Object.keys(tables))('include the current table of %s, on one page', (name) => {
    const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
    const [path = '', ...others] = pagePaths.filter((page) => readPage(page).includes(begin));
    expect({ path: path !== '', others }).toEqual({ path: true, others: [] });
    const text = readPage(path);
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    expect(to).toBeGreaterThan(from);
    const wanted = `${begin}\n${tables[name]?.()}\n${end}`;
    if (process.env.UPDATE_DOCS === '1')
      writeFileSync(join(root, path), text.slice(0, from) + wanted + text.slice(to + end.length));
    expect(readPage(path)).toContain(wanted);
  });

  it('have no markers of tables that do not exist', () => {
    const markers = pagePaths.flatMap((path) =>
      [...readPage(path).matchAll(/<!-- (?:begin|end) (.+?) -->/g)].map(([, name = '']) => name),
    );
    expect(markers.filter((name) => tables[name] === undefined)).toEqual([]);
  });
});

describe('pages', () => {
  it.each(pagePaths)('%s has only valid links', (path) => {
    const dead = linksOf(readPage(path)).filter((target) => {
      if (/^[a-z]+:/.test(target)) return false;
      const [file = '', anchor] = target.split('#');
      const found = file === '' ? path : relative(root, join(root, dirname(path), file));
      if (!existsSync(join(root, found))) return true;
      return anchor !== undefined && !anchorsOf(readPage(found)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it.each(pagePaths)('%s has unique headings, so that anchors are unique', (path) => {
    const anchors = anchorsOf(readPage(path));
    expect(anchors.filter((anchor, i) => anchors.indexOf(anchor) !== i)).toEqual([]);
  });

  it('are linked from the README', () => {
    const reached = new Set(['README.md']);
    for (const path of reached) {
      for (const target of linksOf(readPage(path))) {
        const file = target.split('#')[0] ?? '';
        const found = relative(root, join(root, dirname(path), file));
        if (pagePaths.includes(found)) reached.add(found);
      }
    }
    expect(pagePaths.filter((path) => !reached.has(path))).toEqual([]);
  });

  it('do not repeat a table row or a long line of another page', () => {
    const pagesOf = new Map<string, Set<string>>();
    for (const path of pagePaths) {
      for (const line of withoutFences(readPage(path)).split('\n')) {
        const isRow = line.startsWith('|') && !/^\|[-| ]+\|$/.test(line) && line.length > 40;
        if (isRow || line.length > 100) pagesOf.set(line, (pagesOf.get(line) ?? new Set()).add(path));
      }
    }
    expect([...pagesOf].filter(([, pages]) => pages.size > 1).map(([line]) => line)).toEqual([]);
  });

  it('keep the README short', () => {
    expect(readPage('README.md').split('\n').length).toBeLessThanOrEqual(150);
  });

  it('for users, with the runbooks, have at most 45,000 words', () => {
    const forUsers = pagePaths.filter((path) => /^(README\.md|docs\/(?!developers\/).*|deploy\/.*)$/.test(path));
    const words = forUsers.flatMap((path) => readPage(path).split(/\s+/)).filter((word) => /[a-z0-9]/i.test(word));
    expect(words.length).toBeLessThanOrEqual(45_000);
  });

  it('answer each question of the README under a heading with its words', () => {
    const section = /^## How do I …\?\n([\s\S]*?)^## /m.exec(readPage('README.md'))?.[1] ?? '';
    const targets = linksOf(section);
    for (const word of [
      '60-days',
      'names-of-users',
      'locked-account',
      'series',
      'scrape-timeout',
      'two-replicas',
      'upgrade',
      'reset',
      'grafana-cloud',
      'what-is-a-vendor-license',
    ]) {
      expect(targets.filter((target) => target.split('#')[1]?.includes(word))).toHaveLength(1);
    }
  });

  it('show configurations that are accepted', () => {
    const sections = new Set(settingKeys.map((key) => key.split('.')[0]));
    const blocks = pagePaths.flatMap((path) =>
      [...readPage(path).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = '']) => yaml),
    );
    const ours = blocks.filter((yaml) => Object.keys(parse(yaml)).every((key) => sections.has(key)));
    expect(ours.length).toBeGreaterThan(3);
    for (const yaml of ours) {
      const folder = mkdtempSync(join(tmpdir(), 'license-exporter-docs-'));
      writeFileSync(join(folder, 'config.yml'), yaml);
      writeFileSync(join(folder, 'analyzer-password'), 'secret\n', { mode: 0o600 });
      try {
        loadConfig({
          configFile: join(folder, 'config.yml'),
          flags: new Map(),
          // as under systemd, for a configuration that names no password file
          env: { CREDENTIALS_DIRECTORY: folder },
          requireAnalyzer: false,
        });
      } catch (error) {
        // the files that they name do not exist here
        const { problems } = error as ConfigError;
        expect(problems.filter(({ message }) => !message.endsWith('does not exist'))).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  });

  it('answer every question with panels that exist', () => {
    const text = readPage('docs/grafana.md');
    const rows = /\| question \| dashboard: panel \|\n.*\n((?:\|.*\n)+)/.exec(text)?.[1]?.trim().split('\n') ?? [];
    expect(rows).toHaveLength(20);
    const panels = new Set(
      dashboards.flatMap(({ title, panels: list }) =>
        list.map((panel) => `${title.replace('Licenses / ', '')}: ${panel.title}`),
      ),
    );
    for (const panel of rows.flatMap((row) => (row.split(' | ')[1] ?? '').replace(/ \|$/, '').split('; '))) {
      expect(panels).toContain(panel);
    }
  });

  it('name only metrics that exist', () => {
    const known = new Set(Object.keys(catalogue).flatMap((name) => [name, `${name}_sum`, `${name}_count`]));
    const named = pagePaths.flatMap((path) => readPage(path).match(/\blicense_[a-z_]+\b/g) ?? []);
    const unknown = named.filter(
      (name) =>
        !known.has(name) &&
        !/_$|^license_(exporter|poll|feature|upstream|type|model|password|files|source|seconds)$/.test(name),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });
});

describe('pages and code', () => {
  it('have every page, section and runbook that the code names', () => {
    const dead = sources.flatMap((path) =>
      [...readSource(path).matchAll(/\b(docs\/[a-z-]+\.md|runbooks\.md)(?:#([\w-]+))?/g)].flatMap(
        ([mention, page = '', anchor]) => {
          const file = page === 'runbooks.md' ? 'deploy/runbooks.md' : page;
          const isThere =
            pagePaths.includes(file) && (anchor === undefined || anchorsOf(readPage(file)).includes(anchor));
          return isThere ? [] : [`${path}: ${mention}`];
        },
      ),
    );
    expect(dead).toEqual([]);
  });

  it('have every section of the specification that a comment names', () => {
    const sections = new Set(
      [...readPage('docs/query-api.md').matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, section = '']) => section),
    );
    const named = sources
      .filter((path) => path.startsWith('src/'))
      .flatMap((path) => {
        const text = readSource(path).replace(/\n\s*(?:\*|\/\/) ?/g, ' ');
        return [...text.matchAll(/\bspec(?: sections?)? (\d[^)'".*]*(?:\.\d+[^)'".*]*)*)/gi)].flatMap(([, rest = '']) =>
          (rest.match(/\b\d\.\d+\b|^\d+\b/g) ?? []).map((section) => ({ path, section })),
        );
      });
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ section }) => !sections.has(section))).toEqual([]);
  });

  it('use the anchors of GitHub', () => {
    expect(anchorOf('2.1 Product usage record (GetProducts)')).toBe('21-product-usage-record-getproducts');
    expect(anchorOf('4.1 GET /api/GetProducts')).toBe('41-get-apigetproducts');
    expect(anchorOf('`NaN` and [links](x.md)')).toBe('nan-and-links');
  });
});
