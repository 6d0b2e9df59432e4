import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup } from '../../support/harness.ts';
import { createRunner, launch } from '../../support/run.ts';

/** Whose reader has gone, as with `| head -1`. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { temporaryFolder } = createRunner(cleanup);

const SIGPIPE_CODE = 141;

const DOCUMENT = JSON.stringify({
  version: 1,
  vendor_licenses: [{ server: '1@lic', daemon: 'acme', features: [{ feature: 'CAD', count: 2, in_use: 1 }] }],
});

describe('a command whose output nobody reads any more', () => {
  it.each([['--help'], ['check-config', 'bad.yml', 0], ['serve', '--once', '--config.file=c.yml']] as const)(
    'ends without a word: %s %s',
    async (...args) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'document.json'), DOCUMENT);
      writeFileSync(
        join(folder, 'c.yml'),
        `log: {level: error}
embedded_analyzer: {sources: [{name: one, manager: json, via: {file: ${folder}/document.json}}]}\n`,
      );
      writeFileSync(join(folder, 'bad.yml'), 'log: {level: loud}\n');
      const isMistake = args[2] === 0;
      const words = args
        .filter((word) => word !== 0)
        .map((word) => word.replace(/\b\w+\.(?:yml|json)$/, `${folder}/$&`));
      const child = spawn(process.execPath, [launch, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
      cleanup.add(() => void child.kill('SIGKILL'));
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
      });
      child.stdout.destroy();
      // of a mistake, standard error says what it is
      if (isMistake) child.stderr.destroy();
      const [code] = await once(child, 'close');
      expect([said, code]).toEqual(['', SIGPIPE_CODE]);
    },
  );
});
