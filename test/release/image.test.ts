import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { pushedImage } from '../../deploy/release/image.ts';
import { createCleanup } from '../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => {
  vi.unstubAllEnvs();
  return cleanup.run();
});

const name = 'registry.example.com/license-exporter';
const digest = `sha256:${'a'.repeat(64)}`;

/** A host whose only program is this container tool. */
function useTool(tool: string, output: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-tool-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, tool), `#!/bin/sh\n[ "$5" = "${name}:1.2.3" ] && ${output}\n`);
  chmodSync(join(folder, tool), 0o755);
  vi.stubEnv('PATH', folder);
}

it.each([
  ['docker', 'pushed', `echo '["other@${digest}","${name}@${digest}"]'`, { image: `${name}@${digest}` }],
  ['podman', 'pushed', `echo '["${name}@${digest}"]'`, { image: `${name}@${digest}` }],
  ['docker', 'built', 'echo null', { missing: `the image ${name}:1.2.3 is not pushed, and has no digest` }],
  ['docker', 'unknown', 'exit 1', { missing: `no image ${name}:1.2.3 on this host` }],
  ['none', 'unknown', 'exit 1', { missing: `no image ${name}:1.2.3 on this host` }],
])('with %s, an image that is %s has its digest, or the reason why not', (tool, _, output, expected) => {
  useTool(tool, output);
  expect(pushedImage(name, '1.2.3')).toEqual(expected);
});
