import { z } from 'zod';
import type { Camel } from './camel.ts';

/** A table of settings, made from schemas that are nested as the file nests its sections. */

/** What a schema does not say of a setting by itself. */
interface Traits {
  readonly description: string;
  /** Only the file can hold it. */
  readonly fileOnly?: true;
  /** Never in the file and never a flag, where others can read it. */
  readonly secret?: true;
  /** Written to the default column of the documentation where the default is not a constant. */
  readonly shownDefault?: string;
}

/** One setting. */
export interface Setting extends Traits {
  readonly schema: z.ZodType;
  /** As it would be written in the file; `undefined` leaves the setting unset. */
  readonly default: unknown;
}

/** Schemas of settings, and objects of them for the sections. */
export type Sections = Readonly<Record<string, z.core.$ZodType>>;

/** Keys such as `analyzer.tls.ca_file`. */
export type KeyOf<S> = {
  [K in keyof S & string]: S[K] extends z.ZodObject<infer Below> ? `${K}.${KeyOf<Below>}` : K;
}[keyof S & string];

type SchemaOf<S, Key extends string> = Key extends keyof S
  ? S[Key]
  : Key extends `${infer Head}.${infer Rest}`
    ? Head extends keyof S
      ? S[Head] extends z.ZodObject<infer Below>
        ? SchemaOf<Below, Rest>
        : never
      : never
    : never;

type Readable<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;

/** The value of a setting, by its key. */
export type ValueOf<S, Key extends string> = Readable<z.output<SchemaOf<S, Key>>>;

/** The values of sections, under the names of the code. */
export type ValuesOf<S> = {
  readonly [K in keyof S & string as Camel<K>]: S[K] extends z.ZodObject<infer Below>
    ? ValuesOf<Below>
    : Readable<z.output<S[K]>>;
};

/** What a schema says of its setting. */
export function settingOf(schema: z.ZodType): Setting {
  const traits = { description: '', ...schema.meta() } as Traits;
  return { ...traits, schema, default: schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined };
}

function flatten(sections: Sections, prefix: string): [string, Setting][] {
  return Object.entries(sections).flatMap(([name, schema]): [string, Setting][] => {
    const key = `${prefix}${name}`;
    return schema instanceof z.ZodObject ? flatten(schema.shape, `${key}.`) : [[key, settingOf(schema as z.ZodType)]];
  });
}

/** The settings of a file, by key. */
export interface Table<S extends Sections = Sections> {
  readonly settings: Readonly<Record<KeyOf<S>, Setting>>;
  readonly keys: readonly KeyOf<S>[];
  isSetting(path: string): path is KeyOf<S>;
  isSection(path: string): boolean;
  /** Names one may write below a section. */
  namesBelow(section: string): readonly string[];
  /** Why a key that people write is not taken from the file. */
  refusalOf(key: string): string | undefined;
}

/** @param refusalOf says why a key that people write, known or not, is not taken from the file */
export function createTable<S extends Sections>(
  sections: S,
  refusalOf: (key: string, setting: Setting | undefined) => string | undefined,
): Table<S> {
  const settings = Object.fromEntries(flatten(sections, '')) as Table<S>['settings'];
  const keys = Object.keys(settings) as KeyOf<S>[];
  const isSetting = (path: string): path is KeyOf<S> => Object.hasOwn(settings, path);
  return {
    settings,
    keys,
    refusalOf: (key) => refusalOf(key, isSetting(key) ? settings[key] : undefined),
    isSetting,
    isSection: (path) => keys.some((key) => key.startsWith(`${path}.`)),
    namesBelow: (section) => {
      const prefix = section === '' ? '' : `${section}.`;
      const below = keys.filter((key) => key.startsWith(prefix));
      return [...new Set(below.map((key) => key.slice(prefix.length).split('.', 1)[0] ?? ''))];
    },
  };
}
