import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createCleanup } from './support/harness.ts';
import { createRunner } from './support/run.ts';

/** What only some daemons need, or none of them at first, is not loaded when one starts. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const hook = join(import.meta.dirname, 'support/loaded-files.ts');

const later = {
  'parsers of license managers': /\/src\/analyzer\/sources\/\w+\/code\./,
  'pages and their answers': /\/src\/site\/pages\/[\w-]+\/|\/src\/site\/grafana\/protocols\/handlers\./,
  'texts of mails': /\/src\/alerting\/messages\/[\w-]+-mail\./,
  'the analyzer': /\/src\/analyzer\/server\/server\./,
  'the driver of PostgreSQL': /\/node_modules\/pg\//,
  'languages of zod': /\/zod\/.*\/locales\/(?!en\.)/,
};

it('starts with no more than it needs', async () => {
  const { startProcess, temporaryFolder } = createRunner(cleanup);
  const list = join(temporaryFolder(), 'loaded');
  const args = [
    'serve',
    '--analyzer.url=http://127.0.0.1:9',
    '--analyzer.username=u',
    '--web.listen-address=127.0.0.1:0',
  ];
  const env = {
    LICENSE_EXPORTER_ANALYZER_PASSWORD: 'p',
    NODE_OPTIONS: `--import=${hook}`,
    LOADED_FILES: list,
  };
  const daemon = startProcess(args, { env });
  await daemon.line('listening');
  daemon.child.kill('SIGTERM');
  await daemon.exit;
  const loaded = readFileSync(list, 'utf8').split('\n');
  expect(loaded.filter((url) => /\/src\/program\/app\/app\.ts$|\/zod\/.*\/locales\/en\./.test(url))).toHaveLength(2);
  const found = Object.entries(later).map(([what, pattern]) => [what, loaded.filter((url) => pattern.test(url))]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(Object.keys(later).map((what) => [what, []])));
});
