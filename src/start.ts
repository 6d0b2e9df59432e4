import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Compiled code, without its types, from earlier runs; written when the process ends. It is beside the program, where nobody
// can change it who cannot change the program. Without write access, or with NODE_COMPILE_CACHE, nothing is written here.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));
const { main } = await import('./main.ts');
await main();
