import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { startFailure } from '../../../src/analyzer/sources/transport/start-failure.ts';
import { createCleanup } from '../../support/harness.ts';

/** Too many open files: neither the file nor the peer is the cause, and each message names the limit and the remedy. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const LIMIT = 'this process has as many files and connections open as it may';
const REMEDY = 'raise its limit (LimitNOFILE= of the unit of systemd, ulimit -n of a shell)';

it.runIf(process.platform === 'linux')('a process that can open no file says so of all that it opens', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-files-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'password'), 'secret\n');
  writeFileSync(join(folder, 'state.json'), '{"v":1}');
  const script = join(import.meta.dirname, '../../support/without-files.ts');
  const command = 'ulimit -n 150; exec "$0" "$1" "$2"';
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command, process.execPath, script, folder]);
  const { files, ...said } = JSON.parse(stdout) as Record<string, string> & { files: readonly string[] };
  expect(Object.keys(said)).toHaveLength(14);
  for (const [what, message] of Object.entries(said)) {
    expect([what, message]).toEqual([what, expect.stringContaining(LIMIT)]);
    expect([what, message]).toEqual([what, expect.stringContaining(REMEDY)]);
    expect([what, message]).toEqual([what, expect.stringContaining('EMFILE')]);
    expect(message).not.toMatch(/does not exist|check the (path|disk|owner|network)|check its|closed the connection/);
  }
  // the state that could not be read is kept beside the new one
  expect(files).toEqual(['state.json', expect.stringMatching(/^state\.json\.damaged-/)]);
  // of a source, it does not say that the license server is down
  for (const what of ['source', 'token', 'file']) expect(said[what]).toMatch(/^open_files: /);
});

it.each([
  ['EMFILE', LIMIT],
  ['ENFILE', 'this host has as many files open as it may'],
])('a tool that is not started because of %s is not called missing', async (code, why) => {
  const error = Object.assign(new Error('spawn'), { code });
  expect(await startFailure('/opt/lmutil', undefined, error)).toMatchObject({
    kind: 'open_files',
    message: expect.stringContaining(`/opt/lmutil cannot be opened: ${why} (${code}); raise its limit`),
  });
});
