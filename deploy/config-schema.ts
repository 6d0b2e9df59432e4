import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfigSchema } from '../src/program/config/json-schema.ts';

/** Writes the JSON Schema of the configuration file, which editors use to complete and check it. */

const path = join(import.meta.dirname, 'config.schema.json');
writeFileSync(path, `${JSON.stringify(createConfigSchema(), undefined, 2)}\n`);
process.stdout.write(`${path}\n`);
