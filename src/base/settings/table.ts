import { z } from 'zod';
import { type Camel, camel } from './camel.ts';

/** A table of settings. Their schemas are nested like the sections of the file. */

/** Metadata of a setting that is not part of its schema. */
interface Traits {
  readonly description: string;
  /** It can only be set in the file. */
  readonly fileOnly?: true;
  /** It cannot be set in the file or by a flag, because others could read it there. */
  readonly secret?: true;
  /** Shown as the default in the documentation, if the default is not a constant. */
  readonly shownDefault?: string;
  /** Its flag, if other exporters spell it otherwise than its key. */
  readonly flag?: string;
  /** A reload does not change it; `with-analyzer`: only in a process that has an embedded analyzer. */
  readonly restart?: true | 'with-analyzer';
}

/** A description with what the traits of a setting add to it. */
export function described({ description, restart }: Pick<Traits, 'description' | 'restart'>): string {
  if (restart === undefined) return description;
  const when = restart === true ? 'Changes' : 'With an embedded analyzer, changes';
  return `${description} ${when} need a restart.`;
}

export interface Setting extends Traits {
  readonly schema: z.ZodType;
  /** As in the file; `undefined` if the setting has no default. */
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

/** The values of sections, in camelCase. */
export type ValuesOf<S> = {
  readonly [K in keyof S & string as Camel<K>]: S[K] extends z.ZodObject<infer Below>
    ? ValuesOf<Below>
    : Readable<z.output<S[K]>>;
};

/** The values of one section, in camelCase. */
export type SectionOf<S extends z.ZodObject> = ValuesOf<{ readonly section: S }>['section'];

/** The values of a section of which nothing is set. */
export function sectionDefaults<S extends z.ZodObject>(section: S): SectionOf<S> {
  const values = Object.entries(section.shape).map(([name, schema]) => [
    camel(name),
    schema instanceof z.ZodObject ? sectionDefaults(schema) : (schema as z.ZodType).parse(undefined),
  ]);
  return Object.fromEntries(values) as SectionOf<S>;
}

/** A setting from its schema. */
export function settingOf(schema: z.ZodType): Setting {
  const traits = { description: '', ...schema.meta() } as Traits;
  return {
    ...traits,
    description: described(traits),
    schema,
    default: schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined,
  };
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
  /** The valid keys of a section. */
  namesBelow(section: string): readonly string[];
  /** Why a key is not accepted in the file; `undefined` if it is. */
  refusalOf(key: string): string | undefined;
}

/** @param refusalOf why a key, known or not, is not accepted in the file */
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
