import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exceptions, type SchemaPackage, typedModule } from '../support/dashboard-types.ts';

/**
 * The dashboards fit the types of the oldest schema package of Grafana that has types of panels, and of the newest one. The tests
 * of Grafana itself are not run: a type that fits is no picture.
 */

const root = join(import.meta.dirname, '../..');
/** Inside of the project, where the packages are found. */
const folder = join(root, 'node_modules/.cache', `dashboard-types-${process.pid}`);

const newest: SchemaPackage = { name: '@grafana/schema', isStrict: true, tableFields: 'Table.FieldConfig' };
const oldest: SchemaPackage = { name: 'grafana-schema-oldest', isStrict: false, tableFields: 'TableFieldOptions' };

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The errors of the compiler, with their places in the dashboards. */
async function errorsOf({ name }: SchemaPackage, text: string, places: readonly string[]): Promise<readonly string[]> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    skipLibCheck: true,
    types: [],
    // the types of panels import those of their own package by its published name
    paths: { '@grafana/schema': [join(root, 'node_modules', name)] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  writeFileSync(join(folder, 'dashboards.ts'), text);
  const tsc = join(root, 'node_modules/.bin/tsc');
  const output = await promisify(execFile)(tsc, ['-p', folder], { maxBuffer: 64 * 1024 * 1024 }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? String(error),
  );
  return output
    .split(/\n(?=\S)/)
    .filter((error) => /error TS/.test(error))
    .map((error) => {
      const [first = '', ...reasons] = error.trimEnd().split('\n');
      const [, number = '0', message = first] = /\((\d+),\d+\): (.*)$/.exec(first) ?? [];
      // the last reason is the most specific one
      return `${places[Number(number) - 1] ?? 'unknown place'}: ${(reasons.at(-1) ?? message).trim().slice(0, 400)}`;
    });
}

describe.each([oldest, newest])('the dashboards and the types of $name', (schema) => {
  it('fit', async () => {
    const { text, places } = typedModule(schema);
    expect(places.length).toBeGreaterThan(300);
    expect(await errorsOf(schema, text, places)).toEqual([]);
  });

  it('would not fit with a value that is not valid', async () => {
    const { text, places } = typedModule(schema);
    const broken = text.replace('"cellHeight":"sm"', '"cellHeight":"tiny"');
    expect(broken).not.toBe(text);
    expect(await errorsOf(schema, broken, places)).toEqual([expect.stringMatching(/: options: .*tiny/)]);
  });
});

describe('the packages', () => {
  it('are pinned, and the newest one is newer', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const major = (version = ''): number => Number(/(\d+)\.\d+\.\d+$/.exec(version)?.[1]);
    expect(major(devDependencies[newest.name])).toBeGreaterThan(major(devDependencies[oldest.name]));
  });

  it('have no exception that is not needed', () => {
    expect([...typedModule(newest).seen].sort()).toEqual(Object.keys(exceptions).sort());
  });

  it('reject an option that the newest Grafana does not know', async () => {
    const { text, places } = typedModule(newest);
    const broken = text.replace('"cellHeight":"sm"', '"cellHeight":"sm","cellHeigth":1');
    expect(await errorsOf(newest, broken, places)).toEqual([expect.stringContaining('cellHeigth')]);
  });
});
