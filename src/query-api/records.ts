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

/** A record as it is written. A field that a source may not know can be missing. */
type WireRecord<F extends Fields> = { -readonly [K in Exclude<keyof F, AbsentKeys<F>>]: WireValue<F[K]> } & {
  -readonly [K in AbsentKeys<F>]?: WireValue<F[K]> | undefined;
};

export type WireProduct = WireRecord<typeof productFields>;
export type WireFeature = WireRecord<typeof featureFields>;
export type WireUser = WireRecord<typeof userFields>;
export type WireServerDown = WireRecord<typeof serverDownFields>;
export type WireExpiration = WireRecord<typeof expirationFields>;

/** The name of a field in our words: `MaxAvailable` is `maxAvailable`, `app_status` is `appStatus`. */
export const modelName = (name: string): string =>
  name
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
