import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * For a process that is started with `--import` of this file: when it ends, the addresses of all modules that its main thread
 * has loaded are in the file that `LOADED_FILES` names, one a line.
 */

const { LOADED_FILES = '' } = process.env;

if (isMainThread) {
  const loaded: string[] = [];
  registerHooks({
    load: (url, context, next) => {
      loaded.push(url);
      return next(url, context);
    },
  });
  process.on('exit', () => writeFileSync(LOADED_FILES, loaded.join('\n')));
}
