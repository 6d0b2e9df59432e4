import { type AnswerKind, type Endpoint, endpoints, type Parameter } from './endpoints.ts';
import { errorCodes } from './errors.ts';
import type { Field, Fields, FieldType } from './field.ts';
import { mayBeEmpty } from './parameters.ts';
import { recordFields } from './records.ts';

/** The Query API as an OpenAPI 3.1 document, made from the tables of endpoints and records. */

type Schema = Readonly<Record<string, unknown>>;

const NAN_SENTENCE =
  'The bare literal NaN, which is not JSON, can stand in place of the number: the value is not known.';

const EPOCH_SECONDS: Schema = { type: 'integer', description: 'Epoch seconds.' };

const fieldSchemas: Readonly<Record<FieldType, Schema>> = {
  count: { type: 'integer' },
  quantity: { type: 'number' },
  number: { type: 'number' },
  time: EPOCH_SECONDS,
  expiration: EPOCH_SECONDS,
  text: { type: 'string' },
  scalar: { type: ['string', 'number', 'boolean'] },
  flag: { type: 'boolean' },
  date: { type: 'string', pattern: String.raw`^/Date\(-?[0-9]+\)/$`, description: 'Epoch milliseconds as /Date(ms)/.' },
};

/** The schema of a field, with its meaning and how an unknown value is represented. */
function fieldSchema({ type, meaning, unknown }: Field): Schema {
  const { description, ...schema } = fieldSchemas[type];
  const notes = [...(description === undefined ? [] : [description]), ...(unknown === 'NaN' ? [NAN_SENTENCE] : [])];
  const more = [...(unknown === 'absent' ? ['Left out when the value is not known.'] : []), ...notes];
  return {
    ...schema,
    ...(unknown === 'NaN' && { 'x-nan': true }),
    ...(unknown === 'null' && { type: [schema.type, 'null'].flat() }),
    description: [meaning, ...more].join(' '),
  };
}

const object = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});
const array = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more });
const tuple = (...prefixItems: readonly Schema[]): Schema => ({
  type: 'array',
  prefixItems,
  items: false,
  minItems: prefixItems.length,
});
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

type RecordEndpoint = keyof typeof recordFields;

/** The records of spec 2.1 to 2.5, by endpoint. */
const records: Readonly<Record<RecordEndpoint, { readonly name: string; readonly section: string }>> = {
  GetProducts: { name: 'Product', section: '2.1' },
  GetFeatures: { name: 'Feature', section: '2.2' },
  GetUsers: { name: 'User', section: '2.3' },
  GetServerDown: { name: 'ServerDown', section: '2.4' },
  GetExpirationFeatures: { name: 'Expiration', section: '2.5' },
};

function recordSchema(endpoint: RecordEndpoint): Schema {
  const fields: readonly (readonly [string, Field])[] = Object.entries(recordFields[endpoint] as Fields);
  return object(Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)])), {
    required: fields.filter(([, { unknown }]) => unknown !== 'absent').map(([name]) => name),
    description: `Section ${records[endpoint].section} of the specification.`,
  });
}

const recordEndpoints = Object.keys(records) as readonly RecordEndpoint[];
const isRecordEndpoint = (name: string): name is RecordEndpoint => Object.hasOwn(records, name);

const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const integer: Schema = { type: 'integer' };
/** A series of spec 2.6 with these data points. */
const series = (point: Schema): Schema => object({ name: text, data: array(point) });

const schemas: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(recordEndpoints.map((endpoint) => [records[endpoint].name, recordSchema(endpoint)])),
  TrendSeries: object({
    name: { enum: ['Max Available', 'Elapsed Time', 'Denials'] },
    data: array(tuple({ ...integer, description: 'Epoch milliseconds.' }, number)),
    type: { enum: ['line', 'column'] },
    yAxis: integer,
  }),
  ReservedHistory: object({
    series: array(
      series({ type: ['number', 'null'], description: 'Of a category; null when the value is not known.' }),
    ),
    categories: array(text),
  }),
  Efficiency: object({ series: array(series(tuple(text, number))) }),
  HeatMap: object({
    categories: tuple(array(text), array(text)),
    series: array(series(tuple(integer, integer, integer))),
  }),
  Error: object({
    error: {
      type: 'object',
      properties: { code: { enum: Object.keys(errorCodes) }, message: text, parameter: text },
      required: ['code', 'message'],
    },
  }),
};

const answerSchemas: Readonly<Record<Exclude<AnswerKind, 'records'>, Schema>> = {
  'nested-records': array(array(reference('Feature')), { minItems: 1, maxItems: 1 }),
  users: object({ totalCount: integer, data: array(reference('User')) }),
  trend: array(reference('TrendSeries'), { minItems: 3, maxItems: 3 }),
  reserved: array(reference('ReservedHistory'), { minItems: 1, maxItems: 1 }),
  efficiency: array(reference('Efficiency'), { minItems: 1, maxItems: 1 }),
  'heat-map': array(reference('HeatMap'), { minItems: 1, maxItems: 1 }),
  text: { type: 'string', description: 'Bare text, not JSON.' },
  integer: {
    type: 'string',
    pattern: '^([0-9]+|NaN)$',
    description: 'A bare integer, or the bare literal NaN: the value is not known.',
  },
};

function toParameter(endpoint: Endpoint, parameter: Parameter): Schema {
  const { name, meaning, required, allowed, integer: bounds, default: fallback, wildcard } = parameter;
  const schema = {
    ...(bounds === undefined ? text : { ...integer, minimum: bounds[0], maximum: bounds[1] }),
    ...(allowed !== undefined && { enum: allowed }),
    ...(fallback !== undefined && { default: bounds === undefined ? fallback : Number(fallback) }),
  };
  const sentence = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
  return {
    name,
    in: 'query',
    required,
    description: wildcard === true ? `${sentence} % stands for any run of characters.` : sentence,
    ...(required && mayBeEmpty(endpoint, parameter) && { allowEmptyValue: true }),
    schema,
  };
}

const errorResponse = (description: string): Schema => ({
  description,
  content: { 'application/json': { schema: reference('Error') } },
});

/** An array of the records of an endpoint. */
function recordsSchema(name: string): Schema {
  if (!isRecordEndpoint(name)) throw new Error(`${name} answers records, but has none`);
  return array(reference(records[name].name));
}

function toOperation(name: string, endpoint: Endpoint): Schema {
  const { answer, summary, section, parameters } = endpoint;
  const schema = answer === 'records' ? recordsSchema(name) : answerSchemas[answer];
  const mediaType = answer === 'text' || answer === 'integer' ? 'text/plain' : 'application/json';
  return {
    operationId: name,
    summary,
    description: `Section ${section} of the specification.`,
    parameters: parameters.map((parameter) => toParameter(endpoint, parameter)),
    responses: {
      200: { description: 'The answer.', content: { [mediaType]: { schema } } },
      400: errorResponse('A parameter is missing, illegal or given twice.'),
      401: {
        description: 'Not logged on, or the logon was rejected.',
        headers: { 'WWW-Authenticate': { schema: text } },
      },
      429: errorResponse(
        'More requests per second than allowed, or too many failed logons; try again after Retry-After.',
      ),
      500: errorResponse('The request failed.'),
    },
  };
}

/** @param version of the program */
export function createOpenApi(version: string): Schema {
  const paths = Object.entries(endpoints).map(([name, endpoint]) => [
    endpoint.path,
    { [endpoint.method.toLowerCase()]: toOperation(name, endpoint) },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'License Monitoring Query API',
      version,
      description:
        'Read-only queries of license usage, expiration, history and users. As the embedded analyzer of license-exporter serves it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/analyzer' }],
    security: [{ ntlm: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        ntlm: { type: 'http', scheme: 'NTLM', description: 'Authenticates the connection, not the single request.' },
      },
      schemas,
    },
  };
}
