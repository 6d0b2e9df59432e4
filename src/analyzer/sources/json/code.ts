import { z } from 'zod';
import type { ManagerCode, ReadInput, Vocabulary } from '../manager.ts';
import { createTextReader } from '../text-reader.ts';
import { createSourceTime } from '../times.ts';
import { documentSchema, featureSchema, vendorLicenseSchema } from './document.ts';
import type { ObservationMemory } from './entry-reading.ts';
import { type ParsedObservations, parseObservations } from './observations.ts';

/** The manager `json`: how documents are read, their JSON Schema, and their keys and values, which name nobody. */

const notNull = { not: { type: 'null' } };
const given = (...names: readonly string[]): object => ({
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, notNull])),
});

/** The rules about several keys, as JSON Schema has them. That no two names are the same is not among them. */
const relations = new Map<unknown, object>([
  [
    featureSchema,
    {
      allOf: [
        ['count', 'increments'],
        ['expires', 'increments'],
        ['denials', 'denials_total'],
      ].map((names) => ({ not: given(...names) })),
    },
  ],
  [
    vendorLicenseSchema,
    { anyOf: [{ required: ['reachable'], properties: { reachable: { const: false } } }, given('features')] },
  ],
]);

/** JSON Schema 2020-12, with the meaning of each key. Dates that do not exist and repeated names pass it all the same. */
export function createObservationSchema(): object {
  const schema = z.toJSONSchema(documentSchema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, relations.get(zodSchema));
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { ...schema, title: 'Observations of license servers, version 1' };
}

/** Values of each key that are words of the format, and whether it can be a number. */
interface Key {
  readonly values: Set<string>;
  isNumber: boolean;
}

/** The keys of a JSON Schema, wherever they stand in it. */
function keysOf(schema: unknown, found = new Map<string, Key>(), within?: Key): ReadonlyMap<string, Key> {
  if (typeof schema !== 'object' || schema === null) return found;
  for (const [name, part] of Object.entries(schema)) {
    if (name === 'properties') {
      for (const [key, property] of Object.entries(part as object)) {
        const known = found.get(key) ?? { values: new Set(), isNumber: false };
        found.set(key, known);
        keysOf(property, found, known);
      }
      continue;
    }
    const words = name === 'enum' || name === 'const' ? [part].flat() : [];
    for (const word of words) if (typeof word === 'string') within?.values.add(word);
    if (within !== undefined && name === 'type' && /^(?:integer|number)$/.test(String(part))) within.isNumber = true;
    keysOf(part, found, within);
  }
  return found;
}

const keys = [...keysOf(createObservationSchema())];
const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** `"in_use": 5`, `"state": "active"`, or the key alone. */
const shapeOf = ([key, { values, isNumber }]: readonly [string, Key]): string => {
  const forms = [
    ...(isNumber ? [String.raw`-?\d[\d.eE+-]{0,30}(?=[,\s}\]])`] : []),
    ...(values.size > 0 ? [`"(?:${[...values].map(escaped).join('|')})"`] : []),
  ];
  return String.raw`(?<!\\)"${key}"\s{0,9}:${forms.length === 0 ? '' : String.raw`(?:\s{0,9}(?:${forms.join('|')}))?`}`;
};

/** What stays of a document. */
export const shapes: readonly string[] = [
  ...keys.map(shapeOf),
  String.raw`(?<="reports": \[[^\]]{0,60})"(?:borrowed|status)"`,
  String.raw`(?<=[:[,]\s{0,40})(?:true|false|null)(?=\s{0,40}[,}\]])`,
];

/** The words that may stay. */
export const vocabulary: Vocabulary = { words: 'permanent unknown', names: [] };

/** A document with one value a line and without escapes, so that its words are seen. Another text stays as it is. */
export function normalized(text: string): string {
  try {
    const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    const plain = (_: string, one: unknown): unknown =>
      typeof one === 'string' ? one.toWellFormed().replaceAll(/\p{Cc}/gu, ' ') : one;
    return `${JSON.stringify(value, plain, 1)}\n`;
  } catch {
    return text;
  }
}

/** The time of a document, without which it would be too old; epoch seconds. */
export function timeIn(text: string): number | undefined {
  const [, written = ''] = /"time"\s*:\s*"?([^",}\s]{1,40})/.exec(text) ?? [];
  const seconds = /^\d+(?:\.\d+)?$/.test(written) ? Number(written) : Date.parse(written) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** Of the previous document of the source. */
interface Before {
  readonly memory: ObservationMemory | undefined;
}

function read({ settings, via, now, output, more }: ReadInput<object, Before>): ParsedObservations {
  const { interval, part, timeZone, calendarZone } = settings;
  return parseObservations(output.stdout, {
    now,
    writtenAt: via === 'file' ? output.at : undefined,
    interval,
    localTime: createSourceTime(timeZone, calendarZone),
    part,
    memory: more.memory,
  });
}

/** What reads observation documents. */
export const jsonCode: ManagerCode<object, Before, ParsedObservations> = {
  texts: {
    document: {
      title: 'the observation document',
      places: () => [{ args: [] }],
      recognize: (text) =>
        /^\s*[{[]/.test(text) ? { servers: [], at: timeIn(text), isSure: /"vendor_licenses"/.test(text) } : undefined,
      shapes,
      normalized,
    },
  },
  read,
  createReader: (settings, deps) => {
    let memory: ObservationMemory | undefined;
    return createTextReader(settings, deps, {
      args: 'none',
      more: () => ({ memory }),
      keep: (parsed) => {
        memory = parsed.memory;
      },
    });
  },
  replay: ({ settings, via, now, texts }) => ({
    readings: texts('document').map(
      ({ output }) =>
        () =>
          read({ settings, via, now, output, more: { memory: undefined } }),
    ),
    remarks: [],
  }),
  vocabulary,
};
