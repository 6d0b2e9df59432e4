import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// V8 lets the part of the heap for new objects grow to 32 MB, and keeps it.
setFlagsFromString('--semi-space-growth-factor=1');
// Otherwise each poll of a large site reaches the limit of the heap, which is a tenth above what is in use, and costs a collection.
setFlagsFromString('--heap-growing-percent=50');
// The parser of undici is WebAssembly. Optimizing it takes 25 MB, which malloc then keeps in small pieces.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');

// Compiled code, without its types, from earlier runs; written when the process ends. It is beside the program, where nobody
// can change it who cannot change the program. Without write access, or with NODE_COMPILE_CACHE, nothing is written here.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));
// The main file of zod also loads its messages in 65 languages. They are not used: those of the settings are our own.
registerHooks({
  resolve: (name, context, next) => {
    const isLanguages = name === '../locales/index.js' && context.parentURL?.includes('/zod/') === true;
    return next(isLanguages ? '../locales/en.js' : name, context);
  },
});
const { main } = await import('./main.ts');
await main();
