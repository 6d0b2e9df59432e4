import { describe, expect, it, vi } from 'vitest';
import { debugLog } from '../../../../src/analyzer/sources/flexnet/debug-log-denials.ts';
import { DenialCount } from '../../../../src/analyzer/sources/log/denials.ts';

/** A file server that does not answer: each look at the log takes as long as it wants. */
vi.mock('../../../../src/analyzer/sources/log/log-follower.ts', () => ({
  LogFollower: class {
    look = () => new Promise(() => undefined);
    close = async () => undefined;
  },
}));

describe('a log on a file server that does not answer', () => {
  it('holds up neither a collection nor the end of the process', async () => {
    const count = new DenialCount(
      debugLog,
      { path: '/nfs/lmgrd.log', timeZone: 'UTC', encoding: undefined },
      { now: () => 0, elapsed: () => 0, timeoutMs: 20 },
    );
    const taken = await count.take();
    expect(taken.of('vend')).toBeUndefined();
    expect(count.problem()).toEqual({
      kind: 'timeout',
      message: 'the debug log /nfs/lmgrd.log could not be read within 0.02 s; check its file system (NFS)',
    });
    await count.stop();
  });
});
