import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** A process that takes too much memory is ended, and not its neighbours. */

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

describe('the limit of memory', () => {
  it('is the same wherever the program is started for, and documented', () => {
    const gigabytes = (path: string, pattern: RegExp): string | undefined => pattern.exec(read(path))?.[1];
    expect([
      gigabytes('deploy/systemd/license-exporter@.service', /^MemoryMax=(\d+)G$/m),
      gigabytes('deploy/kubernetes/deployment.yml', /limits: \{ memory: (\d+)Gi \}/),
      gigabytes('deploy/docker/compose.yml', /mem_limit: (\d+)g/),
      gigabytes('docs/company.md', /limit the memory to (\d+) GB/),
    ]).toEqual(['2', '2', '2', '2']);
  });
});
