import { z } from 'zod';
import { documentSchema, featureSchema, vendorLicenseSchema } from './document.ts';

/** The JSON Schema of the observation document, for editors and for scripts that check what they write. */

const notNull = { not: { type: 'null' } };
const given = (...keys: readonly string[]): object => ({
  required: keys,
  properties: Object.fromEntries(keys.map((key) => [key, notNull])),
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
      ].map((keys) => ({ not: given(...keys) })),
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
