import { setImmediate as pause } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import type { PoolObservation } from '../../../base/model/observation/observation.ts';
import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import type { ManagerReader, ReaderDeps, ReadInput } from '../manager.ts';
import { managerCodes } from '../manager-codes.ts';
import { type Manager, managerNamed } from '../managers.ts';
import type { Parsed } from '../parsed.ts';
import type { SourceSettings } from '../source-settings.ts';
import { createTransport } from '../transport/create-transport.ts';
import type { TransportHost } from '../transport/transport-host.ts';
import type { ReadingThread } from './reading-thread.ts';

/** Characters of an output that is read at once: about 10 ms. A longer one is read in another thread. */
const MAX_AT_ONCE = 192 * 1024;

type TakenPool = PoolObservation & { readonly checkouts: readonly { server?: string }[] };

/** Each checkout comes from the other thread with a copy of the name of its server: of a million, they would be 50 MB. */
function shareServers({ checkouts }: TakenPool): void {
  let last: string | undefined;
  for (const checkout of checkouts) {
    if (checkout.server === undefined) continue;
    if (checkout.server === last) checkout.server = last;
    else last = checkout.server;
  }
}

/** Reads an output by its manager. @throws SourceFailure if it says nothing */
async function readOutput(manager: Manager, input: ReadInput, thread: ReadingThread): Promise<Parsed> {
  const { stdout, stderr } = input.output;
  if (stdout.length + stderr.length <= MAX_AT_ONCE) return managerCodes[manager].read(input);
  const answer = await thread.read(manager, input);
  if ('failure' in answer) {
    const { kind, message, members } = answer.failure;
    throw new SourceFailure(kind, message, members === undefined ? {} : { members });
  }
  const { parsed, pools } = answer;
  const vendorLicenses = [];
  for (const [at, one] of parsed.vendorLicenses.entries()) {
    const own: PoolObservation[] = [];
    for (const part of pools[at] ?? []) {
      for (const pool of deserialize(part) as TakenPool[]) {
        shareServers(pool);
        own.push(pool);
      }
      await pause();
    }
    vendorLicenses.push({ ...one, pools: own });
  }
  return { ...parsed, vendorLicenses };
}

/**
 * The reader of a source.
 *
 * @param thread for large outputs
 * @param options what more it may use; the transport is for tests: how its output gets here, instead of by `via`
 */
export const createReader = (
  settings: SourceSettings,
  host: TransportHost,
  thread: ReadingThread,
  { transport = createTransport(settings, host), people }: Partial<Pick<ReaderDeps, 'transport' | 'people'>> = {},
): ManagerReader => {
  const manager = managerNamed(settings.manager);
  return managerCodes[manager].createReader(settings, {
    transport,
    host,
    people,
    read: (input) => readOutput(manager, input, thread),
  });
};
