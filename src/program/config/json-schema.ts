import { z } from 'zod';
import { described } from '../../base/settings/table.ts';
import { sections } from './settings.ts';

/** The JSON Schema of the configuration file, for editors. */

/** Metadata that only the program needs. */
const traits = ['fileOnly', 'secret', 'shownDefault', 'flag', 'restart'];

/** A section in which every key is optional and no other key is valid. Secrets are left out: the file must not contain them. */
function optional(shape: z.core.$ZodShape): z.ZodType {
  const entries = Object.entries(shape as Readonly<Record<string, z.ZodType>>);
  const below = entries.flatMap(([name, schema]): [string, z.ZodType][] => {
    const meta = schema.meta();
    if (meta?.secret === true) return [];
    if (!(schema instanceof z.ZodObject)) return [[name, schema]];
    return [[name, meta === undefined ? optional(schema.shape) : optional(schema.shape).meta(meta)]];
  });
  return z.strictObject(Object.fromEntries(below)).optional();
}

/** JSON Schema 2020-12 of the file, with the meaning and the default of each setting. */
export function createConfigSchema(): object {
  const schema = z.toJSONSchema(optional(sections), {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.description !== undefined) {
        jsonSchema.description = described({ ...jsonSchema, description: jsonSchema.description });
      }
      for (const trait of traits) delete jsonSchema[trait];
      // relative links do not work here
      jsonSchema.description &&= jsonSchema.description.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { ...schema, title: 'Configuration of license-exporter' };
}
