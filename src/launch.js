#!/usr/bin/env node
// Plain JavaScript for every version of Node: an older one gets a message, not a syntax error.
const REQUIRED_MAJOR = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < REQUIRED_MAJOR) {
  process.stderr.write(
    `license-exporter needs Node ${REQUIRED_MAJOR} or newer, this is ${process.version}; ` +
      'in a checkout run `npm ci` (it installs Node 24 for the npm scripts) and start with `npm start`\n',
  );
  process.exit(1);
}
// Compiled code, without its types, from earlier runs; written when the process ends. It is beside the program, where nobody
// can change it who cannot change the program. Without write access, or with NODE_COMPILE_CACHE, nothing is written here.
const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));
const { main } = await import('./main.ts');
await main();
