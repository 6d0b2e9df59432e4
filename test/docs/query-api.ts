import {
  type AnswerKind,
  durationCodes,
  type Endpoint,
  endpoints,
  type Parameter,
} from '../../src/base/query-api/endpoints.ts';
import type { Field, Fields, FieldType } from '../../src/base/query-api/field.ts';
import { recordFields } from '../../src/base/query-api/records.ts';
import { anchorOf, cell, code, table } from '../support/markdown.ts';

/** The sections of docs/query-api.md that are generated from the contract. */

type RecordEndpoint = keyof typeof recordFields;

/** The specification's section of each kind of record. */
const recordSectionOf: Readonly<Record<RecordEndpoint, { readonly section: string; readonly name: string }>> = {
  GetProducts: { section: '2.1', name: 'Product usage record' },
  GetFeatures: { section: '2.2', name: 'Feature record' },
  GetUsers: { section: '2.3', name: 'User record' },
  GetServerDown: { section: '2.4', name: 'Server-down record' },
  GetExpirationFeatures: { section: '2.5', name: 'Expiration record' },
};
const recordEndpoints = Object.keys(recordSectionOf) as readonly RecordEndpoint[];

const recordHeading = (endpoint: RecordEndpoint): string => {
  const { section, name } = recordSectionOf[endpoint];
  return `${section} ${name} (${endpoint})`;
};

const shownTypes: Readonly<Record<FieldType, string>> = {
  count: 'integer',
  quantity: 'number',
  number: 'number',
  time: 'integer',
  expiration: 'integer',
  text: 'string',
  scalar: 'string, number or boolean',
  flag: 'boolean',
  date: 'string `/Date(ms)/`',
};

const shownUnknown: Readonly<Record<Field['unknown'], string>> = {
  never: '',
  absent: 'absent',
  NaN: '`NaN`',
  null: '`null`',
};

const fieldsOf = (endpoint: RecordEndpoint): readonly (readonly [name: string, field: Field])[] =>
  Object.entries(recordFields[endpoint] as Fields);

/** The columns of a field in the documentation, one per line. */
const fieldColumns: Readonly<Record<string, (name: string, field: Field) => string>> = {
  field: (name) => code(name),
  type: (_, { type }) => shownTypes[type],
  unit: (_, { unit = '' }) => unit,
  meaning: (_, { meaning }) => cell(meaning),
  'not known': (_, { unknown }) => shownUnknown[unknown],
  gauge: (_, { metric }) => (metric === 'none' || metric === 'label' ? '' : code(metric)),
};

/** Sections 2.1 to 2.5. */
export function recordSections(): string {
  const columns = Object.values(fieldColumns);
  return recordEndpoints
    .map((endpoint) => {
      const rows = fieldsOf(endpoint).map(([name, field]) => columns.map((column) => column(name, field)));
      return `\n### ${recordHeading(endpoint)}\n\n${table(Object.keys(fieldColumns), rows)}`;
    })
    .join('\n');
}

const isRecordEndpoint = (name: string): name is RecordEndpoint => Object.hasOwn(recordSectionOf, name);

const SHAPES = '[2.6](#26-chart-series-shapes)';

/** The description of each kind of answer. @param records a link to the records, if the answer has records */
const answers: Readonly<Record<AnswerKind, (records: string) => string>> = {
  records: (records) => `a JSON array of ${records}.`,
  'nested-records': (records) => `a JSON array that holds one JSON array of ${records}.`,
  users: (records) => `an object with \`totalCount\` (integer) and \`data\` (array of ${records}).`,
  trend: () => `three trend series, see ${SHAPES}.`,
  reserved: () => `an array with one reserved-history result, see ${SHAPES}.`,
  efficiency: () => `an array with one efficiency result, see ${SHAPES}.`,
  'heat-map': () => `an array with one heat-map result, see ${SHAPES}.`,
  text: () => 'bare text, not JSON.',
  integer: () => 'a bare integer.',
};

function answerOf(name: string, { answer }: Endpoint): string {
  if (!isRecordEndpoint(name)) return answers[answer]('');
  const { section, name: record } = recordSectionOf[name];
  return answers[answer](`${record.toLowerCase()}s ([${section}](#${anchorOf(recordHeading(name))}))`);
}

function valuesOf({ allowed, integer, default: fallback, wildcard }: Parameter): string {
  const values = [
    ...(allowed === undefined ? [] : [allowed.map(code).join(', ')]),
    ...(integer === undefined ? [] : [`${integer[0]} to ${integer[1]}`]),
    ...(wildcard === true ? ['pattern'] : []),
    ...(fallback === undefined ? [] : [`default \`${fallback}\``]),
  ];
  return values.join('; ');
}

function parametersOf({ parameters }: Endpoint): string {
  if (parameters.length === 0) return 'No parameters.';
  return table(
    ['parameter', 'required', 'meaning', 'values'],
    parameters.map((parameter) => [
      code(parameter.name),
      parameter.required ? 'yes' : '',
      cell(parameter.meaning),
      valuesOf(parameter),
    ]),
  );
}

/** Sections 4.1 to 4.11. */
export const endpointSections = (): string =>
  Object.entries(endpoints)
    .map(([name, endpoint]: [string, Endpoint]) =>
      [
        `\n### ${endpoint.section} ${endpoint.method} ${endpoint.path}`,
        cell(endpoint.summary),
        parametersOf(endpoint),
        `Answer: ${answerOf(name, endpoint)}`,
      ].join('\n\n'),
    )
    .join('\n');

/** The values of `last`. */
export const durationTable = (): string =>
  table(
    ['`last`', 'duration'],
    Object.entries(durationCodes).map(([value, meaning]) => [code(value), meaning]),
  );
