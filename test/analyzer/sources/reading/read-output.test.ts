import { serialize } from 'node:v8';
import { afterEach, describe, expect, it } from 'vitest';
import { managerCodes } from '../../../../src/analyzer/sources/manager-codes.ts';
import { type Manager, managerNames } from '../../../../src/analyzer/sources/managers.ts';
import type { Parsed } from '../../../../src/analyzer/sources/parsed.ts';
import { createReader } from '../../../../src/analyzer/sources/reading/read-output.ts';
import { createReadingThread, type ReadingThread } from '../../../../src/analyzer/sources/reading/reading-thread.ts';
import { createTransportHost } from '../../../../src/analyzer/sources/transport/transport-host.ts';
import { SourceFailure } from '../../../../src/base/model/observation/source-failure.ts';
import { createCleanup } from '../../../support/harness.ts';
import { createLargeSite } from '../../../support/license-site/large-site.ts';
import { renderTexts } from '../../../support/license-site/render-texts.ts';
import { sourceSettings } from '../../../support/source-settings.ts';

/** Large outputs are read in another thread, with the same result. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const now = 1_800_000_000;
const rendered = (manager: Manager, users: number): string =>
  renderTexts[manager](createLargeSite({ features: knowsUsers(manager) ? 10 : 5 * users, users, now }))[0][1];

/** Whether the text that is rendered has users. */
const knowsUsers = (manager: Manager): boolean => manager !== 'slurm' && manager !== 'query-api';

/** A thread that counts what it was asked. */
function countingThread(): { readonly thread: ReadingThread; readonly asked: () => number } {
  const thread = createReadingThread();
  cleanup.add(() => thread.close());
  let asked = 0;
  const read: ReadingThread['read'] = (manager, input) => {
    asked += 1;
    return thread.read(manager, input);
  };
  return { thread: { ...thread, read }, asked: () => asked };
}

async function readText(manager: Manager, stdout: string, thread: ReadingThread): Promise<Parsed> {
  const settings = sourceSettings({ manager, via: { kind: 'file', file: '/none', maxAge: 60 } });
  const host = createTransportHost({ workFolder: '/nonexistent', now: () => now, onProblem: () => undefined });
  cleanup.add(() => host.close());
  const output = { stdout, stderr: '', exitCode: undefined, at: now };
  const transport = { read: async () => output, close: async () => undefined };
  return createReader(settings, host, thread, { transport }).read(new AbortController().signal);
}

describe.each(managerNames)('an output of %s', (manager) => {
  it('that is small is read at once', async () => {
    const { thread, asked } = countingThread();
    await readText(manager, rendered(manager, 2), thread);
    expect(asked()).toBe(0);
  });

  it('that is large is read in another thread, with the same result', async () => {
    const text = rendered(manager, 800);
    const { thread, asked } = countingThread();
    const inThread = await readText(manager, text, thread);
    expect(asked()).toBe(1);
    const pools = inThread.vendorLicenses.flatMap((one) => one.pools);
    expect(pools.flatMap(({ checkouts }) => checkouts)).toHaveLength(knowsUsers(manager) ? 8000 : 0);
    const here = await readText(manager, text, {
      read: async (name, input) => {
        const parsed = managerCodes[name].read(input);
        return { parsed, pools: parsed.vendorLicenses.map((one) => [serialize(one.pools)]) };
      },
      close: async () => undefined,
    });
    expect(inThread.vendorLicenses).toEqual(here.vendorLicenses);
    expect(inThread.problems).toEqual(here.problems);
  });

  it('that says nothing fails as it would at once', async () => {
    const text = 'no license manager prints this\n'.repeat(8000);
    const { thread, asked } = countingThread();
    const large = await readText(manager, text, thread).catch((error: unknown) => error);
    const small = await readText(manager, text.slice(0, 310), thread).catch((error: unknown) => error);
    expect(asked()).toBe(1);
    expect(large).toBeInstanceOf(SourceFailure);
    expect(large).toEqual(small);
  });
});

describe('the thread', () => {
  it('is started again after it was lost', async () => {
    const { thread } = countingThread();
    const text = rendered('rlm', 200);
    await readText('rlm', text, thread);
    await thread.close();
    expect((await readText('rlm', text, thread)).vendorLicenses).toHaveLength(1);
  });
});
