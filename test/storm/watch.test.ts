import { expect, it } from 'vitest';
import { eventually } from '../support/harness.ts';
import type { Daemon } from './daemon.ts';
import { createWatch } from './watch.ts';

const page = 'license_up 1\n';

/** A watch of a daemon that answers when it is told to. */
function watched() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let asked = 0;
  const scrape = (): Promise<string> => {
    asked += 1;
    return asked === 1 ? promise : Promise.resolve(page);
  };
  const daemon: Pick<Daemon, 'scrape' | 'resources'> = {
    scrape,
    resources: () => ({ memory: 0, handles: 0, sockets: 0 }),
  };
  const watch = createWatch(daemon as Daemon, [], () => undefined);
  return { watch, resolve, reject, asked: () => asked };
}

it.each(['is answered', 'fails'])('a scrape that began before a pause and %s after it does not count', async (how) => {
  const { watch, resolve, reject, asked } = watched();
  watch.pause(true);
  watch.pause(false);
  if (how === 'is answered') resolve(page);
  else reject(new Error('reset'));
  await eventually('the next scrape', () => asked() > 1);
  await watch.stop();
  expect({ failed: watch.failed.length, scrapes: watch.scrapes }).toEqual({ failed: 0, scrapes: asked() - 1 });
});
