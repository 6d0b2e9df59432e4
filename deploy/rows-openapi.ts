import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { datasourceErrors } from '../src/site/grafana/answers/errors.ts';
import { type Key, type KeyName, payloadKeys } from '../src/site/grafana/answers/payload-keys.ts';
import { type Target, type TargetName, targets } from '../src/site/grafana/answers/targets.ts';

/** The rows for Infinity, curl and scripts as an OpenAPI 3.1 document, made from the table of targets. */

type Schema = Readonly<Record<string, unknown>>;

export const path = join(import.meta.dirname, 'rows.openapi.json');

function valueSchema({ options, integer }: Key): Schema {
  if (integer !== undefined) return { type: 'integer', minimum: integer[0], maximum: integer[1] };
  return { type: 'string', ...(options !== undefined && { enum: options }) };
}

/** A parameter. Several values are repeated; a JSON array in one text is read, too. */
function parameterOf(name: KeyName, key: Key, required = false): Schema {
  const schema = valueSchema(key);
  return {
    name,
    in: 'query',
    required,
    description: key.meaning,
    schema: key.several === true ? { type: 'array', items: schema } : schema,
  };
}

/** Most parameters are the same for all targets. */
function usedBy(name: KeyName, { required, rowShapes }: Target): Schema {
  if (name === 'shape') return parameterOf(name, { ...payloadKeys.shape, options: rowShapes });
  if (required.includes(name)) return parameterOf(name, payloadKeys[name], true);
  return { $ref: `#/components/parameters/${name}` };
}

const common = (Object.keys(payloadKeys) as KeyName[]).filter((name) => name !== 'shape');

const times = ['from', 'to'].map((name) => ({
  name,
  in: 'query',
  required: false,
  description: `The time range ${name === 'from' ? 'begins' : 'ends'} here: ISO 8601, or epoch milliseconds.`,
  schema: { type: ['string', 'integer'] },
}));

const bounds = times.map(({ name }) => ({ $ref: `#/components/parameters/${name}` }));

/** Errors by status. */
const errors = Object.fromEntries(
  [...Map.groupBy(Object.values(datasourceErrors), ({ status }) => status)].map(([status, all]) => [
    String(status),
    {
      description: all.map(({ meaning }) => meaning).join(' '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]),
);

const operationOf = (name: TargetName, target: Target): Schema => ({
  operationId: name,
  summary: target.label,
  parameters: [...target.keys.map((key) => usedBy(key, target)), ...bounds],
  responses: {
    '200': {
      description: 'Rows. What is not known of them is in the notices.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Rows' } } },
    },
    ...Object.fromEntries(Object.keys(errors).map((status) => [status, { $ref: `#/components/responses/${status}` }])),
  },
});

const cell: Schema = {
  type: ['string', 'number', 'boolean', 'null'],
  description: 'null is a value that is not known.',
};
const text: Schema = { type: 'string' };

export const createRowsOpenApi = (version: string): Schema => ({
  openapi: '3.1.0',
  info: {
    title: 'Rows of license-exporter',
    version,
    description:
      'The data of the dashboards as flat rows. Times are epoch milliseconds, days are texts such as 2026-12-31.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  security: [{}, { basic: [] }],
  paths: Object.fromEntries(
    Object.entries(targets).map(([name, target]) => [
      `/grafana/rows/${name}`,
      { get: operationOf(name as TargetName, target) },
    ]),
  ),
  components: {
    securitySchemes: {
      basic: { type: 'http', scheme: 'basic', description: 'A user of the web config, if there is one.' },
    },
    parameters: Object.fromEntries([
      ...common.map((name) => [name, parameterOf(name, payloadKeys[name])]),
      ...times.map((bound) => [bound.name, bound]),
    ]),
    responses: errors,
    schemas: {
      Rows: {
        type: 'object',
        required: ['rows', 'notices', 'total'],
        properties: {
          rows: { type: 'array', items: { type: 'object', additionalProperties: cell } },
          notices: {
            type: 'array',
            items: {
              type: 'object',
              required: ['severity', 'text'],
              properties: { severity: { type: 'string', enum: ['info', 'warning', 'error'] }, text },
            },
          },
          total: { type: 'integer', description: 'Rows before `top` cut them.' },
        },
      },
      Error: {
        type: 'object',
        required: ['message', 'error'],
        properties: {
          message: text,
          error: { type: 'object', required: ['code', 'message'], properties: { code: text, message: text } },
        },
      },
    },
  },
});

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  writeFileSync(path, `${JSON.stringify(createRowsOpenApi(version), undefined, 2)}\n`);
}
