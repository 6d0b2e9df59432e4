import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { withDeadline } from '../../../src/base/model/deadline.ts';
import { watchOf } from '../../../src/exporter/client/reception.ts';

const never = new AbortController().signal;

it('a pass is aborted by its deadline, or with the reason of the stop', async () => {
  const reasonOf = (seconds: number, stop: AbortSignal): Promise<unknown> =>
    withDeadline({ what: 'the poll', seconds, stop }, (signal) =>
      signal.aborted
        ? Promise.resolve(signal.reason)
        : new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
    );
  expect(await reasonOf(0, never)).toMatchObject({ kind: 'timeout', message: 'the poll did not end within 0 s' });
  const stopping = new AbortController();
  const stopped = reasonOf(60, stopping.signal);
  stopping.abort('stopped');
  expect(await stopped).toBe('stopped');
  expect(await reasonOf(60, AbortSignal.abort('before'))).toBe('before');
});

it('nothing of a pass stays in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const stopping = new AbortController();
  const signals: WeakRef<AbortSignal>[] = [];
  for (let i = 0; i < 20; i += 1) {
    await withDeadline({ what: 'the poll', seconds: 60, stop: stopping.signal }, async (signal) => {
      // as the client does for a request
      const request = { abort: () => undefined };
      watchOf(signal).add(request);
      watchOf(signal).delete(request);
      signals.push(new WeakRef(signal));
    });
  }
  // a reference is released after the turn of the event loop that used it
  await setImmediate();
  collectGarbage();
  expect(signals.filter((signal) => signal.deref() !== undefined)).toEqual([]);
  expect(stopping.signal.aborted).toBe(false);
});
