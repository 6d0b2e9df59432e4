import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/base/query-api/endpoints.ts';
import { createOpenApi } from '../../../src/base/query-api/openapi.ts';

const path = join(import.meta.dirname, '../../../deploy/openapi.json');
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
  version: string;
};

describe('OpenAPI document', () => {
  it('in the repository equals the generated one (UPDATE_OPENAPI=1 writes it)', () => {
    const text = `${JSON.stringify(createOpenApi(version), undefined, 2)}\n`;
    if (process.env.UPDATE_OPENAPI === '1') writeFileSync(path, text);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>);
    expect(result).toEqual({ valid: true });
    const broken = await new Validator().validate({ ...(createOpenApi(version) as Record<string, unknown>), paths: 3 });
    expect(broken.valid).toBe(false);
  });

  it('has every endpoint with its method and parameters', () => {
    const { paths } = createOpenApi(version) as {
      paths: Record<string, Record<string, { parameters: { name: string; required: boolean }[] }>>;
    };
    expect(Object.keys(paths)).toHaveLength(11);
    for (const { path: endpointPath, method, parameters } of Object.values(endpoints)) {
      const operation = paths[endpointPath]?.[method.toLowerCase()];
      expect(operation?.parameters.map(({ name, required }) => ({ name, required }))).toEqual(
        parameters.map(({ name, required }) => ({ name, required })),
      );
    }
  });
});
