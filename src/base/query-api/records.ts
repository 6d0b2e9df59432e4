import { expirationFields, serverDownFields } from './expiration-fields.ts';
import { featureFields } from './feature-fields.ts';
import type { Field, Fields, FieldType } from './field.ts';
import { productFields } from './product-fields.ts';
import { userFields } from './user-fields.ts';

/** The records that endpoints answer, by their fields. */
export const recordFields = {
  GetProducts: productFields,
  GetFeatures: featureFields,
  GetUsers: userFields,
  GetServerDown: serverDownFields,
  GetExpirationFeatures: expirationFields,
} as const satisfies Readonly<Record<string, Fields>>;

/** The polled endpoints whose records have fields beside the one that identifies them. */
export const fieldEndpoints = ['GetProducts', 'GetFeatures', 'GetExpirationFeatures'] as const;
/** The name of an endpoint whose missing fields are noticed. */
export type FieldEndpoint = (typeof fieldEndpoints)[number];

interface WireTypes extends Record<FieldType, unknown> {
  count: number;
  quantity: number;
  number: number;
  time: number;
  expiration: number;
  text: string;
  flag: boolean;
  scalar: string | number | boolean;
  date: string;
}

type WireValue<F extends Field> = WireTypes[F['type']] | (F['unknown'] extends 'null' ? null : never);
type AbsentKeys<F extends Fields> = { [K in keyof F]: F[K]['unknown'] extends 'absent' ? K : never }[keyof F];

/** A record to be written. Every field is named: one that the source does not know is `undefined`, and has no key then. */
type WireRecord<F extends Fields> = { -readonly [K in Exclude<keyof F, AbsentKeys<F>>]: WireValue<F[K]> } & {
  -readonly [K in AbsentKeys<F>]: WireValue<F[K]> | undefined;
};

/** A record of GetProducts to be written (spec 2.1). */
export type WireProduct = WireRecord<typeof productFields>;
/** A record of GetFeatures to be written (spec 2.2). */
export type WireFeature = WireRecord<typeof featureFields>;
/** A record of GetUsers to be written (spec 2.3). */
export type WireUser = WireRecord<typeof userFields>;
/** A record of GetServerDown to be written (spec 2.4). */
export type WireServerDown = WireRecord<typeof serverDownFields>;
/** A record of GetExpirationFeatures to be written (spec 2.5). */
export type WireExpiration = WireRecord<typeof expirationFields>;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The name of a field in the model: `MaxAvailable` becomes `maxAvailable`, `app_status` becomes `appStatus`. */
export type ModelName<Name extends string> = Uncapitalize<CamelCase<Name>>;

/** The name of a field in the model. @param name on the wire */
export const modelName = <Name extends string>(name: Name): ModelName<Name> =>
  name
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as ModelName<Name>;

/**
 * The type of a value in the model; `undefined` if it is missing or not usable. Each type has a reader in the client.
 */
export interface ModelTypes extends Record<FieldType, unknown> {
  count: number | undefined;
  quantity: number | undefined;
  number: number | undefined;
  /** Epoch seconds; `undefined` also for never. */
  time: number | undefined;
  /** Epoch seconds; `Infinity` for a permanent license. */
  expiration: number | undefined;
  /** Empty when it is missing. */
  text: string;
  flag: boolean | undefined;
  scalar: string | number | boolean | undefined;
  /** Not in the model, because it only repeats another field. */
  date: never;
}

/** The value of a field. Labels are texts; a null text is `undefined`. */
type ModelValue<F extends Field> = F['metric'] extends 'label'
  ? string
  : ModelTypes[F['type']] | (F['unknown'] extends 'null' ? undefined : never);

/** A record after decoding: its fields by their names in the model. */
export type ModelRecord<F extends Fields> = {
  readonly [K in keyof F & string as F[K]['type'] extends 'date' ? never : ModelName<K>]: ModelValue<F[K]>;
};
