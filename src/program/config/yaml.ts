import { createRequire } from 'node:module';

type Yaml = typeof import('yaml');

const require = createRequire(import.meta.url);

/** The YAML library. It is loaded with the first file: a configuration by flags and environment needs none of its 72 modules. */
export const yaml = (): Yaml => require('yaml');
