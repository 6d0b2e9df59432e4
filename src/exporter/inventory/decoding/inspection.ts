import { type EndpointName, endpoints } from '../../../base/query-api/endpoints.ts';
import type { Field, Fields, FieldType } from '../../../base/query-api/field.ts';
import { isNoNumber, readJson } from '../../../base/query-api/json.ts';
import { recordFields } from '../../../base/query-api/records.ts';

/** How an answer differs from the specification, in words. */
export interface Inspection {
  /** Records or data points, `undefined` for a bare value. */
  readonly records: number | undefined;
  /** Required fields that are missing in at least one record. */
  readonly missing: readonly string[];
  /** Fields that are left out of at least one record. The specification allows this if the source cannot know the value. */
  readonly unknown: readonly string[];
  /** Fields that no record has, although there are records. */
  readonly lacking: readonly string[];
  /** Fields that are not in the specification. */
  readonly extra: readonly string[];
  /** Fields with a type other than specified, with the type found. */
  readonly mistyped: readonly string[];
}

const fieldsOf: Readonly<Partial<Record<EndpointName, Fields>>> = recordFields;

type Raw = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);

const checks: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  count: Number.isInteger,
  time: Number.isInteger,
  expiration: Number.isInteger,
  quantity: (value) => typeof value === 'number',
  number: (value) => typeof value === 'number',
  text: (value) => typeof value === 'string',
  scalar: (value) => typeof value !== 'object',
  flag: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && /^\/Date\(-?\d+\)\/$/.test(value),
};

/** `readJson` returns the empty string for the literal NaN. */
const unknownValues: Readonly<Record<Field['unknown'], (value: unknown) => boolean>> = {
  never: () => false,
  absent: () => false,
  NaN: (value) => value === '',
  null: (value) => value === null,
};

const isValid = ({ type, unknown }: Field, value: unknown): boolean =>
  checks[type](value) || unknownValues[unknown](value);

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return value === '' ? 'empty string or NaN' : typeof value;
}

/** The records, or a description of what is there instead. */
function recordsOf(name: EndpointName, value: unknown): readonly unknown[] | string {
  const { answer } = endpoints[name];
  if (answer === 'users') {
    if (!isObject(value) || !Array.isArray(value.data)) return 'the answer: no object with data';
    return Number.isInteger(value.totalCount) ? value.data : 'totalCount: no integer';
  }
  if (!Array.isArray(value)) return `the answer: ${typeName(value)} instead of an array`;
  if (answer !== 'nested-records') return value;
  return value.every(Array.isArray) ? value.flat() : 'the answer: no array of arrays';
}

const nothing: Inspection = { records: undefined, missing: [], unknown: [], lacking: [], extra: [], mistyped: [] };

function inspectRecords(name: EndpointName, fields: Fields, value: unknown): Inspection {
  const records = recordsOf(name, value);
  if (typeof records === 'string') return { ...nothing, records: 0, mistyped: [records] };
  const missing = new Set<string>();
  const unknown = new Set<string>();
  const found = new Set<string>();
  const mistyped = new Map<string, string>();
  for (const record of records) {
    if (!isObject(record)) {
      mistyped.set('a record', typeName(record));
      continue;
    }
    for (const [field, row] of Object.entries(fields)) {
      if (!Object.hasOwn(record, field)) {
        (row.unknown === 'absent' ? unknown : missing).add(field);
      } else if (!isValid(row, record[field])) mistyped.set(field, typeName(record[field]));
    }
    for (const field of Object.keys(record)) found.add(field);
  }
  return {
    records: records.length,
    missing: [...missing],
    unknown: [...unknown],
    lacking: records.length === 0 ? [] : Object.keys(fields).filter((field) => !found.has(field)),
    extra: [...found].filter((field) => !Object.hasOwn(fields, field)),
    mistyped: [...mistyped].map(([field, type]) => `${field}: ${type}`),
  };
}

interface ChartShape {
  /** Names of the series, in order. */
  readonly names: readonly string[];
  /** Members besides name and data, in the series or around them. */
  readonly members: readonly string[];
  readonly isPoint: (point: unknown) => boolean;
}

const isTuple = (value: unknown, ...types: readonly ('string' | 'number')[]): boolean =>
  Array.isArray(value) && value.length === types.length && types.every((type, i) => typeof value[i] === type);

const charts: Readonly<Partial<Record<EndpointName, ChartShape>>> = {
  GetHistory: {
    names: ['Max Available', 'Elapsed Time', 'Denials'],
    members: ['type', 'yAxis'],
    isPoint: (point) => isTuple(point, 'number', 'number'),
  },
  GetHistoryReserved: {
    names: ['Reserved Licenses', 'Distinct Users', 'Max In Use'],
    members: ['categories'],
    isPoint: (point) => typeof point === 'number' || point === null,
  },
  GetEfficiency: {
    names: ['Total Duration'],
    members: [],
    isPoint: (point) => isTuple(point, 'string', 'number'),
  },
  GetHeatMap: {
    names: ['Max In Use'],
    members: ['categories'],
    isPoint: (point) => isTuple(point, 'number', 'number', 'number'),
  },
};

/** Spec 2.6: a trend is an array of series, every other chart an array of one object that holds them. */
function inspectChart(name: EndpointName, shape: ChartShape, value: unknown): Inspection {
  const mistyped: string[] = [];
  const none = { ...nothing, records: 0 };
  if (!Array.isArray(value)) return { ...none, mistyped: [`the answer: ${typeName(value)} instead of an array`] };
  const isTrend = name === 'GetHistory';
  const holder: unknown = isTrend ? { series: value } : value[0];
  if (!isObject(holder) || !Array.isArray(holder.series)) return { ...none, mistyped: ['the answer: no series'] };
  const series = holder.series.filter(isObject);
  const names = series.map((one) => String(one.name));
  if (names.join() !== shape.names.join()) mistyped.push(`names of series: ${names.join(', ') || 'none'}`);
  const holders = isTrend ? series : [holder];
  const missing = shape.members.filter((member) => holders.some((each) => !Object.hasOwn(each, member)));
  const specified = [...(isTrend ? ['name', 'data'] : ['series']), ...shape.members];
  const extra = new Set(holders.flatMap((each) => Object.keys(each).filter((key) => !specified.includes(key))));
  const points = series.flatMap(({ data }) => (Array.isArray(data) ? data : ['no data']));
  const odd = points.find((point) => !shape.isPoint(point));
  if (odd !== undefined) mistyped.push(`a data point: ${typeName(odd)}`);
  return { records: points.length, missing, unknown: [], lacking: [], extra: [...extra], mistyped };
}

/**
 * Compares a body with the specification. The body is not changed.
 *
 * @throws SyntaxError when it is not JSON where JSON is specified
 */
export function inspectAnswer(name: EndpointName, body: Buffer): Inspection {
  const fields = fieldsOf[name];
  const shape = charts[name];
  if (fields === undefined && shape === undefined) {
    return isNoNumber(body.toString('utf8').trim()) ? { ...nothing, unknown: ['the number'] } : nothing;
  }
  const value = readJson(Buffer.from(body));
  if (fields !== undefined) return inspectRecords(name, fields, value);
  return inspectChart(name, shape as ChartShape, value);
}
