/** Settings are in snake_case in the file, and in camelCase in the code. */

/** `max_age` as `maxAge`, in types. */
export type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;

/** `keepFiringFor` of `keep_firing_for`. */
export const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A map with its keys in camelCase. */
export type Camelized<T> = { readonly [K in keyof T & string as Camel<K>]: T[K] };

/** The values of a section by the names that the program uses. */
export const camelized = <T extends object>(values: T): Camelized<T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [camel(name), value])) as Camelized<T>;
