import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createObservationSchema } from '../src/analyzer/sources/json/code.ts';

/** Writes the JSON Schema of observation documents, with which scripts can check what they write. */

const path = join(import.meta.dirname, 'observations.schema.json');
writeFileSync(path, `${JSON.stringify(createObservationSchema(), undefined, 2)}\n`);
process.stdout.write(`${path}\n`);
