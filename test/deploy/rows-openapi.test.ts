import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { createRowsOpenApi, path } from '../../deploy/rows-openapi.ts';
import { targets } from '../../src/site/grafana/answers/targets.ts';
import { root } from '../support/markdown.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

interface Parameter {
  readonly name?: string;
  readonly $ref?: string;
  readonly schema?: { readonly enum?: readonly string[] };
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get: { readonly parameters: readonly Parameter[] } }>>;
}

describe('the OpenAPI document of the rows', () => {
  it('is up to date; if not, run npm run rows-openapi', () => {
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(createRowsOpenApi(version), undefined, 2)}\n`);
  });

  it('is valid OpenAPI 3.1', async () => {
    const document = createRowsOpenApi(version);
    expect(await new Validator().validate(document as Record<string, unknown>)).toEqual({ valid: true });
    expect((await new Validator().validate({ ...document, paths: 3 })).valid).toBe(false);
  });

  it('has every target with its keys and its shapes', () => {
    const { paths } = createRowsOpenApi(version) as unknown as Document;
    expect(Object.keys(paths)).toEqual(Object.keys(targets).map((name) => `/grafana/rows/${name}`));
    for (const [name, target] of Object.entries(targets)) {
      const parameters = paths[`/grafana/rows/${name}`]?.get.parameters ?? [];
      const names = parameters.map(({ name: own, $ref = '' }) => own ?? $ref.replace('#/components/parameters/', ''));
      expect(names).toEqual([...target.keys, 'from', 'to']);
      const shape = parameters.find((parameter) => parameter.name === 'shape');
      if (shape !== undefined) expect(shape.schema?.enum).toEqual(target.rowShapes);
    }
  });
});
